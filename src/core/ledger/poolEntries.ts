/**
 * The entries of the transactions that are not sealed. Those that are added by one write share entries, since a database
 * takes about as long for a small entry as for a large one.
 *
 *   one transaction     `preseal:pool:` and its hash
 *   several             `preseal:pools:` and a number; written again without those that leave, and removed with the last one
 *
 * Owns: which entry has which transaction. Does not write: its changes are parts of batches.
 */
import { splitBySize } from '../../base/splitBySize.ts'
import type { Hash } from '../../base/types.ts'
import type { Entry, Key } from './bytesDatabase.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import { checked, verified } from './format/entries.ts'
import {
  decodePoolEntry,
  decodePoolGroup,
  encodePoolEntry,
  encodePoolGroup,
  type PoolEntry,
} from './format/poolEntry.ts'
import type { BatchPart } from './storedChange.ts'

/** Key prefix, before its hash, of a transaction that is not sealed. */
export const POOL_KEY = 'preseal:pool:'
/** Key prefix, before a number, of several transactions that are not sealed. */
export const POOLS_KEY = 'preseal:pools:'

/** As many bytes of transactions share an entry: what is written again if one of them leaves alone. */
const GROUP_BYTES = 16_384

/** Transactions in one entry, at least one. */
interface Group {
  readonly key: string
  readonly members: readonly PoolEntry[]
}

/** A change of the entries. */
export interface PoolChange extends BatchPart {
  /** To be called once it is written. */
  applied(): void
}

/** See the file's header. */
export class PoolEntries {
  readonly #groups = new Map<Hash, Group>()
  /** The place in the order of arrival with which each transaction is stored. */
  readonly #arrivals = new Map<Hash, number>()
  #nextNumber = 0

  /** The stored transactions, in the order of arrival. @throws DatabaseCorruptError */
  async read(store: BlockStore): Promise<PoolEntry[]> {
    const found: PoolEntry[] = []
    this.#groups.clear()
    this.#arrivals.clear()
    const add = (key: string, members: readonly PoolEntry[]) => {
      this.#set({ key, members })
      found.push(...members)
    }
    for (const [key, bytes] of await store.entriesOf(POOL_KEY)) {
      const value = verified(key, bytes, `the entry ${key}`)
      add(key, [decodePoolEntry(key.slice(POOL_KEY.length) as Hash, value)])
    }
    for (const [key, bytes] of await store.entriesOf(POOLS_KEY)) {
      add(key, decodePoolGroup(verified(key, bytes, `the entry ${key}`)))
      this.#nextNumber = Math.max(this.#nextNumber, Number(key.slice(POOLS_KEY.length)) + 1)
    }
    return found.sort((a, b) => a.arrival - b.arrival)
  }

  /** Whether the transaction is stored. */
  has(hash: Hash): boolean {
    return this.#arrivals.has(hash)
  }

  /** Its place in the order of arrival; undefined if it is not stored. */
  arrival(hash: Hash): number | undefined {
    return this.#arrivals.get(hash)
  }

  /**
   * Adds and removes transactions. One that is stored can be added with another place.
   *
   * @param removed - those that are not stored are ignored.
   */
  change(added: readonly PoolEntry[], removed: Iterable<Hash>): PoolChange {
    const leaving = new Set(removed)
    for (const { hash } of added) leaving.add(hash)
    const emptied = new Set<Key>()
    const groups: Group[] = []
    for (const { key, members } of new Set([...leaving].flatMap((hash) => this.#groups.get(hash) ?? []))) {
      const staying = members.filter(({ hash }) => !leaving.has(hash))
      if (staying.length === 0) emptied.add(key)
      else groups.push({ key, members: staying })
    }
    for (const members of splitBySize(added, GROUP_BYTES, ({ raw }) => raw.length)) {
      const isAlone = members.length === 1
      const key = isAlone ? POOL_KEY + members[0]!.hash : POOLS_KEY + this.#nextNumber++
      // It had the same entry before, with another place.
      emptied.delete(key)
      groups.push({ key, members })
    }
    return {
      entries: groups.map(encode),
      removed: [...emptied],
      applied: () => {
        for (const hash of leaving) {
          this.#groups.delete(hash)
          this.#arrivals.delete(hash)
        }
        for (const group of groups) this.#set(group)
      },
    }
  }

  #set(group: Group): void {
    for (const { hash, arrival } of group.members) {
      this.#groups.set(hash, group)
      this.#arrivals.set(hash, arrival)
    }
  }
}

function encode({ key, members }: Group): Entry {
  const isAlone = key.startsWith(POOL_KEY)
  return checked(key, isAlone ? encodePoolEntry(members[0]!) : encodePoolGroup(members))
}
