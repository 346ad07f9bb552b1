import { describe, expect, it, onTestFinished } from 'vitest'
import { toWord } from '../../../src/base/bytes.ts'
import { createChain, createManualClock } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { send } from '../sequencer/support.ts'

const TOO_LARGE = 'error -32602 trace too large: more than 30000 bytes of memory (limits.traceMemory)'
const CONTRACT = `0x${'cc'.repeat(20)}`
/** Calls itself with 10,000 bytes, as deep as its gas allows. */
const RECURSING = '0x5f5f6127105f305afa'
/** Options by tracer. */
const TRACERS: Readonly<Record<string, object>> = {
  'the default tracer': {},
  callTracer: { tracer: 'callTracer' },
  'callTracer of the outermost frame': { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
  flatCallTracer: { tracer: 'flatCallTracer' },
  '4byteTracer': { tracer: '4byteTracer' },
  muxTracer: { tracer: 'muxTracer', tracerConfig: { '4byteTracer': null, callTracer: null } },
}

describe('limits.traceMemory', () => {
  it('ends the trace of a call with any tracer, and does not affect later executions', async () => {
    const { preconf } = await startChain({ limits: { traceMemory: 30_000 } })
    await preconf.request({ method: 'anvil_setCode', params: [CONTRACT, RECURSING] })
    const call = { to: CONTRACT, gas: '0x4c4b40' }
    const answers: Record<string, unknown> = {}
    for (const [name, options] of Object.entries(TRACERS)) {
      answers[name] = await ask(preconf, 'debug_traceCall', [call, 'latest', options])
    }
    expect(answers).toEqual(Object.fromEntries(Object.keys(TRACERS).map((name) => [name, TOO_LARGE])))
    expect(await ask(preconf, 'eth_call', [call, 'latest'])).toBe('0x')
    const traced = await ask(preconf, 'debug_traceCall', [{ data: '0x5b5f50', gas: '0xffff' }, 'latest', {}])
    expect(traced).toMatchObject({
      failed: false,
      structLogs: [{ op: 'JUMPDEST' }, { op: 'PUSH0' }, { op: 'POP' }, { op: 'STOP' }],
    })
  })

  it('counts the code that prestateTracer shows, and memory and storage of each instruction', async () => {
    const { preconf } = await startChain({ limits: { traceMemory: 30_000 } })
    await preconf.request({ method: 'anvil_setCode', params: [CONTRACT, `0x00${'11'.repeat(20_000)}`] })
    const trace = (call: object, options: object) =>
      ask(preconf, 'debug_traceCall', [call, 'latest', options])
    expect(await trace({ to: CONTRACT }, { tracer: 'prestateTracer' })).toBe(TOO_LARGE)
    const withoutCode = { tracer: 'prestateTracer', tracerConfig: { disableCode: true } }
    expect(await trace({ to: CONTRACT }, withoutCode)).toMatchObject({ [CONTRACT]: {} })
    // 10,000 bytes of memory, and some instructions after that.
    const growing = { data: '0x5f612710525b5b5b5b5b' }
    expect(await trace(growing, {})).toMatchObject({ failed: false })
    expect(await trace(growing, { enableMemory: true })).toBe(TOO_LARGE)
    // Each instruction that writes a slot shows the slots written before it as well.
    const writing = {
      data: `0x${Array.from({ length: 20 }, (_, i) => `6001${`60${(i + 1).toString(16).padStart(2, '0')}`}55`).join('')}`,
    }
    expect(await trace(writing, { disableStack: true, disableStorage: true })).toMatchObject({
      failed: false,
    })
    expect(await trace(writing, { disableStack: true })).toBe(TOO_LARGE)
  })

  it('counts all traces of a request, except those that trace_filter skips', async () => {
    const chain = await startChain({ limits: { traceMemory: 3000 } })
    for (let nonce = 0; nonce < 8; nonce++) {
      await send(chain, { nonce })
      if (nonce === 1) await chain.seal()
    }
    await chain.seal()
    const tooLarge = TOO_LARGE.replace('30000', '3000')
    const asked = (method: string, ...params: unknown[]) => ask(chain.preconf, method, params)
    const tracer = { tracer: 'callTracer' }
    expect(await asked('trace_block', '0x1')).toHaveLength(2)
    expect(await asked('trace_block', '0x2')).toBe(tooLarge)
    expect(await asked('debug_traceBlockByNumber', '0x1', tracer)).toHaveLength(2)
    expect(await asked('debug_traceBlockByNumber', '0x2', tracer)).toBe(tooLarge)
    expect(await asked('trace_filter', {})).toBe(tooLarge)
    expect(await asked('trace_filter', { after: '0x1', count: '0x3' })).toHaveLength(3)
    expect(await asked('trace_filter', { fromAddress: [CONTRACT] })).toEqual([])
  })

  it.each(['the default tracer', 'callTracer', 'flatCallTracer', 'muxTracer'])(
    'counts a trace by %s once, however often it was begun again to load what it reads',
    async (name) => {
      const base = await startChain()
      // Calls itself with 1,000 bytes, and takes the number of the next slot from this one, until it is 0.
      const code = '0x60015b5f5f6103e85f60045afa505480600257'
      await base.preconf.request({ method: 'anvil_setCode', params: [CONTRACT, code] })
      for (let slot = 1; slot < 12; slot++) {
        await base.preconf.request({
          method: 'anvil_setStorageAt',
          params: [CONTRACT, toWord(BigInt(slot)), toWord(BigInt(slot + 1))],
        })
      }
      await base.seal()
      const fork = await createChain({
        fork: { provider: base.standard },
        limits: { traceMemory: 250_000 },
        mining: 'manual',
        clock: createManualClock(),
      })
      onTestFinished(() => fork.close())
      const trace = (chain: Pick<TestChain, 'preconf'>) =>
        ask(chain.preconf, 'debug_traceCall', [{ to: CONTRACT, gas: '0x989680' }, 'latest', TRACERS[name]])
      const [expected, first, second] = [await trace(base), await trace(fork), await trace(fork)]
      expect(expected).not.toContain('error')
      expect([first, second]).toEqual([expected, expected])
    },
  )
})
