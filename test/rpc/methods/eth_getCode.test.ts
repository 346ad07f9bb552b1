import { type Abi, encodeDeployData } from 'viem'
import { describe, expect, it } from 'vitest'
import { Child } from '../../contracts/artifacts.ts'
import { ask, askAll, blockForms, send, startScene } from '../scene.ts'

describe('eth_getCode', () => {
  it('reads code, `0x` if there is none', async () => {
    const scene = await startScene()
    expect(
      await askAll(scene.chain, 'eth_getCode', {
        absent: [scene.token],
        ...blockForms(scene, (block) => [scene.token, block]),
        'no code': [scene.accounts[0], 'latest'],
      }),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "0x2": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "0x3": {
          "preconf": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "EIP-1898 hash": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "EIP-1898 number": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "absent": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "earliest": {
          "both": "0x",
        },
        "finalized": {
          "both": "0x",
        },
        "hash of block 1": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "hash of the preconf block": {
          "preconf": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "no code": {
          "both": "0x",
        },
        "pending": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "safe": {
          "both": "1337 bytes, keccak256 0xfd5cd3bb0666e8dc",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })

  it('returns deployed code on preconf with `pending` before it is sealed', async () => {
    const { chain, accounts } = await startScene()
    const data = encodeDeployData({ abi: Child.abi as Abi, bytecode: Child.bytecode, args: [1n] })
    const hash = await send(chain, 4, { nonce: 0, data, gas: 1_000_000n })
    await chain.tick()
    const receipt = await chain.preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const params = [receipt!.contractAddress, 'pending']
    expect(accounts[4]).toBe(receipt!.from)
    const deployed = await ask(chain.preconf, 'eth_getCode', params)
    expect(deployed).toMatchInlineSnapshot(`"239 bytes, keccak256 0x1ad29f86c7a42f0e"`)
    expect(await ask(chain.standard, 'eth_getCode', params)).toBe('0x')
    expect(await ask(chain.preconf, 'eth_getCode', [receipt!.contractAddress, 'latest'])).toBe('0x')
    await chain.seal()
    expect(await ask(chain.standard, 'eth_getCode', [receipt!.contractAddress, 'latest'])).toBe(deployed)
  })
})
