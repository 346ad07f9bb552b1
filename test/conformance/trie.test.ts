import { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/bytes.ts'
import type { Hash, Hex } from '../../src/base/types.ts'
import {
  type TrieChange,
  type TrieRoot,
  trieGet,
  trieHash,
  trieUpdate,
} from '../../src/ethereum/state/trie.ts'
import { runs } from '../full.ts'
import { type Folder, readJson } from './folder.ts'
import { TRIE_TESTS } from './served.ts'

/** Entries in the order in which they are put, null to delete; or in any order. */
type Entries = readonly (readonly [string, string | null])[] | Readonly<Record<string, string | null>>

type TrieTestFile = Readonly<Record<string, { readonly in: Entries; readonly root?: Hash }>>

interface TrieTest {
  readonly name: string
  readonly changes: readonly TrieChange<Uint8Array>[]
  readonly inAnyOrder: boolean
  readonly root: Hash
}

/** The tests that give a root; the others are of a key's successor, which the trie cannot find. */
async function readTrieTests(folder: Folder): Promise<TrieTest[]> {
  const tests: TrieTest[] = []
  for (const file of await folder.list()) {
    const toKey = /secure/i.test(file)
      ? (bytes: Uint8Array) => keccak256(bytes)
      : (bytes: Uint8Array) => bytes
    for (const [title, { in: entries, root }] of Object.entries(await readJson<TrieTestFile>(folder, file))) {
      if (root === undefined) continue
      const inAnyOrder = !Array.isArray(entries)
      const listed = (inAnyOrder ? Object.entries(entries) : entries) as [string, string | null][]
      const changes = listed.map(
        ([key, value]): TrieChange<Uint8Array> => [
          toKey(toBytes(key)),
          value === null ? null : toBytes(value),
        ],
      )
      tests.push({ name: `${file} ${title}`, changes, inAnyOrder, root })
    }
  }
  return tests
}

function toBytes(text: string): Uint8Array {
  return text.startsWith('0x') ? hexToBytes(text as Hex) : new TextEncoder().encode(text)
}

function rootOf(trie: TrieRoot<Uint8Array>): Hash {
  return bytesToHex(trieHash(trie, { encode: (value) => value }, (bytes) => keccak256(bytes)))
}

describe('the trie tests of ethereum/tests', async () => {
  if (TRIE_TESTS === undefined) {
    it.skip('give their roots: PRESEAL_ETHEREUM_TESTS names no folder', () => {})
  } else {
    const tests = await readTrieTests(TRIE_TESTS)

    it.each(tests)('$name gives its root, at once and change by change', ({ changes, root }) => {
      const whole = trieUpdate(null, changes)
      const stepwise = changes.reduce<TrieRoot<Uint8Array>>((trie, change) => {
        const next = trieUpdate(trie, [change])
        rootOf(next)
        return next
      }, null)
      expect([rootOf(whole), rootOf(stepwise)]).toEqual([root, root])
      const last = new Map(changes.map(([key, value]) => [bytesToHex(key), value ?? undefined]))
      const got = [...last.keys()].map((key) => [key, trieGet(whole, hexToBytes(key))])
      expect(got).toEqual([...last])
    })

    it.each(tests.filter(({ inAnyOrder }) => inAnyOrder))(
      '$name gives its root in any order',
      ({ changes, root }) => {
        fc.assert(
          fc.property(fc.shuffledSubarray([...changes], { minLength: changes.length }), (shuffled) => {
            expect(rootOf(trieUpdate(null, shuffled))).toBe(root)
          }),
          runs(20, 500),
        )
      },
    )
  }
})
