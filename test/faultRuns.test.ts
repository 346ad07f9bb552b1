/** Random runs with injected faults: sealed blocks are correct, and no fault has a lasting effect. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FaultSettings, Hash, PresealRpcLog } from '../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from './configurations.ts'
import { dump, hashesOf, LOGGING, sign } from './core/sequencer/support.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'

/** Faults of the preconf view. */
const viewFaults = {
  pendingBehind: fc.integer({ min: 1, max: 4 }),
  headAtBoundary: fc.boolean(),
  losePreconfBlockEvery: fc.integer({ min: 1, max: 4 }),
  repeatPreconfBlockEvery: fc.integer({ min: 1, max: 3 }),
  zeroHash: fc.boolean(),
  contextBehind: fc.integer({ min: 1, max: 4 }),
  missReceiptEvery: fc.integer({ min: 1, max: 3 }),
}
const chainFaults = {
  missTickEvery: fc.integer({ min: 1, max: 4 }),
  tickDelay: fc.integer({ min: 1, max: 700 }),
  dropEvery: fc.integer({ min: 1, max: 4 }),
}

type Step =
  | { readonly kind: 'send'; readonly from: number }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'tick' | 'seal' | 'retract' | 'setBalance' | 'poll' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), from: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(900) }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('tick', 'seal', 'retract', 'setBalance', 'poll').map((kind) => ({ kind })),
  },
)
const steps = fc.array(step, { minLength: 5, maxLength: 25 })

/** Starts a chain, records its events, and runs steps on it. */
async function startRun({ options }: Configuration, faults: FaultSettings) {
  const chain = await startChain({ blockTime: 1000, ...options })
  const before = await chain.snapshot()
  chain.start()
  chain.faults.set(faults)
  const events: unknown[] = []
  const sealed: Hash[] = []
  const dropped: Hash[] = []
  /** Blocks that differ from their last preconf block. */
  const mismatches: Hash[] = []
  let preconfirmed: Hash | undefined
  chain.on('preconf', (preconfBlock) => {
    events.push(preconfBlock)
    preconfirmed = preconfBlock.block.hash
  })
  chain.on('block', (block) => {
    events.push(block)
    sealed.push(...hashesOf(block))
    if (preconfirmed !== undefined && block.block.hash !== preconfirmed) mismatches.push(block.block.hash)
  })
  chain.on('retracted', (retracted) => events.push(retracted))
  chain.on('dropped', (drop) => {
    events.push(drop)
    dropped.push(drop.hash)
  })
  const filter = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
  const polled = new Map<string, number>()
  const poll = async () => {
    const changes = await ask(chain.preconf, 'eth_getFilterChanges', [filter])
    if (changes === 'error -32000 state not available') return
    for (const log of changes as PresealRpcLog[]) {
      const { transactionHash } = log
      polled.set(transactionHash, (polled.get(transactionHash) ?? 0) + (log.removed ? -1 : 1))
    }
  }
  let sends = 0
  const run = async (step: Step): Promise<unknown> => {
    if (step.kind === 'send') {
      sends += 1
      return sendLog(chain, step.from, sends)
    }
    if (step.kind === 'advance') return chain.clock.advance(step.ms)
    if (step.kind === 'poll') return poll()
    if (step.kind === 'tick' || step.kind === 'seal') return chain[step.kind]()
    if (step.kind === 'setBalance') {
      return ask(chain.preconf, 'anvil_setBalance', [chain.accounts[2]!.address, '0xffffffffffffffff'])
    }
    // Rejected if there is no preconf block to withdraw.
    return chain.retract({ preconfBlocks: 1 }).catch(() => {})
  }
  return { chain, before, events, sealed, dropped, mismatches, polled, poll, run }
}

/** Sends a transaction with a log and the sender's next nonce. @param value - wei, to make each transaction unique. */
async function sendLog(chain: TestChain, from: number, value: number): Promise<unknown> {
  const { address } = chain.accounts[from]!
  const nonce = Number(await ask(chain.standard, 'eth_getTransactionCount', [address, 'pending']))
  const raw = await sign(chain, { from, nonce, value: BigInt(value), ...LOGGING })
  return ask(chain.preconf, 'eth_sendRawTransaction', [raw])
}

describe('runs with injected faults', () => {
  it.each(CONFIGURATIONS)(
    'with faults of the view, differ from runs without faults on preconf only: $name',
    async (configuration) => {
      const view = fc.record(viewFaults, { requiredKeys: [] })
      await fc.assert(
        fc.asyncProperty(view, steps, async (faults, all) => {
          const [faulty, correct] = [await startRun(configuration, faults), await startRun(configuration, {})]
          for (const step of all) {
            await faulty.run(step)
            await correct.run(step)
          }
          expect(faulty.events).toEqual(correct.events)
          expect(correct.mismatches).toEqual([])
          const [standard] = (await dump(correct.chain)) as [unknown]
          expect(((await dump(faulty.chain)) as [unknown])[0]).toEqual(standard)
          // Filters deliver what they missed once it is sealed or no longer hidden.
          faulty.chain.faults.clear()
          await Promise.all([faulty.poll(), correct.poll()])
          // Except logs that have left the history meanwhile, for which they fail.
          if (configuration.options.history === undefined) {
            expect(deliveredLogs(faulty.polled)).toEqual(deliveredLogs(correct.polled))
          }
          expect(await dump(faulty.chain)).toEqual(await dump(correct.chain))
        }),
        runsOf(configuration),
      )
    },
  )

  // With a short history, the chain cannot be reverted to the start.
  const LONG = CONFIGURATIONS.filter(({ options }) => options.history === undefined)

  it.each(LONG)(
    'seal the last preconf block without dropped transactions, and leave no trace after a revert: $name',
    async (configuration) => {
      const any = fc.record({ ...viewFaults, ...chainFaults }, { requiredKeys: [] })
      const runPlain = async (chain: TestChain) => {
        const events: unknown[] = []
        chain.on('preconf', (preconfBlock) => events.push(preconfBlock))
        for (const from of [0, 1, 0, 2]) {
          await sendLog(chain, from, events.length)
          await chain.tick()
        }
        events.push(await chain.seal(), await dump(chain))
        return events
      }
      const correct = await startRun(configuration, {})
      correct.chain.stop()
      const expected = await runPlain(correct.chain)
      await fc.assert(
        fc.asyncProperty(any, steps, async (faults, all) => {
          const { chain, before, sealed, dropped, mismatches, run } = await startRun(configuration, faults)
          for (const step of all) await run(step)
          await chain.seal()
          expect(mismatches).toEqual([])
          expect(dropped.filter((hash) => sealed.includes(hash))).toEqual([])
          chain.stop()
          await chain.revert(before)
          expect(chain.faults.current).toEqual({})
          expect(await runPlain(chain)).toEqual(expected)
          await chain.finish()
        }),
        runsOf(configuration),
      )
    },
  )
})

/** The transactions whose logs were delivered and not removed. */
function deliveredLogs(polled: ReadonlyMap<string, number>): [string, number][] {
  return [...polled].filter(([, times]) => times !== 0).sort()
}
