import { describe, expect, it } from 'vitest'
import type { Hash, Hex } from '../../../src/index.ts'
import { ask, probeCall, send, startScene, UNKNOWN } from '../scene.ts'

describe('ots_getTransactionError', () => {
  it('returns the revert data, and 0x for a transaction that did not revert', async () => {
    const { chain, probe, first } = await startScene()
    const reverting = await send(chain, 5, { nonce: 0, to: probe, data: probeCall('fail') })
    const failing = await send(chain, 6, {
      nonce: 0,
      to: probe,
      data: probeCall('set', [1n, 1n]),
      gas: 22_000n,
    })
    await chain.seal()
    const data = await ask(chain.standard, 'debug_traceTransaction', [reverting, { tracer: 'callTracer' }])
    const error = (hash: Hash) => ask(chain.standard, 'ots_getTransactionError', [hash])
    expect(await error(reverting)).toBe((data as { output: Hex }).output)
    expect(await error(failing)).toBe('0x')
    expect(await error(first.block.transactions[0]!.hash)).toBe('0x')
    expect(await error(UNKNOWN)).toBe('error -32000 transaction not found')
  })
})
