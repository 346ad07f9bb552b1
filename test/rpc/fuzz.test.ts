import fc from 'fast-check'
import { parseGwei } from 'viem'
import { expect, it } from 'vitest'
import { RpcError } from '../../src/errors.ts'
import type { Provider } from '../../src/index.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { probeCall, type Scene, send, sign, startScene, tokenCall, UNKNOWN } from './scene.ts'

/** Params that each method answers, or refuses for a reason that lies in the chain. */
async function validParams({
  chain,
  accounts,
  token,
  probe,
  first,
  snapshot,
  waiting,
}: Scene): Promise<Record<string, unknown[][]>> {
  const [alice, bob] = accounts
  const call = { from: bob, to: token, data: tokenCall('transfer', [alice, 1n]), gas: '0x186a0' }
  const context = { to: probe, data: probeCall('context') }
  const blocks = [
    'latest',
    'pending',
    'earliest',
    '0x1',
    { blockHash: first.block.hash },
    snapshot.block.hash,
  ]
  const hashes = [first.block.hash, snapshot.block.hash, UNKNOWN]
  const transactions = [
    first.block.transactions[0]!.hash,
    snapshot.block.transactions[0]!.hash,
    waiting,
    UNKNOWN,
  ]
  const raws = await Promise.all([
    sign(chain, 6, { nonce: 0, to: alice! }),
    sign(chain, 6, { nonce: 1, to: probe, data: probeCall('set', [5n, 5n]) }),
    sign(chain, 7, { nonce: 0, to: alice!, gasPrice: parseGwei('5') }),
    sign(chain, 8, { nonce: 7, to: alice! }),
  ])
  const range = { fromBlock: '0x0', toBlock: 'pending' }
  const each = (values: readonly unknown[], ...before: unknown[]) => values.map((value) => [...before, value])
  return {
    chain_transactionStatus: each(transactions),
    base_transactionStatus: each(transactions),
    eth_call: [
      ...each(blocks, call),
      ...each(blocks, context),
      [
        context,
        'latest',
        { [token]: { balance: '0x1', code: '0x00', stateDiff: { '0x1': '0x2' } } },
        { number: '0x9' },
      ],
      [{ data: '0x600060005360016000f3' }],
    ],
    eth_estimateGas: [...each(blocks, call), [{ to: alice, value: '0x1', gas: '0x5208' }]],
    eth_feeHistory: [
      ['0x2', 'latest', [1, 50]],
      [1, 'pending', []],
    ],
    eth_getBalance: each(blocks, alice),
    eth_getBlockByHash: hashes.map((hash) => [hash, true]),
    eth_getBlockByNumber: [
      ['latest', true],
      ['pending', false],
      ['0x9', false],
    ],
    eth_getBlockReceipts: each(blocks),
    eth_getBlockTransactionCountByHash: each(hashes),
    eth_getBlockTransactionCountByNumber: [['latest'], ['pending']],
    eth_getCode: each(blocks, token),
    eth_getFilterChanges: each(['0x1', '0x2', '0x3', '0x63']),
    eth_getFilterLogs: each(['0x1', '0x2', '0x63']),
    eth_getLogs: [
      [range],
      [{ ...range, address: token, topics: [null, [UNKNOWN, null]] }],
      [{ blockHash: first.block.hash }],
    ],
    eth_getRawTransactionByHash: each(transactions),
    eth_getStorageAt: each(blocks, probe, '0x7'),
    eth_getTransactionByBlockHashAndIndex: [[first.block.hash, '0x0']],
    eth_getTransactionByBlockNumberAndIndex: [['pending', '0x1']],
    eth_getTransactionByHash: each(transactions),
    eth_getTransactionCount: each(blocks, alice),
    eth_getTransactionReceipt: each(transactions),
    eth_newFilter: [[range], [{}]],
    eth_sendRawTransaction: each(raws),
    // It waits for nobody: under the manual clock a timeout above 0 would never pass.
    eth_sendRawTransactionSync: [[raws[3], '0x0']],
    eth_subscribe: [
      ['newHeads'],
      ['logs', { address: token }],
      ['newPreconfTransactions', true],
      ['newPreconfBlocks'],
    ],
    eth_uninstallFilter: each(['0x1', '0x2']),
    eth_unsubscribe: each(['0x1', '0x2']),
    txpool_contentFrom: [[alice]],
    web3_sha3: [['0x00']],
  }
}

/** Anything that JSON can say, and some that it cannot. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(undefined, Number.NaN, -0, 1n, Symbol.iterator, () => 1, new Date(0), new Uint8Array(3)),
  fc.constantFrom(
    '0x',
    '0x0',
    '0x00',
    '0xg',
    'latest',
    'pending',
    '0xffffffffffffffff',
    UNKNOWN,
    `0x${'ff'.repeat(32)}`,
  ),
  fc.string({ maxLength: 8, unit: fc.constantFrom('0', 'x', 'f', '-', '.', 'A') }),
)

type Edit = { readonly at: number; readonly kind: number; readonly value: unknown; readonly n: number }
const edit: fc.Arbitrary<Edit> = fc.record({ at: fc.nat(50), kind: fc.nat(5), value: junk, n: fc.nat(1000) })

/** Changes one place of a value: replaces it, drops it, or alters a character. */
function mutate(value: unknown, { at, kind, value: other, n }: Edit): unknown {
  if (Array.isArray(value) && value.length > 0 && kind !== 0) {
    const copy = [...value]
    const i = at % copy.length
    if (kind === 1) copy.splice(i, 1)
    else if (kind === 2) copy.splice(i, 0, other)
    else copy[i] = mutate(copy[i], { at: n, kind: (kind + n) % 6, value: other, n: at })
    return copy
  }
  if (typeof value === 'object' && value !== null && kind !== 0) {
    const keys = Object.keys(value)
    const key = keys[at % Math.max(1, keys.length)]
    if (key === undefined) return other
    const { [key]: one, ...rest } = value as Record<string, unknown>
    if (kind === 1) return rest
    return { ...rest, [key]: mutate(one, { at: n, kind: (kind + n) % 6, value: other, n: at }) }
  }
  if (typeof value === 'string' && value.length > 2 && kind > 1) {
    const i = 2 + (n % (value.length - 2))
    if (kind === 2) return value.slice(0, i)
    return `${value.slice(0, i)}${'0123456789abcdefgz'[at % 18]}${value.slice(i + (kind === 3 ? 0 : 1))}`
  }
  return other
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const one of Object.values(value)) freeze(one)
  return Object.freeze(value)
}

it('answers 10,000 requests of any kind with a result or an error that is not its own fault', async () => {
  // A call may name all the gas it likes, so the limit keeps it cheap.
  const scene = await startScene({ limits: { callGas: 200_000n } })
  const { chain, accounts } = scene
  const faults: Error[] = []
  chain.on('error', (error) => faults.push(error))
  const valid = await validParams(scene)
  const methods = Object.keys(METHODS)
  const near = fc
    .tuple(fc.constantFrom(...methods), fc.nat(100), fc.array(edit, { maxLength: 2 }))
    .map(([method, which, edits]) => {
      const choices = valid[method] ?? [[]]
      return { method, params: edits.reduce<unknown>(mutate, choices[which % choices.length]) }
    })
  const wild = fc.record({
    method: fc.oneof(
      fc.constantFrom(...methods),
      fc.constantFrom('eth_simulateV1', 'toString', ''),
      fc.string(),
    ),
    params: fc.oneof(fc.array(junk, { maxLength: 4 }), junk),
  })
  const request = fc.oneof(
    { weight: 4, arbitrary: near },
    { weight: 1, arbitrary: wild },
    { weight: 1, arbitrary: junk },
  )
  const counts = { results: 0, refused: 0 }
  const answer = async (provider: Provider, args: unknown) => {
    try {
      const result = await provider.request(args as { method: string })
      expect(result).not.toBe(undefined)
      counts.results += 1
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      expect(error.code).not.toBe(-32603)
      counts.refused += 1
    }
  }
  await fc.assert(
    fc.asyncProperty(request, fc.boolean(), async (args, onPreconf) => {
      const { method, params } = (args ?? {}) as { method?: unknown; params?: unknown[] }
      const waits = method === 'eth_sendRawTransactionSync' && Array.isArray(params)
      // Whatever else became of it, it must not wait for a clock that stands still.
      const bounded = waits ? { method, params: [params[0], '0x0'] } : args
      const asked = answer(onPreconf ? chain.preconf : chain.standard, freeze(bounded))
      if (waits) {
        await new Promise(setImmediate)
        await chain.clock.advance(0)
      }
      await asked
    }),
    { numRuns: 10_000, seed: 7, endOnFailure: true },
  )
  expect(faults).toEqual([])
  expect(counts.results).toBeGreaterThan(2000)
  expect(counts.refused).toBeGreaterThan(2000)

  const hash = await send(chain, 9, { nonce: 0, to: accounts[0]!, value: 1n })
  expect((await chain.tick()).block.transactions.map((tx) => tx.hash)).toContain(hash)
  const { block } = await chain.seal()
  expect(await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })).toEqual(
    block,
  )
})
