import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PresealRpcError } from '../../src/base/errors.ts'
import type { Provider } from '../../src/index.ts'
import { systemClock } from '../../src/index.ts'
import { runs } from '../full.ts'
import { freeze } from './mutations.ts'
import { canWait, randomRequests, withoutWaiting } from './randomRequests.ts'
import { send, startScene } from './scene.ts'
import { validParams } from './validParams.ts'

const RUNS = runs(1500, 10_000)

describe('random requests', () => {
  it(`are answered with a result, or an error other than an internal one, ${RUNS.numRuns} times`, async () => {
    // Calls can name any amount of gas; the limit keeps them cheap.
    const scene = await startScene({ limits: { gasCap: 200_000n } }, { skipHeaderValidation: true })
    const { chain, accounts } = scene
    const errors: Error[] = []
    chain.on('error', (error) => errors.push(error))
    const request = randomRequests(await validParams(scene))
    const counts = { results: 0, refused: 0 }
    const answer = async (provider: Provider, args: unknown) => {
      try {
        const result = await provider.request(args as { method: string })
        expect(result).not.toBe(undefined)
        counts.results += 1
      } catch (error) {
        if (!(error instanceof PresealRpcError)) throw error
        expect(error.code).not.toBe(-32603)
        counts.refused += 1
      }
    }
    await fc.assert(
      fc.asyncProperty(request, fc.boolean(), async (args, onPreconf) => {
        const bounded = freeze(withoutWaiting(args))
        const asked = answer(onPreconf ? chain.preconf : chain.standard, bounded)
        if (canWait(args)) {
          await systemClock.yield()
          await chain.clock.advance(0)
        }
        await asked
      }),
      { ...RUNS, endOnFailure: true },
    )
    expect(errors).toEqual([])
    // A quarter have results on average, fewer if an early request changes what the later ones meet.
    expect(counts.results).toBeGreaterThan(RUNS.numRuns / 20)
    expect(counts.refused).toBeGreaterThan(RUNS.numRuns / 20)

    // The reset clears all settings of the blocks to come except the mining mode.
    await chain.standard.request({ method: 'miner_stop' })
    await chain.standard.request({ method: 'anvil_reset' })
    const hash = await send(chain, 9, { nonce: 0, to: accounts[0]!, value: 1n })
    expect((await chain.tick()).block.transactions.map((tx) => tx.hash)).toContain(hash)
    const { block } = await chain.seal()
    expect(
      await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['latest', true] }),
    ).toEqual(block)
  })
})
