import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/index.ts'
import { ask, askAll, blockForms, send, startScene } from '../scene.ts'

describe('eth_getTransactionCount', () => {
  it('counts sealed transactions; with `pending` pre-confirmed ones too, and on standard waiting ones', async () => {
    const scene = await startScene()
    const [alice, bob, carol, dave] = scene.accounts
    expect(
      await askAll(scene.chain, 'eth_getTransactionCount', {
        absent: [alice],
        ...blockForms(scene, (block) => [alice, block]),
        'account 1, pending': [bob, 'pending'],
        'account 2 with one that waits, pending': [carol, 'pending'],
        'account 3 behind a gap, pending': [dave, 'pending'],
      }),
    ).toMatchInlineSnapshot(`
      {
        "0x1": {
          "both": "0x2",
        },
        "0x2": {
          "both": "0x3",
        },
        "0x3": {
          "preconf": "0x5",
          "standard": "error -32000 header not found",
        },
        "0x4": {
          "both": "error -32000 header not found",
        },
        "EIP-1898 canonical hash": {
          "both": "0x2",
        },
        "EIP-1898 hash": {
          "both": "0x2",
        },
        "EIP-1898 number": {
          "both": "0x2",
        },
        "absent": {
          "both": "0x3",
        },
        "account 1, pending": {
          "both": "0x3",
        },
        "account 2 with one that waits, pending": {
          "preconf": "0x0",
          "standard": "0x1",
        },
        "account 3 behind a gap, pending": {
          "both": "0x0",
        },
        "earliest": {
          "both": "0x0",
        },
        "finalized": {
          "both": "0x0",
        },
        "hash of block 1": {
          "both": "0x2",
        },
        "hash of the preconf block": {
          "preconf": "0x5",
          "standard": "error -32000 header not found",
        },
        "hash of the preconf block before": {
          "preconf": "0x3",
          "standard": "error -32000 header not found",
        },
        "latest": {
          "both": "0x3",
        },
        "pending": {
          "both": "0x5",
        },
        "safe": {
          "both": "0x2",
        },
        "unknown hash": {
          "both": "error -32000 header not found",
        },
      }
    `)
  })

  it('follows the options of the connection (spec.md 2)', async () => {
    const { chain, accounts } = await startScene()
    const params = [accounts[0]]
    await send(chain, 0, { nonce: 5, to: accounts[1]!, value: 1n })
    await send(chain, 0, { nonce: 6, to: accounts[1]!, value: 1n })
    await send(chain, 0, { nonce: 8, to: accounts[1]!, value: 1n })
    const pending = chain.provider('preconf', { defaultBlock: 'pending' })
    const pool = chain.provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' })
    const standard = chain.provider('standard', { defaultBlock: 'pending' })
    expect({
      preconf: await ask(chain.preconf, 'eth_getTransactionCount', params),
      pending: await ask(pending, 'eth_getTransactionCount', params),
      pool: await ask(pool, 'eth_getTransactionCount', params),
      'pool, latest': await ask(pool, 'eth_getTransactionCount', [...params, 'latest']),
      standard: await ask(standard, 'eth_getTransactionCount', params),
    }).toMatchInlineSnapshot(`
      {
        "pending": "0x5",
        "pool": "0x7",
        "pool, latest": "0x3",
        "preconf": "0x3",
        "standard": "0x7",
      }
    `)
  })

  it.each(['tick', 'seal'] as const)(
    'never counts fewer than were sent while a %s publishes',
    async (publish) => {
      const { chain, accounts } = await startScene()
      const pool = chain.provider('preconf', { pendingNonce: 'pool' })
      for (let nonce = 5; nonce < 15; nonce++) await send(chain, 0, { nonce, to: accounts[1]!, value: 1n })
      const requests: Promise<unknown>[] = []
      const askOnce = () => {
        for (const provider of [chain.standard, pool]) {
          requests.push(ask(provider, 'eth_getTransactionCount', [accounts[0], 'pending']))
        }
      }
      let published = false
      const publishing = chain[publish]().finally(() => {
        published = true
      })
      while (!published) {
        // A request at every step of the publication, also when that yields to the event loop.
        for (let i = 0; i < 100 && !published; i++) {
          askOnce()
          await undefined
        }
        await systemClock.yield()
      }
      await publishing
      askOnce()
      expect(requests.length).toBeGreaterThan(8)
      expect(new Set(await Promise.all(requests))).toEqual(new Set(['0xf']))
    },
  )
})
