/** Whatever goes wrong on purpose: what is sealed is right, and nothing of it is left. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FaultSettings, Hash, PresealRpcLog } from '../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from './configurations.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'
import { dump, hashesOf, LOGGING, sign } from './sequencer/support.ts'

/** Faults of the preconf view, all off in one of two. */
const seen = {
  pendingBehind: fc.integer({ min: 1, max: 4 }),
  headAtBoundary: fc.boolean(),
  loseSnapshotEvery: fc.integer({ min: 1, max: 4 }),
  repeatSnapshotEvery: fc.integer({ min: 1, max: 3 }),
  zeroHash: fc.boolean(),
  contextBehind: fc.integer({ min: 1, max: 4 }),
  missReceiptEvery: fc.integer({ min: 1, max: 3 }),
}
const made = {
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

/** A chain that is done things to, and what it tells. */
async function startRun({ options }: Configuration, faults: FaultSettings) {
  const chain = await startChain({ blockTime: 1000, ...options })
  const before = await chain.snapshot()
  chain.start()
  chain.faults.set(faults)
  const told: unknown[] = []
  const sealed: Hash[] = []
  const dropped: Hash[] = []
  /** Blocks that are not as the last snapshot had them. */
  const broken: Hash[] = []
  let promised: Hash | undefined
  chain.on('preconf', (snapshot) => {
    told.push(snapshot)
    promised = snapshot.block.hash
  })
  chain.on('block', (block) => {
    told.push(block)
    sealed.push(...hashesOf(block))
    if (promised !== undefined && block.block.hash !== promised) broken.push(block.block.hash)
  })
  chain.on('retracted', (retracted) => told.push(retracted))
  chain.on('dropped', (drop) => {
    told.push(drop)
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
  const run = async (one: Step): Promise<unknown> => {
    if (one.kind === 'send') {
      sends += 1
      return sendLog(chain, one.from, sends)
    }
    if (one.kind === 'advance') return chain.clock.advance(one.ms)
    if (one.kind === 'poll') return poll()
    if (one.kind === 'tick' || one.kind === 'seal') return chain[one.kind]()
    if (one.kind === 'setBalance') {
      return ask(chain.preconf, 'anvil_setBalance', [chain.accounts[2]!.address, '0xffffffffffffffff'])
    }
    // Refused where there is no snapshot to withdraw.
    return chain.retract({ snapshots: 1 }).catch(() => {})
  }
  return { chain, before, told, sealed, dropped, broken, polled, poll, run }
}

/** Sends what leaves a log, after all that is pre-confirmed or waits. @param value - in wei; by it no two are the same. */
async function sendLog(chain: TestChain, from: number, value: number): Promise<unknown> {
  const { address } = chain.accounts[from]!
  const nonce = Number(await ask(chain.standard, 'eth_getTransactionCount', [address, 'pending']))
  const raw = await sign(chain, { from, nonce, value: BigInt(value), ...LOGGING })
  return ask(chain.preconf, 'eth_sendRawTransaction', [raw])
}

describe('runs with injected faults', () => {
  it.each(CONFIGURATIONS)(
    'shows on preconf alone where it is a fault of the view: $name',
    async (configuration) => {
      const view = fc.record(seen, { requiredKeys: [] })
      await fc.assert(
        fc.asyncProperty(view, steps, async (faults, all) => {
          const [spoilt, sound] = [await startRun(configuration, faults), await startRun(configuration, {})]
          for (const one of all) {
            await spoilt.run(one)
            await sound.run(one)
          }
          expect(spoilt.told).toEqual(sound.told)
          expect(sound.broken).toEqual([])
          const [standard] = (await dump(sound.chain)) as [unknown]
          expect(((await dump(spoilt.chain)) as [unknown])[0]).toEqual(standard)
          // What filters missed they deliver once it is sealed, or as soon as nothing hides it.
          spoilt.chain.faults.clear()
          await Promise.all([spoilt.poll(), sound.poll()])
          // But for what has left the history meanwhile, which is told.
          if (configuration.options.history === undefined) {
            expect(standing(spoilt.polled)).toEqual(standing(sound.polled))
          }
          expect(await dump(spoilt.chain)).toEqual(await dump(sound.chain))
        }),
        runsOf(configuration),
      )
    },
  )

  // Where the history is short, there is no return to the start.
  const LONG = CONFIGURATIONS.filter(({ options }) => options.history === undefined)

  it.each(LONG)(
    'seals what was promised last, nothing that was dropped, and leaves nothing behind: $name',
    async (configuration) => {
      const any = fc.record({ ...seen, ...made }, { requiredKeys: [] })
      const story = async (chain: TestChain) => {
        const told: unknown[] = []
        chain.on('preconf', (snapshot) => told.push(snapshot))
        for (const from of [0, 1, 0, 2]) {
          await sendLog(chain, from, told.length)
          await chain.tick()
        }
        told.push(await chain.seal(), await dump(chain))
        return told
      }
      const sound = await startRun(configuration, {})
      sound.chain.stop()
      const expected = await story(sound.chain)
      await fc.assert(
        fc.asyncProperty(any, steps, async (faults, all) => {
          const { chain, before, sealed, dropped, broken, run } = await startRun(configuration, faults)
          for (const one of all) await run(one)
          await chain.seal()
          expect(broken).toEqual([])
          expect(dropped.filter((hash) => sealed.includes(hash))).toEqual([])
          chain.stop()
          await chain.revert(before)
          expect(chain.faults.current).toEqual({})
          expect(await story(chain)).toEqual(expected)
          await chain.finish()
        }),
        runsOf(configuration),
      )
    },
  )
})

/** The transactions whose logs were told of and not taken back. */
function standing(polled: ReadonlyMap<string, number>): [string, number][] {
  return [...polled].filter(([, times]) => times !== 0).sort()
}
