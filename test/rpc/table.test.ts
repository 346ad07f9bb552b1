import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METHODS } from '../../src/rpc/table.ts'

it('serves exactly these methods', () => {
  expect(Object.keys(METHODS)).toMatchInlineSnapshot(`
    [
      "chain_transactionStatus",
      "debug_getRawBlock",
      "debug_getRawHeader",
      "debug_getRawReceipts",
      "debug_getRawTransaction",
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
      "eth_sendRawTransaction",
      "eth_sendRawTransactionSync",
      "eth_simulateV1",
      "eth_subscribe",
      "eth_syncing",
      "eth_uninstallFilter",
      "eth_unsubscribe",
      "net_listening",
      "net_version",
      "txpool_content",
      "txpool_contentFrom",
      "txpool_inspect",
      "txpool_status",
      "web3_clientVersion",
      "web3_sha3",
      "base_transactionStatus",
    ]
  `)
})

it('has each method in a file of its name, and a test beside it', () => {
  const files = (folder: string, ending: string) =>
    readdirSync(new URL(folder, import.meta.url), { encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length))
      .sort()
  const names = Object.keys(METHODS).filter((name) => name !== 'base_transactionStatus')
  expect(files('../../src/rpc/methods/', '.ts')).toEqual(names.sort())
  expect(files('methods/', '.test.ts')).toEqual(names)
})
