import { describe, expect, it } from 'vitest'
import type { BlockParameter, Hex, PresealRpcAccountProof, Provider } from '../../../src/index.ts'
import { expectProven } from '../../proofs.ts'
import { ask, blockForms, probeCall, send, startScene } from '../scene.ts'

const NOBODY: Hex = `0x${'ee'.repeat(20)}`
/** The slot that the scene's preconf block sets. */
const SEVEN: Hex = `0x${'7'.padStart(64, '0')}`

async function prove(provider: Provider, account: Hex, keys: readonly Hex[], block: BlockParameter) {
  return provider.request({ method: 'eth_getProof', params: [account, keys, block] })
}

describe('eth_getProof', () => {
  it('proves accounts and slots, also absent ones, under the state root of each block', async () => {
    const { chain, accounts, token, probe } = await startScene()
    for (const [provider, blocks] of [
      [chain.standard, ['0x0', '0x1', '0x2']],
      [chain.preconf, ['0x0', '0x1', '0x2', '0x3']],
    ] as const) {
      for (const block of blocks) {
        const { stateRoot } = (await provider.request({
          method: 'eth_getBlockByNumber',
          params: [block],
        }))!
        for (const account of [accounts[0]!, accounts[9]!, token, probe, NOBODY]) {
          await expectProven(stateRoot, await prove(provider, account, ['0x0', '0x7', SEVEN], block))
        }
      }
    }
  })

  it('returns the account as other methods read it', async () => {
    const scene = await startScene()
    const { chain, probe } = scene
    const read = async (provider: Provider, block: BlockParameter) => {
      const params = [probe, block] as const
      const [balance, nonce, code, value] = await Promise.all([
        provider.request({ method: 'eth_getBalance', params: [...params] }),
        provider.request({ method: 'eth_getTransactionCount', params: [...params] }),
        provider.request({ method: 'eth_getCode', params: [...params] }),
        provider.request({ method: 'eth_getStorageAt', params: [probe, '0x7', block] }),
      ])
      const codeHash = await provider.request({ method: 'web3_sha3', params: [code] })
      return { balance, nonce, codeHash, value: BigInt(value) }
    }
    const claimed = ({ balance, nonce, codeHash, storageProof }: PresealRpcAccountProof) => ({
      balance,
      nonce,
      codeHash,
      value: BigInt(storageProof[0]!.value),
    })
    const values: bigint[] = []
    for (const provider of [chain.standard, chain.preconf]) {
      for (const block of ['0x1', 'latest', 'pending'] as const) {
        const answer = claimed(await prove(provider, probe, ['0x7'], block))
        expect(answer).toEqual(await read(provider, block))
        values.push(answer.value)
      }
    }
    expect(values).toEqual([0n, 0n, 0n, 0n, 0n, 9n])
  })

  it('accepts every form of a block; pending on preconf is the preconf block', async () => {
    const scene = await startScene()
    const { chain, probe } = scene
    const calls = { absent: [probe, ['0x7']], ...blockForms(scene, (block) => [probe, ['0x7'], block]) }
    const slot = async (provider: Provider, params: unknown) => {
      const answer = await ask(provider, 'eth_getProof', params)
      return typeof answer === 'string' ? answer : (answer as PresealRpcAccountProof).storageProof[0]!.value
    }
    const answers: Record<string, unknown> = {}
    for (const [name, params] of Object.entries(calls)) {
      answers[name] = await Promise.all([slot(chain.standard, params), slot(chain.preconf, params)])
    }
    expect(answers).toMatchInlineSnapshot(`
      {
        "0x1": [
          "0x0",
          "0x0",
        ],
        "0x2": [
          "0x0",
          "0x0",
        ],
        "0x3": [
          "error -32000 header not found",
          "0x9",
        ],
        "0x4": [
          "error -32000 header not found",
          "error -32000 header not found",
        ],
        "EIP-1898 canonical hash": [
          "0x0",
          "0x0",
        ],
        "EIP-1898 hash": [
          "0x0",
          "0x0",
        ],
        "EIP-1898 number": [
          "0x0",
          "0x0",
        ],
        "absent": [
          "0x0",
          "0x0",
        ],
        "earliest": [
          "0x0",
          "0x0",
        ],
        "finalized": [
          "0x0",
          "0x0",
        ],
        "hash of block 1": [
          "0x0",
          "0x0",
        ],
        "hash of the preconf block": [
          "error -32000 header not found",
          "0x9",
        ],
        "hash of the preconf block before": [
          "error -32000 header not found",
          "0x0",
        ],
        "latest": [
          "0x0",
          "0x0",
        ],
        "pending": [
          "0x0",
          "0x9",
        ],
        "safe": [
          "0x0",
          "0x0",
        ],
        "unknown hash": [
          "error -32000 header not found",
          "error -32000 header not found",
        ],
      }
    `)
  })

  it('returns a key of 32 bytes unchanged, and a shorter one as a quantity', async () => {
    const { chain, probe } = await startScene()
    const keys: Hex[] = [
      '0x',
      '0x0',
      '0x00',
      '0x0007',
      '0xABC',
      SEVEN,
      `0x${'7'.padStart(63, '0')}`,
      `0x${'0'.repeat(62)}`,
    ]
    const { storageProof } = await prove(chain.preconf, probe, keys, 'pending')
    expect(storageProof.map(({ key, value }) => [key, value])).toEqual([
      ['0x0', '0x0'],
      ['0x0', '0x0'],
      ['0x0', '0x0'],
      ['0x7', '0x9'],
      ['0xabc', '0x0'],
      [SEVEN, '0x9'],
      [SEVEN, '0x9'],
      ['0x0', '0x0'],
    ])
  })

  it('accepts at most 1024 keys', async () => {
    const { chain, probe } = await startScene()
    const keys = (count: number): Hex[] => Array.from({ length: count }, (_, i): Hex => `0x${i.toString(16)}`)
    expect((await prove(chain.standard, probe, keys(1024), 'latest')).storageProof.length).toBe(1024)
    expect(await ask(chain.standard, 'eth_getProof', [probe, keys(1025), 'latest'])).toBe(
      'error -32602 invalid argument 1: expected at most 1024 items',
    )
    expect(await ask(chain.standard, 'eth_getProof', [probe, [`0x${'0'.repeat(65)}`]])).toBe(
      'error -32602 invalid argument 1[0]: expected a hex string of up to 32 bytes',
    )
  })

  it('has no proofs of blocks older than history.proofs (spec.md 19)', async () => {
    const { chain, accounts, probe } = await startScene({ history: { blocks: 100, proofs: 2 } })
    for (let i = 0; i < 2; i++) {
      await chain.clock.advance(2000)
      await send(chain, 4, { nonce: i, to: probe, data: probeCall('set', [BigInt(i), 1n]) })
      await chain.seal()
    }
    const blocks = ['0x0', '0x2', '0x3', '0x4', 'latest', 'pending'] as const
    const answers = await Promise.all(
      blocks.map(async (block) => {
        const answer = await ask(chain.preconf, 'eth_getProof', [accounts[0], [], block])
        return [block, typeof answer === 'string' ? answer : 'proof']
      }),
    )
    expect(answers).toEqual([
      ['0x0', 'error -32000 state not available'],
      ['0x2', 'error -32000 state not available'],
      ['0x3', 'proof'],
      ['0x4', 'proof'],
      ['latest', 'proof'],
      ['pending', 'proof'],
    ])
    expect(await ask(chain.preconf, 'eth_getBalance', [accounts[9], '0x2'])).toBe('0x21e19e0c9bab2400000')
  })
})
