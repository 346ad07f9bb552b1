import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainOptions } from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { send } from '../sequencer/support.ts'
import { TIME_CHEATS, TimeModel } from './timeModel.ts'

const START = 1_700_000_000_000

/** The model, and the chain that must agree with it. */
interface Pair {
  readonly chain: TestChain
  readonly model: TimeModel
  readonly isAuto: boolean
  sent: number
  /** Reverts both to the last snapshot. */
  revert: (() => Promise<unknown>) | undefined
}

type Step = (pair: Pair) => Promise<unknown>

const small = fc.nat(20)
const cheat = fc.tuple(fc.constantFrom(...Object.keys(TIME_CHEATS)), small, small)

const step: fc.Arbitrary<readonly [name: string, run: Step]> = fc.oneof(
  {
    weight: 8,
    arbitrary: cheat.map(([method, a, b]) => {
      const { params, apply } = TIME_CHEATS[method]!
      const run: Step = async ({ chain, model }) => {
        await ask(chain.standard, method, params(a, b, model.head))
        apply(model, a, b)
      }
      return [`${method} ${a} ${b}`, run] as const
    }),
  },
  {
    weight: 2,
    arbitrary: small.map((seconds) => {
      const run: Step = async ({ chain, model }) => {
        await chain.increaseTime(seconds)
        model.increaseTime(seconds)
      }
      return [`chain.increaseTime ${seconds}`, run] as const
    }),
  },
  {
    weight: 3,
    arbitrary: fc.nat(9000).map((ms) => {
      const run: Step = async ({ chain, model }) => {
        await chain.advance(ms)
        model.advance(ms)
      }
      return [`advance ${ms}`, run] as const
    }),
  },
  {
    weight: 2,
    arbitrary: fc.nat(3).map((blocks) => {
      const run: Step = async ({ chain, model }) => {
        await chain.mine(blocks)
        model.mine(blocks)
      }
      return [`mine ${blocks}`, run] as const
    }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom<readonly [string, Step]>(
      [
        'seal',
        async ({ chain, model }) => {
          await chain.seal()
          model.seal()
        },
      ],
      ['tick', ({ chain }) => chain.tick()],
      [
        'send',
        async (pair) => {
          const { chain, model } = pair
          const [from, nonce] = [pair.sent % 10, Math.floor(pair.sent / 10)]
          pair.sent += 1
          await send(chain, { from, nonce })
          await chain.tick()
          if (pair.isAuto) model.seal()
          else model.include()
        },
      ],
      [
        'reorg',
        async (pair) => {
          const { chain, model, isAuto } = pair
          // In `auto` mining a withdrawn transaction would be sealed at once.
          if (isAuto || model.timestamps.length === 1) return
          await chain.reorg({ depth: 1 })
          model.reorg()
          // A snapshot on the withdrawn block has gone with it.
          pair.revert = undefined
        },
      ],
      [
        'snapshot',
        async (pair) => {
          const { chain, model } = pair
          const [id, revert, { sent }] = [await chain.snapshot(), model.snapshot(), pair]
          pair.revert = async () => {
            await chain.revert(id)
            revert()
            pair.sent = sent
          }
        },
      ],
      [
        'revert',
        async (pair) => {
          await pair.revert?.()
          pair.revert = undefined
        },
      ],
    ),
  },
)

const options: fc.Arbitrary<ChainOptions> = fc.record({
  mining: fc.constantFrom('manual', 'auto', 'interval'),
  dialect: fc.constantFrom('preconf', 'geth', 'hardhat'),
  allowBlocksWithSameTimestamp: fc.boolean(),
})

async function timestampsOf(chain: TestChain): Promise<readonly number[]> {
  const head = Number(await ask(chain.standard, 'eth_blockNumber'))
  const numbers = Array.from({ length: head + 1 }, (_, number) => `0x${number.toString(16)}`)
  const blocks = await Promise.all(
    numbers.map((number) => ask(chain.standard, 'eth_getBlockByNumber', [number, false])),
  )
  return blocks.map((block) => Number((block as { timestamp: string }).timestamp))
}

describe('the cheats of time', () => {
  it('do what their table says, in any order', async () => {
    const property = fc.asyncProperty(
      options,
      fc.array(step, { minLength: 8, maxLength: 20 }),
      async (chosen, steps) => {
        const chain = await startChain(chosen, {}, { skipHeaderValidation: true })
        const { mining, allowBlocksWithSameTimestamp = false } = chosen
        const blockTime = mining === 'interval' ? 2000 : undefined
        const model = new TimeModel(START, { allowBlocksWithSameTimestamp, ...(blockTime && { blockTime }) })
        const pair: Pair = { chain, model, isAuto: mining === 'auto', sent: 0, revert: undefined }
        for (const [name, run] of steps) {
          await run(pair)
          expect([name, ...(await timestampsOf(chain))]).toEqual([name, ...model.timestamps])
          if (model.shown === undefined) continue
          const pending = await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])
          expect([name, Number((pending as { timestamp: string }).timestamp)]).toEqual([name, model.shown])
        }
        await chain.finish()
      },
    )
    await fc.assert(property, runs(10, 300))
  })
})
