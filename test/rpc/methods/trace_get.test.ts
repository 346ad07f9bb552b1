import { describe, expect, it } from 'vitest'
import { startNests } from '../../core/trace/nest.ts'
import { ask, UNKNOWN } from '../scene.ts'

describe('trace_get', () => {
  it('returns the frame at a trace address of numbers or quantities', async () => {
    const { chain, seal, other } = await startNests()
    const hash = await seal('dive', [other, 3n])
    const traces = await chain.standard.request({ method: 'trace_transaction', params: [hash] })
    expect(traces!.map(({ traceAddress }) => traceAddress)).toEqual([[], [0], [0, 0], [0, 0, 0]])
    const get = (...params: unknown[]) => chain.standard.request({ method: 'trace_get', params } as never)
    expect(await get(hash, [])).toEqual(traces![0])
    expect(await get(hash, ['0x0'])).toEqual(traces![1])
    expect(await get(hash, [0, '0x0', 0])).toEqual(traces![3])
    expect(await get(hash, [1])).toBe(null)
    expect(await get(UNKNOWN, [])).toBe(null)
    expect(await ask(chain.standard, 'trace_get', [hash, [-1]])).toBe(
      'error -32602 invalid argument 1[0]: expected an integer >= 0',
    )
  })
})
