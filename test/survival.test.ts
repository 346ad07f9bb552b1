/** A revert to a snapshot leaves no trace: the chain equals one without the reverted operations. */
import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../src/base/bytes.ts'
import type { ChainOptions, FaultSettings, Hash, Hex } from '../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from './configurations.ts'
import { dump } from './core/sequencer/support.ts'
import { startChain, type TestChain } from './harness.ts'
import { CONTRACT, depthOf, type Operation, operations, perform, STRANGER } from './operations.ts'
import { ask } from './rpc/scene.ts'

type Step =
  | Operation
  | { readonly kind: 'reset' | 'snapshot' }
  | { readonly kind: 'mining'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly kind: 'faults'; readonly faults: FaultSettings }
  | { readonly kind: 'revert'; readonly to: number }

/** Milliseconds from block to block in interval mining. */
const BLOCK_TIME = 1000

const mining = (method: string, ...params: unknown[]) => ({ kind: 'mining' as const, method, params })

const others: fc.WeightedArbitrary<Step>[] = [
  { weight: 10, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      mining('anvil_setAutomine', true),
      mining('anvil_setAutomine', false),
      mining('anvil_setIntervalMining', BLOCK_TIME / 1000),
      mining('anvil_setIntervalMining', 0),
      mining('miner_stop'),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('faults' as const),
      faults: fc.constantFrom<FaultSettings>(
        {},
        { dropEvery: 2 },
        { pendingBehind: 1 },
        { losePreconfBlockEvery: 2 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
]

const steps = operations((operation) =>
  fc.array(fc.oneof({ weight: 50, arbitrary: operation }, ...others), { minLength: 5, maxLength: 30 }),
)

/** The mining mode. */
interface Mining {
  readonly automine: boolean
  /** Seconds; null without interval mining. */
  readonly interval: number | null
}

/** An operation that was not reverted. */
type Survivor =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly answer: unknown }
  /** A reset depends on the clock, whose time is never reverted. */
  | { readonly kind: 'reset'; readonly at: number }
  | { readonly kind: 'mining'; readonly mining: Mining }
  | { readonly kind: 'faults'; readonly faults: FaultSettings }

interface Taken {
  readonly id: Hex
  /** The count of survivors when it was taken. */
  readonly survivors: number
  readonly mining: Mining
  readonly head: number
  readonly hash: Hash | undefined
  /** Whether its block was withdrawn by means other than a revert, or is older than the history. */
  gone: boolean
}

/** Requests that send transactions whose fees they leave to the node. */
const FILLED = /sendTransaction|sendCalls/
const GONE = 'error -32000 state not available'

async function survive({ options }: Configuration, steps: readonly Step[]): Promise<void> {
  const chain = await startChain(options, {}, { skipHeaderValidation: true })
  const history = options.history?.blocks
  let survivors: Survivor[] = []
  const snapshots: Taken[] = []
  const seen = new Set<Hash>()
  for (const one of steps) {
    const before = await headOf(chain)
    let fork = before
    switch (one.kind) {
      case 'snapshot': {
        const id = await chain.snapshot()
        snapshots.push({
          id,
          survivors: survivors.length,
          mining: await miningOf(chain),
          head: before,
          hash: await hashAt(chain, before),
          gone: false,
        })
        break
      }
      case 'revert': {
        const taken = snapshots[one.to % snapshots.length]
        if (taken === undefined) break
        if (taken.gone) {
          // An equal block was sealed again.
          if ((await hashAt(chain, taken.head)) === taken.hash) break
          await expect(chain.revert(taken.id)).rejects.toThrow('state not available')
          break
        }
        snapshots.length = snapshots.indexOf(taken) + 1
        await chain.revert(taken.id)
        survivors = survivors.slice(0, taken.survivors)
        // A snapshot does not cover the mining mode (kits/DECISIONS.md 55).
        survivors.push({ kind: 'mining', mining: await miningOf(chain) })
        break
      }
      case 'reset': {
        const answer = await ask(chain.standard, 'anvil_reset')
        if (history !== undefined && answer === GONE) break
        expect(answer).toBe(true)
        snapshots.length = 0
        survivors.push({ kind: 'reset', at: chain.clock.now() })
        break
      }
      case 'mining':
        await chain.standard.request({ method: one.method, params: one.params })
        survivors.push({ kind: 'mining', mining: await miningOf(chain) })
        break
      case 'faults':
        chain.faults.set(one.faults)
        survivors.push(one)
        break
      default: {
        // The tip of what a node fills in follows from recent blocks, which a revert does not restore if they left the history.
        if (history !== undefined && one.kind === 'ask' && FILLED.test(one.method)) break
        const done = await inSlots(chain, one)
        const answer = await perform(chain, done, options)
        hashesIn(answer, seen)
        const isDone = !/^error/.test(String(answer)) || one.kind === 'importAgain'
        if (isDone && depthOf(one) <= before) fork = before - depthOf(one)
        // A revert does not restore blocks that have left the history.
        if (history !== undefined && answer === GONE) break
        survivors.push({ kind: 'operation', operation: done, answer })
      }
    }
    const oldest = (await headOf(chain)) - (history ?? Number.POSITIVE_INFINITY)
    for (const taken of snapshots) taken.gone ||= taken.head > fork || taken.head <= oldest
  }
  const fresh = await startChain(options, {}, { skipHeaderValidation: true })
  for (const survivor of survivors) await repeat(fresh, survivor, options)
  const read = history === undefined ? observe : (one: TestChain) => observeWithin(history, one, seen)
  expect(await read(chain, seen)).toEqual(await read(fresh, seen))
  await chain.finish()
  await fresh.finish()
}

async function repeat(fresh: TestChain, survivor: Survivor, options: ChainOptions): Promise<void> {
  switch (survivor.kind) {
    case 'operation': {
      const { operation, answer } = survivor
      return expect(await perform(fresh, operation, options), JSON.stringify(operation, toText)).toEqual(
        answer,
      )
    }
    case 'reset': {
      const now = await miningOf(fresh)
      await setMining(fresh, { ...now, interval: null })
      await fresh.clock.advance(survivor.at - fresh.clock.now())
      await setMining(fresh, now)
      await fresh.standard.request({ method: 'anvil_reset' })
      return
    }
    case 'mining':
      return setMining(fresh, survivor.mining)
    case 'faults':
      fresh.faults.set(survivor.faults)
  }
}

async function miningOf({ standard }: TestChain): Promise<Mining> {
  return {
    automine: (await standard.request({ method: 'anvil_getAutomine' })) as boolean,
    interval: (await standard.request({ method: 'anvil_getIntervalMining' })) as number | null,
  }
}

async function setMining({ standard }: TestChain, { automine, interval }: Mining): Promise<void> {
  await standard.request({ method: 'anvil_setAutomine', params: [automine] })
  await standard.request({ method: 'anvil_setIntervalMining', params: [interval ?? 0] })
}

/**
 * The operation to perform: in interval mining, an advance is rounded to whole slots, so that slots begin at the same
 * times of the chain regardless of reverts.
 */
async function inSlots(chain: TestChain, operation: Operation): Promise<Operation> {
  if (operation.kind !== 'advance' || (await miningOf(chain)).interval === null) return operation
  return { ...operation, ms: operation.ms - (operation.ms % BLOCK_TIME) }
}

/** What does not depend on earlier blocks, and, once those have left the history, everything that can be read. */
async function observeWithin(history: number, chain: TestChain, seen: ReadonlySet<Hash>): Promise<unknown> {
  const [pending, pool, state] = [
    await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true]),
    await ask(chain.standard, 'txpool_content'),
    (await stateOf(chain)).accounts,
  ]
  const next = [await chain.tick(), await chain.seal(), await chain.tick()]
  for (let i = 0; i < history; i++) next.push(await chain.seal())
  return {
    pending,
    pool,
    state,
    accounts: await accountReads(chain),
    next,
    after: await observe(chain, seen),
  }
}

/** Everything that can be read, and the next block. @param seen - hashes of blocks and transactions. */
async function observe(chain: TestChain, seen: ReadonlySet<Hash>): Promise<unknown> {
  const read = async () => ({
    views: await dump(chain),
    byHash: await Promise.all([...seen].map((hash) => hashReads(chain, hash))),
    accounts: await accountReads(chain),
    traces: [
      await ask(chain.preconf, 'debug_traceBlockByNumber', ['latest', { tracer: 'callTracer' }]),
      await ask(chain.preconf, 'debug_traceBlockByNumber', ['pending', { tracer: 'callTracer' }]),
      await ask(chain.standard, 'trace_block', ['latest']),
    ],
    fees: await ask(chain.preconf, 'eth_feeHistory', ['0x4', 'latest', [50]]),
    node: await ask(chain.preconf, 'anvil_nodeInfo'),
    signers: await ask(chain.preconf, 'eth_accounts'),
    state: await stateOf(chain),
  })
  const now = await read()
  const next = [await chain.tick(), await chain.seal(), await chain.tick()]
  return { now, next, after: await read() }
}

/** The answers for a hash of a block or a transaction, on both views. */
async function hashReads(chain: TestChain, hash: Hash): Promise<unknown> {
  const reads = []
  for (const provider of [chain.standard, chain.preconf]) {
    reads.push(
      await ask(provider, 'eth_getBlockByHash', [hash, false]),
      await ask(provider, 'chain_transactionStatus', [hash]),
      await ask(provider, 'eth_getTransactionByHash', [hash]),
      await ask(provider, 'eth_getTransactionReceipt', [hash]),
      await ask(provider, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }]),
    )
  }
  return [hash, reads]
}

async function accountReads(chain: TestChain): Promise<unknown> {
  const reads = []
  for (const tag of ['latest', 'pending']) {
    for (const { address } of chain.accounts.slice(0, 3)) {
      reads.push(await ask(chain.preconf, 'eth_getProof', [address, [], tag]))
    }
    for (const provider of [chain.standard, chain.preconf]) {
      reads.push(
        await ask(provider, 'eth_getCode', [CONTRACT, tag]),
        await ask(provider, 'eth_getStorageAt', [CONTRACT, '0x1', tag]),
        await ask(provider, 'eth_getStorageAt', [CONTRACT, '0x0', tag]),
        await ask(provider, 'eth_getBalance', [STRANGER, tag]),
        await ask(provider, 'eth_getTransactionCount', [STRANGER, tag]),
        await ask(provider, 'eth_call', [{ from: STRANGER, to: CONTRACT }, tag]),
      )
    }
  }
  return reads
}

/** The state file of a chain. */
async function stateOf(chain: TestChain): Promise<{ accounts: unknown }> {
  const zipped = hexToBytes(await chain.standard.request({ method: 'anvil_dumpState' }))
  const plain = new Blob([zipped as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(plain).json()) as { accounts: unknown }
}

async function headOf(chain: TestChain): Promise<number> {
  return Number(await chain.standard.request({ method: 'eth_blockNumber' }))
}

async function hashAt({ standard }: TestChain, number: number): Promise<Hash | undefined> {
  const params = [numberToHex(number), false] as const
  return (await standard.request({ method: 'eth_getBlockByNumber', params }))?.hash ?? undefined
}

/** Adds all hashes in an answer to `seen`. */
function hashesIn(answer: unknown, seen: Set<Hash>): void {
  if (typeof answer === 'string' && /^0x[0-9a-f]{64}$/.test(answer)) seen.add(answer as Hash)
  if (typeof answer !== 'object' || answer === null || !('block' in answer)) return
  const { hash, transactions } = answer.block as { hash: Hash; transactions: readonly { hash: Hash }[] }
  for (const one of [hash, ...transactions.map((transaction) => transaction.hash)]) seen.add(one)
}

function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

describe('a revert to a snapshot', () => {
  it.each(CONFIGURATIONS)(
    'leaves the chain equal to a fresh one that ran only the operations that survived: $name',
    async (configuration) => {
      const property = fc.asyncProperty(steps, (all) => survive(configuration, all))
      await fc.assert(property, runsOf(configuration))
    },
  )
})
