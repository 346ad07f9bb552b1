import { describe, expect, it } from 'vitest'
import type { OtterscanTrace } from '../../../src/index.ts'
import { FACTORY, INIT, RECEIVER, startFactory } from '../factory.ts'
import { ask } from '../scene.ts'

describe('ots_traceTransaction', () => {
  it('returns the frames with their depth, without precompiles', async () => {
    const { chain, hash, sender } = await startFactory()
    const traces = (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    const common = { depth: 1, from: FACTORY, input: '0x', output: '0x' }
    expect(traces).toEqual([
      {
        type: 'CALL',
        depth: 0,
        from: sender,
        to: FACTORY,
        value: '0x0',
        input: '0x1234567890',
        output: '0x',
      },
      { type: 'CALL', ...common, to: RECEIVER, value: '0x1' },
      { type: 'CREATE', ...common, to: expect.any(String), value: '0x0', input: `0x${INIT}`, output: '0x00' },
      { type: 'CREATE2', ...common, to: expect.any(String), value: '0x0' },
      { type: 'SELFDESTRUCT', ...common, to: sender, value: '0x8' },
    ])
    expect(await ask(chain.standard, 'ots_hasCode', [traces[2]!.to])).toBe(true)
  })
})
