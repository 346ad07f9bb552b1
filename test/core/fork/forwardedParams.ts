/** Requests of each method that reads blocks, all of them about blocks up to block 2. */
import { probeCall, type Scene, tokenCall } from '../../rpc/scene.ts'

/** Blocks of each form of a parameter; the head is block 2. */
function blockForms({ first, second }: Scene): readonly unknown[] {
  return [
    'earliest',
    'finalized',
    'safe',
    'latest',
    '0x0',
    '0x1',
    '0x2',
    { blockNumber: '0x1' },
    first.block.hash,
    { blockHash: first.block.hash },
    { blockHash: second.block.hash, requireCanonical: true },
  ]
}

const POSITIONS = ['earliest', 'finalized', 'safe', 'latest', '0x0', '0x1', '0x2']

/** Params by method, on a fork at block 2 and on the forked node the same. */
export async function forwardedParams(scene: Scene): Promise<Record<string, readonly unknown[][]>> {
  const { chain, accounts, token, probe, first, second } = scene
  const [alice, bob] = accounts
  const blocks = blockForms(scene)
  const hashes = [first.block.hash, second.block.hash]
  const transactions = [...first.block.transactions, ...second.block.transactions].map(({ hash }) => hash)
  const call = { from: bob, to: token, data: tokenCall('balanceOf', [alice]), gas: '0x186a0' }
  const each = (values: readonly unknown[], ...before: unknown[]) => values.map((value) => [...before, value])
  const withIndex = (values: readonly unknown[]) =>
    values.flatMap((value) => [
      [value, '0x0'],
      [value, '0x9'],
    ])
  const raws = await Promise.all(
    hashes.map((hash) => chain.standard.request({ method: 'debug_getRawBlock', params: [hash] })),
  )
  const context = { to: probe, data: probeCall('context'), gas: '0x186a0' }
  return {
    chain_transactionStatus: each(transactions),
    debug_getRawBlock: each(blocks),
    debug_getRawHeader: each(blocks),
    debug_getRawReceipts: each(blocks),
    debug_getRawTransaction: each(transactions),
    debug_traceBlock: raws.map((raw) => [raw, { tracer: 'callTracer' }]),
    debug_traceBlockByHash: hashes.map((hash) => [hash, { tracer: 'callTracer' }]),
    debug_traceBlockByNumber: POSITIONS.map((position) => [position, { tracer: 'callTracer' }]),
    debug_traceCall: [
      ...blocks.map((block) => [call, block, { tracer: 'callTracer' }]),
      [context, '0x1', { txIndex: 1, tracer: 'prestateTracer' }],
      [context, '0x2', { txIndex: 0, tracer: 'prestateTracer' }],
    ],
    debug_traceTransaction: transactions.map((hash) => [hash, { tracer: 'callTracer' }]),
    eth_call: [...each(blocks, call), ...each(blocks.slice(0, 3), context)],
    eth_createAccessList: each(blocks, call),
    eth_estimateGas: each(blocks, call),
    eth_feeHistory: [
      ...POSITIONS.map((position) => ['0x1', position, [10, 50]]),
      ['0x9', 'latest'],
      [2, '0x1', []],
      ['0x3', '0x2', [25]],
    ],
    eth_getBalance: [...each(blocks, alice), ...each(blocks, token)],
    eth_getBlockByHash: hashes.flatMap((hash) => [[hash, true], [hash, false], [hash]]),
    eth_getBlockByNumber: POSITIONS.flatMap((position) => [
      [position, true],
      [position, false],
    ]),
    eth_getBlockReceipts: each(blocks),
    eth_getBlockTransactionCountByHash: each(hashes),
    eth_getBlockTransactionCountByNumber: each(POSITIONS),
    eth_getCode: each(blocks, token),
    eth_getLogs: [
      [{ fromBlock: 'earliest', toBlock: 'latest' }],
      [{ fromBlock: '0x2', address: token }],
      [{ fromBlock: '0x0', toBlock: '0x1', topics: [null] }],
      [{ blockHash: second.block.hash }],
      [{ blockHash: first.block.hash, address: [token, probe] }],
    ],
    eth_getProof: each(blocks, token, ['0x0', `0x${'ab'.repeat(32)}`]),
    eth_getRawTransactionByHash: each(transactions),
    eth_getStorageAt: each(blocks, token, '0x0'),
    eth_getStorageValues: each(blocks, { [token]: ['0x0', '0x2'], [probe]: ['0x7'] }),
    eth_getTransactionByBlockHashAndIndex: withIndex(hashes),
    eth_getTransactionByBlockNumberAndIndex: withIndex(POSITIONS),
    eth_getTransactionByHash: each(transactions),
    eth_getTransactionBySenderAndNonce: each(['0x0', '0x1', '0x2'], alice),
    eth_getTransactionCount: each(blocks, alice),
    eth_getTransactionReceipt: each(transactions),
    eth_getUncleByBlockHashAndIndex: withIndex(hashes),
    eth_getUncleByBlockNumberAndIndex: withIndex(POSITIONS),
    eth_getUncleCountByBlockHash: each(hashes),
    eth_getUncleCountByBlockNumber: each(POSITIONS),
    eth_simulateV1: each(['earliest', 'safe', '0x1', { blockHash: first.block.hash }], {
      blockStateCalls: [{ calls: [call] }],
    }),
    erigon_getHeaderByNumber: each([...POSITIONS, 1]),
    ots_getBlockDetails: each([...POSITIONS, 1]),
    ots_getBlockDetailsByHash: each(hashes),
    ots_getBlockTransactions: [
      ['latest', 0, 25],
      [1, 0, 2],
      ['0x1', 1, 2],
      ['earliest', 0, 1],
    ],
    ots_getInternalOperations: each(transactions),
    ots_getTransactionBySenderAndNonce: each([0, '0x1', 2], alice),
    ots_getTransactionError: each(transactions),
    ots_hasCode: [...each(blocks, token), ...each(blocks, alice), [token]],
    ots_traceTransaction: each(transactions),
    trace_block: each(blocks),
    trace_filter: [
      [{}],
      [{ fromBlock: '0x1', toBlock: '0x2', after: 1, count: 2 }],
      [{ toAddress: [token], count: 1 }],
    ],
    trace_get: transactions.map((hash) => [hash, []]),
    trace_transaction: each(transactions),
  }
}
