import {
  createMPT,
  type MerklePatriciaTrie,
  verifyMerkleProof,
  verifyMPTWithMerkleProof,
} from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, concatBytes, hexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import {
  type TrieChange,
  type TrieCodec,
  type TrieRoot,
  trieGet,
  trieHash,
  trieProof,
  trieUpdate,
} from '../../../src/ethereum/state/trie.ts'
import { FULL, runs } from '../../full.ts'

type Bytes = Uint8Array
type Root = TrieRoot<Bytes>

const raw: TrieCodec<Bytes> = { encode: (value) => value }
const keccak = (bytes: Bytes) => keccak_256(bytes)
const hashOf = (root: Root) => bytesToHex(trieHash(root, raw, keccak))
const update = (root: Root, changes: Iterable<TrieChange<Bytes>>) => trieUpdate(root, changes)
const bytes = (...values: number[]) => Uint8Array.from(values)
const filled = (length: number, seed: number) =>
  Uint8Array.from({ length }, (_, i) => (seed * 31 + i * 7) & 255)
const indexKey = (index: number) => RLP.encode(index)

/** Payloads around every edge of RLP's string headers and of the 32 bytes below which nodes are embedded. */
const payloads = [
  bytes(0),
  bytes(0x7f),
  bytes(0x80),
  ...[2, 3, 12, 26, 29, 32, 55, 56, 110].map((n) => filled(n, n)),
]

/** Few nibbles, so that paths are shared, and lengths of 0 to 4 bytes, so that keys are prefixes of others. */
const mixedKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0x11, 0xf1), { maxLength: 4 })
  .map((v) => bytes(...v))
const equalKey = fc
  .array(fc.constantFrom(0x00, 0x01, 0x10, 0xf1), { minLength: 3, maxLength: 3 })
  .map((v) => bytes(...v))
const payload = fc.constantFrom(...payloads)
const changeOf = (key: fc.Arbitrary<Bytes>) =>
  fc.tuple(key, fc.option(payload, { freq: 2 })) as fc.Arbitrary<TrieChange<Bytes>>
const batchesOf = (key: fc.Arbitrary<Bytes>) =>
  fc.array(fc.array(changeOf(key), { maxLength: 12 }), { minLength: 1, maxLength: 8 })
const entriesOf = (key: fc.Arbitrary<Bytes>) => fc.array(fc.tuple(key, payload), { maxLength: 30 })

type Model = ReadonlyMap<string, Bytes>

function applied(model: Model, changes: readonly TrieChange<Bytes>[]): Model {
  const next = new Map(model)
  for (const [key, value] of changes) {
    if (value === null) next.delete(bytesToHex(key))
    else next.set(bytesToHex(key), value)
  }
  return next
}

async function stockTrie(entries: Iterable<readonly [Bytes, Bytes]>): Promise<MerklePatriciaTrie> {
  const trie = await createMPT({ useKeyHashing: false })
  for (const [key, value] of entries) await trie.put(key, value)
  return trie
}

const stockHash = async (entries: Iterable<readonly [Bytes, Bytes]>) =>
  bytesToHex((await stockTrie(entries)).root())

const entriesIn = (model: Model) =>
  [...model].map(([key, value]) => [hexToBytes(key as `0x${string}`), value] as const)

describe('the root', () => {
  test('of the empty trie is keccak256(rlp(""))', () => {
    expect(trieHash(null, raw, keccak)).toEqual(keccak(bytes(0x80)))
  })

  test('equals @ethereumjs/mpt after every batch of puts and deletes over keys of equal length', async () => {
    await fc.assert(
      fc.asyncProperty(batchesOf(equalKey), async (batches) => {
        const stock = await createMPT({ useKeyHashing: false })
        let root: Root = null
        for (const batch of batches) {
          root = update(root, batch)
          for (const [key, value] of batch) await (value === null ? stock.del(key) : stock.put(key, value))
          expect(hashOf(root)).toBe(bytesToHex(stock.root()))
        }
      }),
      runs(60, 500),
    )
  })

  // mpt loses a branch's value if a delete leaves the branch one child, so it builds the remaining entries here.
  test('equals @ethereumjs/mpt built from the remaining entries, over keys that are prefixes of others', async () => {
    await fc.assert(
      fc.asyncProperty(batchesOf(mixedKey), async (batches) => {
        let root: Root = null
        let model: Model = new Map()
        for (const batch of batches) {
          root = update(root, batch)
          model = applied(model, batch)
          expect(hashOf(root)).toBe(await stockHash(entriesIn(model)))
        }
      }),
      runs(60, 500),
    )
  })

  test('depends only on the entries, not on their order and batches', () => {
    fc.assert(
      fc.property(batchesOf(mixedKey), (batches) => {
        const model = batches.reduce(applied, new Map() as Model)
        const stepwise = batches.reduce(update, null as Root)
        expect(hashOf(stepwise)).toBe(hashOf(update(null, batches.flat())))
        expect(hashOf(stepwise)).toBe(hashOf(update(null, entriesIn(model).reverse())))
      }),
    )
  })

  test('equals @ethereumjs/mpt while 1,000 entries are appended under RLP indices', async () => {
    const stock = await createMPT({ useKeyHashing: false })
    let root: Root = null
    for (let from = 0; from < 1000; from += 100) {
      const entries = Array.from(
        { length: 100 },
        (_, i) => [indexKey(from + i), filled(1 + ((from + i) % 150), i)] as const,
      )
      root = update(root, entries)
      for (const [key, value] of entries) await stock.put(key, value)
      expect(hashOf(root)).toBe(bytesToHex(stock.root()))
    }
  })

  test('covers payloads of every header size, in leaves and as a branch value', async () => {
    const { keccak256: fastKeccak } = await loadCrypto()
    for (const length of [55, 56, 255, 256, 65_535, 65_536, ...(FULL ? [1 << 24] : [])]) {
      const entries = [
        [bytes(0x12), filled(length, 1)],
        [bytes(0x12, 0x34), filled(length, 2)],
      ] as const
      const stock = await createMPT({ useKeyHashing: false, useKeyHashingFunction: fastKeccak })
      for (const [key, value] of entries) await stock.put(key, value)
      expect(bytesToHex(trieHash(update(null, entries), raw, fastKeccak))).toBe(bytesToHex(stock.root()))
    }
  })

  test('is a fresh array, so writing to it changes no trie', () => {
    const root = update(null, [[filled(32, 1), filled(40, 1)]])
    const before = hashOf(root)
    trieHash(root, raw, keccak).fill(0)
    trieHash(null, raw, keccak).fill(0)
    expect(hashOf(root)).toBe(before)
    expect(trieHash(null, raw, keccak)).toEqual(keccak(bytes(0x80)))
  })

  test('accepts leaves whose codec hashes a nested trie', async () => {
    interface Account {
      readonly nonce: number
      readonly storage: Root
    }
    const codec: TrieCodec<Account> = {
      encode: ({ nonce, storage }) => RLP.encode([nonce, trieHash(storage, raw, keccak)]),
    }
    const slots = Array.from({ length: 40 }, (_, i) => [keccak(bytes(i)), bytes(i + 1)] as const)
    const accounts = Array.from({ length: 40 }, (_, i) => ({
      nonce: i,
      storage: update(null, slots.slice(0, i)),
    }))
    const root = trieUpdate<Account>(
      null,
      accounts.map((account, i) => [keccak(bytes(i)), account]),
    )
    const stock = await createMPT({ useKeyHashing: false })
    for (const [i, { nonce }] of accounts.entries()) {
      const storage = (await stockTrie(slots.slice(0, i))).root()
      await stock.put(keccak(bytes(i)), RLP.encode([nonce, storage]))
    }
    expect(bytesToHex(trieHash(root, codec, keccak))).toBe(bytesToHex(stock.root()))
  })
})

describe('an update', () => {
  test('is seen by reads of every key, present or absent', () => {
    fc.assert(
      fc.property(batchesOf(mixedKey), fc.array(mixedKey), (batches, others) => {
        const model = batches.reduce(applied, new Map() as Model)
        const root = batches.reduce(update, null as Root)
        for (const key of [...batches.flat().map(([key]) => key), ...others]) {
          expect(trieGet(root, key)).toBe(model.get(bytesToHex(key)))
        }
      }),
    )
  })

  test('keeps the hash and the values of every older root, whenever it is hashed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(changeOf(mixedKey), { maxLength: 12 }), fc.boolean()), { maxLength: 8 }),
        (batches) => {
          const history: { root: Root; model: Model }[] = [{ root: null, model: new Map() }]
          for (const [batch, hashed] of batches) {
            const { root, model } = history.at(-1)!
            if (hashed) hashOf(root)
            history.push({ root: update(root, batch), model: applied(model, batch) })
          }
          for (const { root, model } of history) {
            expect(hashOf(root)).toBe(hashOf(update(null, entriesIn(model))))
            for (const [batch] of batches) {
              for (const [key] of batch) expect(trieGet(root, key)).toBe(model.get(bytesToHex(key)))
            }
          }
        },
      ),
    )
  })

  test('can start twice from one root', async () => {
    const [a, b, c] = [0, 1, 2].map((i) => [bytes(0x10 + i, 0x22), filled(40, i)] as const)
    const base = update(null, [a!])
    const left = update(base, [b!])
    const right = update(base, [c!])
    expect([base, left, right].map(hashOf)).toEqual(
      await Promise.all([[a!], [a!, b!], [a!, c!]].map((entries) => stockHash(entries))),
    )
  })

  test('returns the root itself if nothing changes', () => {
    fc.assert(
      fc.property(entriesOf(mixedKey), fc.array(mixedKey), (entries, others) => {
        const root = update(null, entries)
        const present = new Map(entries.map(([key, value]) => [bytesToHex(key), value]))
        const absent = others.filter((key) => !present.has(bytesToHex(key)))
        expect(update(root, [])).toBe(root)
        expect(update(root, entriesIn(present))).toBe(root)
        expect(
          update(
            root,
            absent.map((key) => [key, null] as const),
          ),
        ).toBe(root)
      }),
    )
  })

  test('compares values by identity, not by content', () => {
    const key = bytes(1)
    const root = update(null, [[key, bytes(5)]])
    const next = update(root, [[key, bytes(5)]])
    expect(next).not.toBe(root)
    expect(hashOf(next)).toBe(hashOf(root))
  })

  test('gives the empty trie if it deletes every entry', () => {
    fc.assert(
      fc.property(entriesOf(mixedKey), (entries) => {
        const root = update(null, entries)
        expect(
          update(
            root,
            entries.map(([key]) => [key, null] as const),
          ),
        ).toBe(null)
      }),
    )
  })

  test('applies its changes in order: the last one of a key wins', () => {
    const key = bytes(1)
    const root = update(null, [
      [key, bytes(1)],
      [key, null],
      [key, bytes(2)],
      [bytes(2), bytes(3)],
      [bytes(2), null],
    ])
    expect(hashOf(root)).toBe(hashOf(update(null, [[key, bytes(2)]])))
  })

  test('hashes each node on the changed paths once, and encodes only the changed leaves', () => {
    const encoded: number[] = []
    let hashes = 0
    const codec: TrieCodec<{ id: number }> = {
      encode: ({ id }) => {
        encoded.push(id)
        return filled(60, id)
      },
    }
    const counting = (input: Bytes) => {
      hashes++
      return keccak(input)
    }
    // One branch of branches: 16 * 16 leaves under two nibbles.
    const keys = Array.from({ length: 256 }, (_, i) => bytes(i, 0))
    const root = trieUpdate(
      null,
      keys.map((key, id) => [key, { id }] as const),
    )
    const work = (next: typeof root) => {
      encoded.length = 0
      hashes = 0
      trieHash(next, codec, counting)
      return { hashes, encoded: encoded.toSorted((a, b) => a - b) }
    }
    expect(work(root)).toEqual({ hashes: 256 + 16 + 1, encoded: keys.map((_, i) => i) })
    expect(work(root)).toEqual({ hashes: 0, encoded: [] })
    const changed = [0x00, 0x01, 0x0f, 0xa7].map((i) => [keys[i]!, { id: 1000 + i }] as const)
    expect(work(trieUpdate(root, changed))).toEqual({
      hashes: 4 + 2 + 1,
      encoded: [1000, 1001, 1015, 1167],
    })
    expect(work(trieUpdate(root, [[keys[0x35]!, null]]))).toEqual({ hashes: 2, encoded: [] })
  })
})

describe('a proof', () => {
  const opts = { useKeyHashing: false }

  test('verifies with @ethereumjs/mpt, for existing and absent keys', async () => {
    const verifier = await createMPT(opts)
    await fc.assert(
      fc.asyncProperty(entriesOf(mixedKey), fc.array(mixedKey, { maxLength: 8 }), async (entries, others) => {
        const root = update(null, entries)
        const hash = trieHash(root, raw, keccak)
        for (const key of [...entries.map(([key]) => key), ...others]) {
          const proof = trieProof(root, key, raw, keccak)
          const value = trieGet(root, key) ?? null
          if (root === null) {
            expect(proof).toEqual([])
            continue
          }
          expect(await verifyMerkleProof(key, proof, { ...opts, root: hash })).toEqual(value)
          expect(await verifyMPTWithMerkleProof(verifier, hash, key, proof)).toEqual(value)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('of a secure trie verifies, starts at the root and links hash by hash', async () => {
    const keys = Array.from({ length: 500 }, (_, i) => keccak(bytes(i >> 8, i & 255)))
    const root = update(
      null,
      keys.slice(0, 400).map((key, i) => [key, filled(70, i)] as const),
    )
    const hash = trieHash(root, raw, keccak)
    for (const [i, key] of keys.entries()) {
      const proof = trieProof(root, key, raw, keccak)
      expect(await verifyMerkleProof(key, proof, { ...opts, root: hash })).toEqual(
        i < 400 ? filled(70, i) : null,
      )
      expect(proof.map((node) => bytesToHex(keccak(node)))[0]).toBe(bytesToHex(hash))
      for (const [j, node] of proof.slice(1).entries()) {
        expect(bytesToHex(proof[j]!)).toContain(bytesToHex(keccak(node)).slice(2))
      }
    }
  })

  test('contains no node that is embedded in its parent', () => {
    const root = update(null, [
      [bytes(0x11, 0x11), bytes(1)],
      [bytes(0x11, 0x12), bytes(2)],
      [bytes(0x22, 0x22), filled(40, 3)],
    ])
    expect(
      trieProof(root, bytes(0x11, 0x11), raw, keccak).map((node) => bytesToHex(node)),
    ).toMatchInlineSnapshot(`
      [
        "0xf84a80d9820011d580c22001c220028080808080808080808080808080a0fc4de80e44f7f77e869c9e110cc5497d12f3c5b298c92a8413369067ef43b8248080808080808080808080808080",
      ]
    `)
    expect(trieProof(root, bytes(0x22, 0x22), raw, keccak)).toHaveLength(2)
  })

  test('of a key that ends at a branch ends with that branch', () => {
    const root = update(null, [
      [bytes(0x11), filled(40, 1)],
      [bytes(0x11, 0x22), filled(40, 2)],
    ])
    const leaf = keccak(RLP.encode([bytes(0x32), filled(40, 2)]))
    const branch = RLP.encode([
      bytes(),
      bytes(),
      leaf,
      ...Array.from({ length: 13 }, () => bytes()),
      filled(40, 1),
    ])
    const extension = RLP.encode([bytes(0x00, 0x11), keccak(branch)])
    expect(trieProof(root, bytes(0x11), raw, keccak)).toEqual([extension, branch])
  })

  test('of a trie shorter than 32 bytes is its root', () => {
    const root = update(null, [[bytes(1), bytes(2)]])
    expect(trieProof(root, bytes(1), raw, keccak)).toEqual([RLP.encode([bytes(0x20, 1), bytes(2)])])
  })

  test('needs no earlier hashing', async () => {
    const entries = Array.from({ length: 50 }, (_, i) => [keccak(bytes(i)), filled(40, i)] as const)
    const proof = trieProof(update(null, entries), entries[7]![0], raw, keccak)
    const root = (await stockTrie(entries)).root()
    expect(await verifyMerkleProof(entries[7]![0], proof, { ...opts, root })).toEqual(entries[7]![1])
    expect(concatBytes(...proof).length).toBeGreaterThan(532)
  })
})
