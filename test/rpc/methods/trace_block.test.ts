import { describe, expect, it } from 'vitest'
import { askAll, blockForms, startScene } from '../scene.ts'

describe('trace_block', () => {
  it('returns the frames of all transactions of a block, null for an unknown one', async () => {
    const scene = await startScene()
    const { chain, second, preconfBlock } = scene
    const answers = await askAll(
      chain,
      'trace_block',
      blockForms(scene, (block) => [block]),
    )
    const outline = (answer: unknown): unknown => {
      if (!Array.isArray(answer)) return answer
      return answer.map(({ type, transactionPosition, error }) =>
        [transactionPosition, type, error].join(' '),
      )
    }
    const outlines = Object.entries(answers).map(([name, answer]) => {
      if (typeof answer === 'string') return [name, answer]
      return [
        name,
        Object.fromEntries(Object.entries(answer as object).map(([view, one]) => [view, outline(one)])),
      ]
    })
    expect(Object.fromEntries(outlines)).toMatchInlineSnapshot(`
      {
        "0x1": "as safe",
        "0x2": "as latest",
        "0x3": {
          "preconf": [
            "0 call ",
            "1 call ",
            "2 call ",
            "3 call Reverted",
          ],
          "standard": null,
        },
        "0x4": {
          "both": null,
        },
        "EIP-1898 canonical hash": "as safe",
        "EIP-1898 hash": "as safe",
        "EIP-1898 number": "as safe",
        "earliest": {
          "both": [],
        },
        "finalized": {
          "both": [],
        },
        "hash of block 1": "as safe",
        "hash of the preconf block": "as 0x3",
        "hash of the preconf block before": {
          "preconf": [],
          "standard": null,
        },
        "latest": {
          "both": [
            "0 call ",
          ],
        },
        "pending": {
          "preconf": [
            "0 call ",
            "1 call ",
            "2 call ",
            "3 call Reverted",
          ],
          "standard": [],
        },
        "safe": {
          "both": [
            "0 call ",
            "1 create ",
            "2 create ",
          ],
        },
        "unknown hash": {
          "both": null,
        },
      }
    `)
    for (const [block, provider] of [
      [second.block, chain.standard],
      [preconfBlock.block, chain.preconf],
    ] as const) {
      const traces = await Promise.all(
        block.transactions.map(({ hash }) =>
          provider.request({ method: 'trace_transaction', params: [hash] }),
        ),
      )
      expect(await provider.request({ method: 'trace_block', params: [block.number] })).toEqual(traces.flat())
    }
  })
})
