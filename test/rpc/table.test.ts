import { expect, it } from 'vitest'
import { CHEATS } from '../../src/rpc/cheats.ts'
import { METHODS } from '../../src/rpc/table.ts'

/** The methods of the wire, each by itself; the cheats go by many names and are listed by one of them. */
const methods = Object.keys(METHODS).filter((name) => !Object.hasOwn(CHEATS, name))

it('serves exactly these methods', () => {
  expect(methods).toMatchInlineSnapshot(`
    [
      "chain_transactionStatus",
      "debug_getRawBlock",
      "debug_getRawHeader",
      "debug_getRawReceipts",
      "debug_getRawTransaction",
      "debug_traceBlockByHash",
      "debug_traceBlockByNumber",
      "debug_traceCall",
      "debug_traceTransaction",
      "eth_accounts",
      "eth_baseFee",
      "eth_blobBaseFee",
      "eth_blockNumber",
      "eth_call",
      "eth_chainId",
      "eth_coinbase",
      "eth_createAccessList",
      "eth_estimateGas",
      "eth_feeHistory",
      "eth_fillTransaction",
      "eth_gasPrice",
      "eth_getBalance",
      "eth_getBlockByHash",
      "eth_getBlockByNumber",
      "eth_getBlockReceipts",
      "eth_getBlockTransactionCountByHash",
      "eth_getBlockTransactionCountByNumber",
      "eth_getCode",
      "eth_getFilterChanges",
      "eth_getFilterLogs",
      "eth_getLogs",
      "eth_getProof",
      "eth_getRawTransactionByHash",
      "eth_getStorageAt",
      "eth_getStorageValues",
      "eth_getTransactionByBlockHashAndIndex",
      "eth_getTransactionByBlockNumberAndIndex",
      "eth_getTransactionByHash",
      "eth_getTransactionBySenderAndNonce",
      "eth_getTransactionCount",
      "eth_getTransactionReceipt",
      "eth_getUncleByBlockHashAndIndex",
      "eth_getUncleByBlockNumberAndIndex",
      "eth_getUncleCountByBlockHash",
      "eth_getUncleCountByBlockNumber",
      "eth_maxPriorityFeePerGas",
      "eth_mining",
      "eth_newBlockFilter",
      "eth_newFilter",
      "eth_newPendingTransactionFilter",
      "eth_requestAccounts",
      "eth_sendRawTransaction",
      "eth_sendRawTransactionSync",
      "eth_sendTransaction",
      "eth_sendTransactionSync",
      "eth_sendUnsignedTransaction",
      "eth_sign",
      "eth_signTransaction",
      "eth_signTypedData_v4",
      "eth_simulateV1",
      "eth_subscribe",
      "eth_syncing",
      "eth_uninstallFilter",
      "eth_unsubscribe",
      "net_listening",
      "net_version",
      "personal_sign",
      "trace_block",
      "trace_filter",
      "trace_get",
      "trace_transaction",
      "txpool_content",
      "txpool_contentFrom",
      "txpool_inspect",
      "txpool_status",
      "wallet_addEthereumChain",
      "wallet_getPermissions",
      "wallet_requestPermissions",
      "wallet_revokePermissions",
      "wallet_switchEthereumChain",
      "web3_clientVersion",
      "web3_sha3",
      "base_transactionStatus",
    ]
  `)
})

it('serves exactly these cheats under the prefix of each dev chain', () => {
  const namesOf = (prefix: string) =>
    Object.keys(CHEATS)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .sort()
  expect(namesOf('anvil_')).toMatchInlineSnapshot(`
    [
      "autoImpersonateAccount",
      "impersonateAccount",
      "increaseTime",
      "removeBlockTimestampInterval",
      "revert",
      "setBlockTimestampInterval",
      "setNextBlockTimestamp",
      "setTime",
      "snapshot",
      "stopImpersonatingAccount",
    ]
  `)
  for (const prefix of ['evm_', 'ganache_', 'hardhat_']) expect(namesOf(prefix)).toEqual(namesOf('anvil_'))
})
