import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, startScene } from '../scene.ts'

describe('debug_traceBlock', () => {
  it('traces a block as debug_traceBlockByNumber does, pre-confirmed ones on preconf', async () => {
    const { chain } = await startScene()
    for (const view of ['standard', 'preconf'] as const) {
      const provider = chain[view]
      const blocks = view === 'standard' ? ['0x0', '0x1', '0x2'] : ['0x1', '0x2', 'pending']
      for (const block of blocks) {
        const raw = await ask(provider, 'debug_getRawBlock', [block])
        expect(raw).toMatch(/bytes/)
        const [bytes] = [await provider.request({ method: 'debug_getRawBlock', params: [block as never] })]
        for (const options of [{}, { tracer: 'callTracer' }, { tracer: 'prestateTracer' }]) {
          const byNumber = await ask(provider, 'debug_traceBlockByNumber', [block, options])
          expect(await ask(provider, 'debug_traceBlock', [bytes, options])).toEqual(byNumber)
        }
      }
    }
  })

  it('traces a block that the chain does not have, and leaves the chain as it is', async () => {
    const { chain, first } = await startScene()
    const sibling = await startScene()
    await sibling.chain.clock.advance(2000)
    const sealed = await sibling.chain.seal()
    const raw = await sibling.chain.standard.request({
      method: 'debug_getRawBlock',
      params: [sealed.block.hash],
    })
    const before = await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])
    expect(await ask(chain.standard, 'eth_getBlockByHash', [sealed.block.hash, false])).toBeNull()
    const traces = await ask(chain.standard, 'debug_traceBlock', [raw, { tracer: 'callTracer' }])
    expect(traces).toEqual(
      await ask(sibling.chain.standard, 'debug_traceBlockByHash', [
        sealed.block.hash,
        { tracer: 'callTracer' },
      ]),
    )
    expect((traces as unknown[]).length).toBe(sealed.block.transactions.length)
    expect(await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])).toEqual(before)
    expect(first.block.number).toBe('0x1')
  })

  it('refuses genesis in the geth dialect, and has no traces of it in others', async () => {
    const chain = await startChain()
    const raw = await chain.standard.request({ method: 'debug_getRawBlock', params: ['0x0'] })
    const geth = chain.provider('standard', { dialect: 'geth' })
    expect(await ask(geth, 'debug_traceBlock', [raw])).toBe('error -32000 genesis is not traceable')
    expect(await ask(chain.standard, 'debug_traceBlock', [raw])).toEqual([])
  })

  it('refuses what is not a block, and a block whose parent is unknown', async () => {
    const { chain } = await startScene()
    const elsewhere = await startChain({ chainId: 5 })
    await elsewhere.seal()
    await elsewhere.seal()
    const raw = await elsewhere.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })
    const trace = (block: unknown, options?: unknown) =>
      ask(chain.standard, 'debug_traceBlock', [block, options])
    expect(await trace(raw)).toBe('error -32000 header not found')
    expect(await trace('0xc0')).toBe('error -32000 could not decode block: its header is missing')
    expect(await trace('0x01')).toMatch(/^error -32000 could not decode block: /)
    expect(await trace('0x')).toMatch(/^error -32602 /)
    expect(await trace('f9')).toMatch(/^error -32602 /)
    const own = await chain.standard.request({ method: 'debug_getRawBlock', params: ['0x1'] })
    expect(await trace(own, { tracer: 'noSuchTracer' })).toMatch(/^error -32602 /)
  })
})
