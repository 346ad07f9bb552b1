import { describe, expect, it } from 'vitest'
import { ask } from '../../rpc/scene.ts'
import { HEIR, startNests } from './nest.ts'

describe('tracers', () => {
  it('counts selectors, except those of precompiles and creations', async () => {
    const { seal, trace, other } = await startNests()
    const four = { tracer: '4byteTracer' }
    expect(await trace(await seal('calls', [other], { value: 100n }), four)).toEqual({
      '0x7155afca-32': 1,
      '0xf472a58a-32': 3,
      '0x59e02dd7-0': 1,
    })
    expect(await trace(await seal('precompiles', [], { value: 1n }), four)).toEqual({
      '0x61a51e2b-0': 1,
      '0x6e6f626f-2': 1,
    })
    expect(await trace(await seal('creations', [HEIR], { value: 5n }), four)).toEqual({
      '0x3b28d577-32': 1,
      '0xc9353cb5-32': 2,
    })
  })

  it('return an empty object with noopTracer', async () => {
    const { seal, trace, other } = await startNests()
    expect(await trace(await seal('dive', [other, 2n]), { tracer: 'noopTracer' })).toEqual({})
  })

  it('run together in muxTracer, each with its configuration', async () => {
    const { seal, trace, other } = await startNests()
    const hash = await seal('dive', [other, 2n])
    const tracers = {
      callTracer: { withLog: true },
      prestateTracer: { diffMode: true },
      '4byteTracer': null,
      flatCallTracer: { convertParityErrors: true },
      noopTracer: {},
    }
    const separate: Record<string, unknown> = {}
    for (const [tracer, tracerConfig] of Object.entries(tracers)) {
      separate[tracer] = await trace(hash, { tracer, tracerConfig })
    }
    expect(await trace(hash, { tracer: 'muxTracer', tracerConfig: tracers })).toEqual(separate)
    expect(await trace(hash, { tracer: 'muxTracer' })).toEqual({})
  })

  it('work if execution has to load a library', async () => {
    const { chain, nest } = await startNests()
    // Calls the point evaluation precompile without a point, and logs.
    const code = '0x60006000600060006000600a5af15060006000a0'
    const options = {
      tracer: 'callTracer',
      tracerConfig: { withLog: true },
      stateOverrides: { [nest]: { code } },
    }
    const trace = await chain.standard.request({
      method: 'debug_traceCall',
      params: [{ to: nest, gas: '0x186a0' }, 'latest', options],
    })
    expect(trace).toMatchObject({
      calls: [
        { type: 'CALL', to: '0x000000000000000000000000000000000000000a', error: 'precompiled failed' },
      ],
      logs: [{ index: '0x0', position: '0x1' }],
    })
  })

  it('are rejected if unknown, with a separate error for JavaScript', async () => {
    const { chain, seal, other } = await startNests()
    const hash = await seal('dive', [other, 0n])
    const answer = (options: unknown) => ask(chain.standard, 'debug_traceTransaction', [hash, options])
    expect({
      unknown: await answer({ tracer: 'erc7562Tracer' }),
      script: await answer({ tracer: '{ fault() {}, result() { return 1 } }' }),
      within: await answer({ tracer: 'muxTracer', tracerConfig: { muxTracer: {} } }),
      config: await answer({ tracer: 'callTracer', tracerConfig: { withLog: 1 } }),
      'config within': await answer({ tracer: 'muxTracer', tracerConfig: { callTracer: { withLog: 1 } } }),
      'no config': await answer({ tracer: 'muxTracer', tracerConfig: 1 }),
      limit: await answer({ limit: -1 }),
      block: await ask(chain.standard, 'debug_traceBlockByNumber', ['0x0', { tracer: 'fooTracer' }]),
    }).toMatchInlineSnapshot(`
      {
        "block": "error -32602 unknown tracer fooTracer: expected one of callTracer, prestateTracer, 4byteTracer, flatCallTracer, noopTracer, muxTracer",
        "config": "error -32602 invalid argument 1.tracerConfig.withLog: expected a boolean",
        "config within": "error -32602 invalid argument 1.tracerConfig.callTracer.withLog: expected a boolean",
        "limit": "error -32602 invalid argument 1.limit: expected an integer >= 0",
        "no config": "error -32602 invalid argument 1.tracerConfig: expected an object",
        "script": "error -32602 tracers in JavaScript are not supported: expected one of callTracer, prestateTracer, 4byteTracer, flatCallTracer, noopTracer, muxTracer",
        "unknown": "error -32602 unknown tracer erc7562Tracer: expected one of callTracer, prestateTracer, 4byteTracer, flatCallTracer, noopTracer, muxTracer",
        "within": "error -32602 unknown tracer muxTracer: expected one of callTracer, prestateTracer, 4byteTracer, flatCallTracer, noopTracer",
      }
    `)
  })
})
