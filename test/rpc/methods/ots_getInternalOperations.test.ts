import { describe, expect, it } from 'vitest'
import type { OtterscanTrace } from '../../../src/index.ts'
import { FACTORY, RECEIVER, startFactory } from '../factory.ts'
import { ask, startScene, UNKNOWN } from '../scene.ts'

describe('ots_getInternalOperations', () => {
  it('returns transfers, creations and SELFDESTRUCTs below the outermost frame', async () => {
    const { chain, hash, sender } = await startFactory()
    const created = (
      (await ask(chain.standard, 'ots_traceTransaction', [hash])) as readonly OtterscanTrace[]
    ).filter(({ type }) => type.startsWith('CREATE'))
    expect(await ask(chain.standard, 'ots_getInternalOperations', [hash])).toEqual([
      { type: 0, from: FACTORY, to: RECEIVER, value: '0x1' },
      { type: 2, from: FACTORY, to: created[0]!.to, value: '0x0' },
      { type: 3, from: FACTORY, to: created[1]!.to, value: '0x0' },
      { type: 1, from: FACTORY, to: sender, value: '0x8' },
    ])
  })

  it('returns none of a transfer, and refuses a transaction that is in no block', async () => {
    const { chain, first, preconfBlock, waiting } = await startScene()
    const read = (view: 'standard' | 'preconf', hash: unknown) =>
      ask(chain[view], 'ots_getInternalOperations', [hash])
    expect(await read('standard', first.block.transactions[0]!.hash)).toEqual([])
    expect(await read('preconf', preconfBlock.block.transactions[0]!.hash)).toEqual([])
    for (const hash of [UNKNOWN, waiting, preconfBlock.block.transactions[0]!.hash]) {
      expect(await read('standard', hash)).toBe('error -32000 transaction not found')
    }
  })
})
