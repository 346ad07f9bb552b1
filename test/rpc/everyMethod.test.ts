/** Every method, requested once on each view, with the same answers in Node and in a browser. */
import { keccak256, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Provider, ViewKind } from '../../src/index.ts'
import { nameHashes } from '../rootHashNames.ts'
import { isDevMethod } from './devMethods.ts'
import { exampleParams, METHOD_NAMES } from './exampleParams.ts'
import { canWait } from './randomRequests.ts'
import { ask, startScene } from './scene.ts'

/** Methods whose answers vary by chain, version, genesis or zip library: only the type of the answer is shown. */
const VARYING = [
  'anvil_dumpState',
  'anvil_metadata',
  'eth_config',
  'eth_getProof',
  'eth_sendRawTransactionSync',
  'eth_sendTransactionSync',
  'eth_simulateV1',
  'hardhat_metadata',
  'testing_buildBlockV1',
  'web3_clientVersion',
]

/** A scene that answers the examples. */
async function start(view: ViewKind) {
  const scene = await startScene({}, { skipHeaderValidation: true })
  const provider: Provider = scene.chain[view]
  const examples = await exampleParams(scene, provider)
  const snapshot = await scene.chain.snapshot()
  return {
    answer: async (name: string) => {
      await scene.chain.revert(snapshot)
      const params = examples[name]
      // They wait for the block.
      if (canWait({ method: name, params })) scene.chain.once('transaction', () => void scene.chain.seal())
      return ask(provider, name, params)
    },
  }
}

/** An answer in one line; a long one is replaced by its beginning and its hash. */
function inShort(name: string, answer: unknown): string {
  const text = nameHashes(JSON.stringify(answer))
  if (VARYING.includes(name) && !text.startsWith('"error')) return typeof answer
  if (text.length <= 80) return text
  return `${text.slice(0, 50)}… ${text.length} characters, ${keccak256(toHex(text)).slice(0, 10)}`
}

describe('every method', () => {
  it('is answered on each view', async () => {
    const scenes = { standard: await start('standard'), preconf: await start('preconf') }
    const lines: Record<string, unknown> = {}
    for (const name of METHOD_NAMES) {
      // Snapshots cover neither the mining mode nor the permissions of connections.
      const isOfChain = !isDevMethod(name) && !name.startsWith('wallet_')
      const { standard: onStandard, preconf: onPreconf } = isOfChain
        ? scenes
        : { standard: await start('standard'), preconf: await start('preconf') }
      const standard = inShort(name, await onStandard.answer(name))
      const preconf = inShort(name, await onPreconf.answer(name))
      lines[name] = standard === preconf ? standard : { standard, preconf }
    }
    expect(lines).toMatchInlineSnapshot(`
      {
        "anvil_addBalance": "true",
        "anvil_autoImpersonateAccount": "null",
        "anvil_dealERC20": "null",
        "anvil_dropAllTransactions": "null",
        "anvil_dropTransaction": "false",
        "anvil_dumpState": "string",
        "anvil_getAutomine": "false",
        "anvil_getIntervalMining": "null",
        "anvil_impersonateAccount": "null",
        "anvil_loadState": "true",
        "anvil_metadata": "object",
        "anvil_mine": "null",
        "anvil_nodeInfo": "{"currentBlockNumber":"0x2","currentBlockTimestamp… 325 characters, 0xac1eaa5d",
        "anvil_removeBlockTimestampInterval": "false",
        "anvil_removePoolTransactions": "null",
        "anvil_reorg": "null",
        "anvil_reset": "true",
        "anvil_rollback": "null",
        "anvil_setBalance": "true",
        "anvil_setBlockTimestampInterval": "null",
        "anvil_setChainId": "null",
        "anvil_setCode": "true",
        "anvil_setCoinbase": "null",
        "anvil_setERC20Allowance": "null",
        "anvil_setIntervalMining": "null",
        "anvil_setLoggingEnabled": "null",
        "anvil_setMinGasPrice": "null",
        "anvil_setNextBlockBaseFeePerGas": "null",
        "anvil_setNonce": "true",
        "anvil_setPrevRandao": "null",
        "anvil_setRpcUrl": ""error -32000 the chain is no fork, so it has no n… 110 characters, 0x5e0f7058",
        "anvil_setStorageAt": "true",
        "anvil_stopImpersonatingAccount": "null",
        "chain_transactionStatus": "{"status":"Known","stage":"sealed"}",
        "debug_getRawBlock": ""803 bytes, keccak256 <scene: block 2, encoded>"",
        "debug_getRawHeader": ""612 bytes, keccak256 <scene: block 2>"",
        "debug_getRawReceipts": "["426 bytes, keccak256 0xd13f29574e301a58"]",
        "debug_getRawTransaction": ""112 bytes, keccak256 0x8e86de6f62be4b8a"",
        "debug_traceBlock": "[{"txHash":"0xccf1e56c9e36588480fcd844ca89c4b5f82d… 484 characters, 0x3f33e502",
        "debug_traceBlockByHash": "[{"txHash":"0x8e86de6f62be4b8a7dd1cfc0722248516e27… 1010 characters, 0xb8f388bc",
        "debug_traceBlockByNumber": "[{"txHash":"0xccf1e56c9e36588480fcd844ca89c4b5f82d… 75078 characters, 0x02d8bc2a",
        "debug_traceCall": "{"type":"CALL","from":"0xf39fd6e51aad88f6f4ce6ab88… 395 characters, 0xb4bfaa61",
        "debug_traceTransaction": "{"type":"CALL","from":"0xf39fd6e51aad88f6f4ce6ab88… 393 characters, 0x8b5f5e5b",
        "erigon_getHeaderByNumber": "{"number":"0x2","hash":"<scene: block 2>","parentH… 977 characters, 0xa6fce6ec",
        "eth_accounts": "["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x7… 451 characters, 0x5aeac41e",
        "eth_baseFee": ""0x28444a2a"",
        "eth_blobBaseFee": ""0x1"",
        "eth_blockNumber": ""0x2"",
        "eth_call": ""0x0000000000000000000000000000000000000000000000000000000000000001"",
        "eth_capabilities": "{"head":{"number":"0x2","hash":"<scene: block 2>"}… 651 characters, 0x06b5bdf2",
        "eth_chainId": ""0x7a69"",
        "eth_coinbase": ""0x0000000000000000000000000000000000000000"",
        "eth_config": "object",
        "eth_createAccessList": "{"accessList":[{"address":"0x5fbdb2315678afecb367f… 246 characters, 0x74bee3b0",
        "eth_estimateGas": ""0x8664"",
        "eth_feeHistory": "{"oldestBlock":"0x1","baseFeePerGas":["0x342770c0"… 247 characters, 0xe5fefaac",
        "eth_fillTransaction": "{"raw":"117 bytes, keccak256 0xaa85117f859d2777","… 601 characters, 0x8668cbe0",
        "eth_gasPrice": ""0x63df142a"",
        "eth_getBalance": ""0x21e19db0f0757bf9dc0"",
        "eth_getBlockByHash": "{"number":"0x1","hash":"<scene: block 1>","parentH… 2924 characters, 0xa323787b",
        "eth_getBlockByNumber": "{"number":"0x2","hash":"<scene: block 2>","parentH… 1849 characters, 0xf099e356",
        "eth_getBlockReceipts": "[{"transactionHash":"0xccf1e56c9e36588480fcd844ca8… 1040 characters, 0xfd5bc912",
        "eth_getBlockTransactionCountByHash": ""0x3"",
        "eth_getBlockTransactionCountByNumber": ""0x1"",
        "eth_getCode": ""1337 bytes, keccak256 0xfd5cd3bb0666e8dc"",
        "eth_getFilterChanges": "[]",
        "eth_getFilterLogs": "[{"address":"0x5fbdb2315678afecb367f032d93f642f641… 578 characters, 0x83cdfc25",
        "eth_getLogs": {
          "preconf": "[{"address":"0x5fbdb2315678afecb367f032d93f642f641… 1738 characters, 0xa93a365d",
          "standard": "[{"address":"0x5fbdb2315678afecb367f032d93f642f641… 1155 characters, 0x6531ef4d",
        },
        "eth_getProof": "object",
        "eth_getRawTransactionByHash": ""112 bytes, keccak256 0x8e86de6f62be4b8a"",
        "eth_getStorageAt": ""0x0000000000000000000000000000000000000000000000000000000000000000"",
        "eth_getStorageValues": "{"0xe7f1725e7734ce288f8367e1bb143e90bb3f0512":["0x… 302 characters, 0x165aa232",
        "eth_getTransactionByBlockHashAndIndex": "{"hash":"0x8e86de6f62be4b8a7dd1cfc0722248516e275cb… 571 characters, 0x0300acaf",
        "eth_getTransactionByBlockNumberAndIndex": {
          "preconf": "{"hash":"0x0b53ecfc0e6d41be9bdf2bc836482f98745a7ab… 793 characters, 0x3fdf3598",
          "standard": "null",
        },
        "eth_getTransactionByHash": "{"hash":"0x8e86de6f62be4b8a7dd1cfc0722248516e275cb… 571 characters, 0x0300acaf",
        "eth_getTransactionBySenderAndNonce": "{"hash":"0xca46f45af71e7ebe53bf79ba91cf9deacd46499… 650 characters, 0xd0e8b414",
        "eth_getTransactionCount": ""0x3"",
        "eth_getTransactionReceipt": "{"transactionHash":"0x8e86de6f62be4b8a7dd1cfc07222… 437 characters, 0x14f77e44",
        "eth_getUncleByBlockHashAndIndex": "null",
        "eth_getUncleByBlockNumberAndIndex": "null",
        "eth_getUncleCountByBlockHash": ""0x0"",
        "eth_getUncleCountByBlockNumber": ""0x0"",
        "eth_maxPriorityFeePerGas": ""0x3b9aca00"",
        "eth_mining": "false",
        "eth_newBlockFilter": ""0x2"",
        "eth_newFilter": ""0x3"",
        "eth_newPendingTransactionFilter": ""0x4"",
        "eth_pendingTransactions": "[{"hash":"0x2d43b111a23d4ddc5735af521a16b5474e4635… 1818 characters, 0xd8e4efb8",
        "eth_requestAccounts": "["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","0x7… 451 characters, 0x5aeac41e",
        "eth_sendRawTransaction": ""0xd498cd4abf2db51efed63b9e78d6f88b68ec1584ea4663febc0269f2c57b36cd"",
        "eth_sendRawTransactionSync": "object",
        "eth_sendTransaction": ""0x0143db64d3ba6440c8d0f2c32bc0ef254f10a385ba588a0d6bc7128c0121093a"",
        "eth_sendTransactionSync": "object",
        "eth_sendUnsignedTransaction": ""0xfcdcb2a3d0b236870460c27c1059bbca13481bf1ab12cedd8c4891df833e5d2c"",
        "eth_sign": ""0x87b638f4675a39ef49eb0379a7f5d248affd109cc6cb5b6… 134 characters, 0x3e69ec70",
        "eth_signTransaction": ""181 bytes, keccak256 0x95b3ece1c8107c16"",
        "eth_signTypedData_v4": ""0x6ffd15265d3208e974c8c1097810518d8d192c3b231fdc0… 134 characters, 0x6248b39c",
        "eth_simulateV1": {
          "preconf": "object",
          "standard": ""error -32601 the method eth_simulateV1 does not exist/is not available"",
        },
        "eth_subscribe": ""0x1"",
        "eth_syncing": "false",
        "eth_uninstallFilter": "true",
        "eth_unsubscribe": "true",
        "evm_increaseTime": ""0x5"",
        "evm_mine": ""0x0"",
        "evm_revert": "true",
        "evm_setAutomine": "null",
        "evm_setBlockGasLimit": "true",
        "evm_setIntervalMining": "null",
        "evm_setNextBlockTimestamp": "null",
        "evm_setTime": ""0x60"",
        "evm_snapshot": ""0x2"",
        "hardhat_dropTransaction": "true",
        "hardhat_metadata": "object",
        "hardhat_mine": "null",
        "hardhat_setBlockTimestampInterval": "null",
        "miner_start": "true",
        "miner_stop": "true",
        "net_listening": "true",
        "net_version": ""31337"",
        "ots_getApiLevel": "8",
        "ots_getBlockDetails": "{"block":{"number":"0x2","hash":"<scene: block 2>"… 1138 characters, 0x08ad5ab1",
        "ots_getBlockDetailsByHash": "{"block":{"number":"0x1","hash":"<scene: block 1>"… 1127 characters, 0x5cbde03d",
        "ots_getBlockTransactions": "{"fullblock":{"number":"0x1","hash":"<scene: block… 3163 characters, 0x407e49d2",
        "ots_getContractCreator": "{"hash":"0xca46f45af71e7ebe53bf79ba91cf9deacd46499… 132 characters, 0x9e82458c",
        "ots_getInternalOperations": "[]",
        "ots_getTransactionBySenderAndNonce": ""0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28"",
        "ots_getTransactionError": ""0x"",
        "ots_hasCode": "true",
        "ots_searchTransactionsAfter": {
          "preconf": "{"txs":[{"hash":"0x1a4da674501c4b3b507db20f222e1fe… 5487 characters, 0xff1a4c87",
          "standard": "{"txs":[{"hash":"0xccf1e56c9e36588480fcd844ca89c4b… 3619 characters, 0x9bfee499",
        },
        "ots_searchTransactionsBefore": {
          "preconf": "{"txs":[{"hash":"0x0b53ecfc0e6d41be9bdf2bc836482f9… 3186 characters, 0x7880c50d",
          "standard": "{"txs":[{"hash":"0xccf1e56c9e36588480fcd844ca89c4b… 4733 characters, 0x86db8549",
        },
        "ots_traceTransaction": "[{"type":"CALL","depth":0,"from":"0x70997970c51812… 184 characters, 0xa4ff880e",
        "personal_sign": ""0x87b638f4675a39ef49eb0379a7f5d248affd109cc6cb5b6… 134 characters, 0x3e69ec70",
        "testing_buildBlockV1": "object",
        "trace_block": "[{"type":"call","action":{"callType":"call","from"… 625 characters, 0xf10384e1",
        "trace_filter": "[{"type":"call","action":{"callType":"call","from"… 2088 characters, 0x724011fa",
        "trace_get": "{"type":"call","action":{"callType":"call","from":… 434 characters, 0x37b3b86c",
        "trace_transaction": "[{"type":"call","action":{"callType":"call","from"… 436 characters, 0xf263a6a1",
        "txpool_content": "{"pending":{"0x3c44cdddb6a900fa2b585dd299e03d12fa4… 1994 characters, 0xedde35b0",
        "txpool_contentFrom": "{"pending":{},"queued":{}}",
        "txpool_inspect": "{"pending":{"0x3c44cdddb6a900fa2b585dd299e03d12fa4… 424 characters, 0xaea553cb",
        "txpool_status": "{"pending":"0x2","queued":"0x1"}",
        "wallet_addEthereumChain": "null",
        "wallet_getCallsStatus": "{"version":"2.0.0","id":"0xb92dc2dcf6b490d6ca39b90… 139 characters, 0x786d1bde",
        "wallet_getCapabilities": "{"0x7a69":{"atomic":{"status":"supported"}}}",
        "wallet_getPermissions": "[{"invoker":"http://localhost","parentCapability":… 574 characters, 0x071f00cd",
        "wallet_requestPermissions": "[{"invoker":"http://localhost","parentCapability":… 574 characters, 0x071f00cd",
        "wallet_revokePermissions": "null",
        "wallet_sendCalls": "{"id":"0xcd091c5a3ce229abee0419dde0340bb040721df6ef72f377b5f8455e2762114e"}",
        "wallet_showCallsStatus": "null",
        "wallet_switchEthereumChain": "null",
        "wallet_watchAsset": "true",
        "web3_clientVersion": "string",
        "web3_sha3": ""0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a"",
      }
    `)
  })
})
