import { describe, expect, it } from 'vitest'
import { askAll, startScene } from '../scene.ts'

describe('web3_sha3', () => {
  it('hashes bytes with keccak256', async () => {
    const { chain } = await startScene()
    expect(
      await askAll(chain, 'web3_sha3', { none: ['0x'], text: ['0x68656c6c6f20776f726c64'], odd: ['0x1'] }),
    ).toMatchInlineSnapshot(`
      {
        "none": {
          "both": "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
        },
        "odd": {
          "both": "error -32602 invalid argument 0: expected a hex string of whole bytes",
        },
        "text": {
          "both": "0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad",
        },
      }
    `)
  })
})
