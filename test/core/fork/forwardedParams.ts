/** Requests of each method that reads blocks, all of them about blocks up to block 2. */
import { blockHash, blockParameter, blockPosition } from '../../../src/rpc/params/block.ts'
import { methods } from '../../../src/rpc/table.ts'
import { exampleParams, METHOD_NAMES } from '../../rpc/exampleParams.ts'
import { probeCall, type Scene, tokenCall } from '../../rpc/scene.ts'

const POSITIONS = ['earliest', 'finalized', 'safe', 'latest', '0x0', '0x1', '0x2']

/** Blocks of each form of a parameter; the head is block 2. */
function blockForms({ first, second }: Scene): readonly unknown[] {
  return [
    ...POSITIONS,
    { blockNumber: '0x1' },
    first.block.hash,
    { blockHash: first.block.hash },
    { blockHash: second.block.hash, requireCanonical: true },
  ]
}

/** The methods that the forked node answers, besides those of filters, which are a connection's own. */
export const FORWARDED = METHOD_NAMES.filter((name) => {
  const { onFork = 'local' } = methods.get(name)!
  return onFork !== 'local' && name !== 'eth_getFilterLogs'
})

/**
 * Params by method, on a fork at block 2 and on the forked node the same: the example of each, with other blocks and transactions in
 * place of its own.
 */
export async function forwardedParams(scene: Scene): Promise<Record<string, readonly unknown[][]>> {
  const { chain, first, second } = scene
  const examples = await exampleParams(scene, chain.preconf)
  const hashes: readonly unknown[] = [first.block.hash, second.block.hash]
  const transactions = [...first.block.transactions, ...second.block.transactions].map(({ hash }) => hash)
  const formsOf = (expected: string, value: unknown): readonly unknown[] | undefined => {
    if (expected === blockParameter.expected) return blockForms(scene)
    if (expected === blockPosition.expected) return POSITIONS
    if (expected !== blockHash.expected) return undefined
    return hashes.includes(value) ? hashes : transactions
  }
  const derived = FORWARDED.map((name) => {
    const example = examples[name]!
    const params = methods.get(name)!.params.flatMap(({ expected }, at) => {
      const forms = (at < example.length && formsOf(expected, example[at])) || []
      return forms.map((form) => example.with(at, form))
    })
    return [name, params] as const
  })
  return { ...Object.fromEntries(derived), ...(await ownParams(scene)) }
}

/** Params of methods whose example does not fit every block, or of which one form is not enough. */
async function ownParams(scene: Scene): Promise<Record<string, readonly unknown[][]>> {
  const { chain, accounts, token, probe, first, second } = scene
  const [alice, bob] = accounts
  const blocks = blockForms(scene)
  const hashes = [first.block.hash, second.block.hash]
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
    debug_traceBlock: raws.map((raw) => [raw, { tracer: 'callTracer' }]),
    debug_traceCall: [
      ...blocks.map((block) => [call, block, { tracer: 'callTracer' }]),
      [context, '0x1', { txIndex: 1, tracer: 'prestateTracer' }],
      [context, '0x2', { txIndex: 0, tracer: 'prestateTracer' }],
    ],
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
    eth_getLogs: [
      [{ fromBlock: 'earliest', toBlock: 'latest' }],
      [{ fromBlock: '0x2', address: token }],
      [{ fromBlock: '0x0', toBlock: '0x1', topics: [null] }],
      [{ blockHash: second.block.hash }],
      [{ blockHash: first.block.hash, address: [token, probe] }],
    ],
    eth_getTransactionByBlockHashAndIndex: withIndex(hashes),
    eth_getTransactionByBlockNumberAndIndex: withIndex(POSITIONS),
    eth_getTransactionBySenderAndNonce: each(['0x0', '0x1', '0x2'], alice),
    eth_getUncleByBlockHashAndIndex: withIndex(hashes),
    eth_getUncleByBlockNumberAndIndex: withIndex(POSITIONS),
    eth_simulateV1: each(['earliest', 'safe', '0x1', { blockHash: first.block.hash }], {
      blockStateCalls: [{ calls: [call] }],
    }),
    erigon_getHeaderByNumber: each([...POSITIONS, 1]),
    ots_getBlockDetails: each([...POSITIONS, 1]),
    ots_getBlockTransactions: [
      ['latest', 0, 25],
      [1, 0, 2],
      ['0x1', 1, 2],
      ['earliest', 0, 1],
    ],
    ots_getTransactionBySenderAndNonce: each([0, '0x1', 2], alice),
    ots_hasCode: [...each(blocks, token), ...each(blocks, alice), [token]],
    trace_filter: [
      [{}],
      [{ fromBlock: '0x1', toBlock: '0x2', after: 1, count: 2 }],
      [{ toAddress: [token], count: 1 }],
    ],
  }
}
