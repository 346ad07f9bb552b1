/** The state of a forked chain that its cache has: it is read at once. */
import { describe, expect, it } from 'vitest'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import { openForkCache, withCache } from '../../../src/core/fork/cache.ts'
import { RemoteRpcError } from '../../../src/core/fork/errors.ts'
import { NotLoaded, Origin } from '../../../src/core/fork/origin.ts'
import { createRemote } from '../../../src/core/fork/remote.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const ADDRESS = `0x${'77'.repeat(20)}` as const
const ABSENT = `0x${'88'.repeat(20)}` as const
const SLOT = `0x${'00'.repeat(31)}01` as const
const ANSWERS = { eth_getBalance: '0x5', eth_getTransactionCount: '0x2', eth_getCode: '0x60' }
const NOTHING = { eth_getBalance: '0x0', eth_getTransactionCount: '0x0', eth_getCode: '0x' }

/** An origin at a block whose cache has answers, by address and method; the node refuses what it is asked. */
async function openOrigin(answers: Readonly<Record<string, object>>, slot?: string) {
  const crypto = await loadCrypto()
  const cache = await openForkCache({ text: '' })
  await cache.load(1n, HASH)
  const block = { blockHash: HASH }
  for (const [address, own] of Object.entries(answers)) {
    for (const [method, answer] of Object.entries(own)) cache.put(method, [address, block], answer)
  }
  if (slot !== undefined) cache.put('eth_getStorageAt', [ADDRESS, SLOT, block], slot)
  const asked: string[] = []
  const provider = {
    async request({ method }: { readonly method: string }) {
      asked.push(method)
      if (method === 'eth_getBalance') return '0x7'
      throw new RemoteRpcError(-32000, 'a trip was made')
    },
  }
  const clock = createManualClock()
  const node = createRemote({ provider, concurrency: 8, batch: 100, timeout: 20_000, clock })
  const remote = withCache(node, cache, { offline: false })
  return { origin: new Origin({ remote, crypto, number: 1n, hash: HASH }), asked, crypto }
}

describe('what the cache has', () => {
  it('is read at once: accounts, their codes and slots', async () => {
    const { origin, asked, crypto } = await openOrigin({ [ADDRESS]: ANSWERS, [ABSENT]: NOTHING }, '0x9')
    const account = origin.account(ADDRESS)
    const codeHash = crypto.keccak256Hex(Uint8Array.of(0x60))
    expect(account).toEqual({ balance: 5n, nonce: 2n, codeHash, storageId: -1, slotCount: 0 })
    expect(origin.account(ADDRESS)).toBe(account)
    expect(origin.code(codeHash)).toEqual(Uint8Array.of(0x60))
    expect(origin.slot(-1, SLOT)).toBe(9n)
    expect(origin.account(ABSENT)).toBe(null)
    expect(asked).toEqual([])
  })

  it('is asked for again if a line is missing or was changed', async () => {
    const { eth_getBalance: _, ...rest } = ANSWERS
    for (const own of [rest, { ...rest, eth_getBalance: 'five' }]) {
      const { origin, asked } = await openOrigin({ [ADDRESS]: own })
      expect(() => origin.account(ADDRESS)).toThrow(NotLoaded)
      await origin.load([{ address: ADDRESS }])
      expect(origin.account(ADDRESS)).toMatchObject({ balance: 7n, nonce: 2n })
      expect(asked).toEqual(['eth_getBalance'])
    }
  })

  it('of another block or slot is not taken', async () => {
    const { origin } = await openOrigin({ [ADDRESS]: ANSWERS }, '0x9')
    origin.account(ADDRESS)
    expect(() => origin.slot(-1, HASH)).toThrow(NotLoaded)
    origin.nameByNumber()
    expect(() => origin.slot(-1, SLOT)).toThrow(NotLoaded)
  })
})
