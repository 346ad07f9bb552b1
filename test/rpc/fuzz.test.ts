import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Provider } from '../../src/index.ts'
import { systemClock } from '../../src/index.ts'
import { PresealRpcError } from '../../src/primitives/errors.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { runs } from '../full.ts'
import { edit, freeze, junk, mutate } from './mutations.ts'
import { send, startScene } from './scene.ts'
import { validParams } from './validParams.ts'

const RUNS = runs(3000, 10_000)

const WAITING: readonly unknown[] = ['eth_sendRawTransactionSync', 'eth_sendTransactionSync']

describe('random requests', () => {
  it(`are answered with a result, or an error other than an internal one, ${RUNS.numRuns} times`, async () => {
    // Calls can name any amount of gas; the limit keeps them cheap.
    const scene = await startScene({ limits: { gasCap: 200_000n } }, { skipHeaderValidation: true })
    const { chain, accounts } = scene
    const errors: Error[] = []
    chain.on('error', (error) => errors.push(error))
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
        if (!(error instanceof PresealRpcError)) throw error
        expect(error.code).not.toBe(-32603)
        counts.refused += 1
      }
    }
    await fc.assert(
      fc.asyncProperty(request, fc.boolean(), async (args, onPreconf) => {
        const { method, params } = (args ?? {}) as { method?: unknown; params?: unknown[] }
        const waits = WAITING.includes(method) && Array.isArray(params)
        // Whatever the mutations did, the timeout is 0: the clock stands still.
        const bounded = waits ? { method, params: [params[0], '0x0'] } : args
        const asked = answer(onPreconf ? chain.preconf : chain.standard, freeze(bounded))
        if (waits) {
          await systemClock.yield()
          await chain.clock.advance(0)
        }
        await asked
      }),
      { ...RUNS, endOnFailure: true },
    )
    expect(errors).toEqual([])
    expect(counts.results).toBeGreaterThan(RUNS.numRuns / 5)
    expect(counts.refused).toBeGreaterThan(RUNS.numRuns / 5)

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
