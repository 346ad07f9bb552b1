import { describe, expect, it } from 'vitest'
import { startScene } from './scene.ts'

describe('the scene', () => {
  it('has the blocks whose hashes `rootHashes.ts` names', async () => {
    const { chain, first, second, empty, preconfBlock } = await startScene()
    const genesis = await chain.standard.request({ method: 'eth_getBlockByNumber', params: ['earliest'] })
    const blocks = [genesis!, ...[first, second, empty, preconfBlock].map(({ block }) => block)]
    expect(
      blocks.map(({ hash, stateRoot, mixHash }) => ({ hash, stateRoot, mixHash })),
    ).toMatchInlineSnapshot(`
      [
        {
          "hash": "<genesis>",
          "mixHash": "0x0000000000000000000000000000000000000000000000000000000000000000",
          "stateRoot": "<genesis: state>",
        },
        {
          "hash": "<scene: block 1>",
          "mixHash": "<block 1: randao>",
          "stateRoot": "<scene: block 1, state>",
        },
        {
          "hash": "<scene: block 2>",
          "mixHash": "<scene: block 2, randao>",
          "stateRoot": "<scene: block 2, state>",
        },
        {
          "hash": "<scene: empty preconf block>",
          "mixHash": "<scene: block 3, randao>",
          "stateRoot": "<scene: empty preconf block, state>",
        },
        {
          "hash": "<scene: preconf block>",
          "mixHash": "<scene: block 3, randao>",
          "stateRoot": "<scene: preconf block, state>",
        },
      ]
    `)
  })
})
