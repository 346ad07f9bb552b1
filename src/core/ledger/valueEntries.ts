/**
 * The entries of the values that a chain keeps beside its blocks, such as the settings of the blocks to come.
 *
 * Owns: how each value is stored. Does not write: its changes are parts of batches.
 */
import type { Entry } from './bytesDatabase.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import { checked, verified } from './format/entries.ts'
import type { StoredValue } from './journal.ts'
import type { BatchPart } from './storedChange.ts'

/** Key prefix, before its name, of a value. */
export const VALUE_KEY = 'preseal:value:'

interface Kept {
  readonly value: StoredValue
  /** As it is when nothing is stored. */
  readonly first: unknown
  /** As it is stored. */
  stored: unknown
}

/** See the file's header. */
export class ValueEntries {
  readonly #store: BlockStore
  readonly #kept = new Map<string, Kept>()

  constructor(store: BlockStore) {
    this.#store = store
  }

  /** The stored value; undefined if there is none. @throws DatabaseCorruptError */
  async read(name: string): Promise<Uint8Array | undefined> {
    const key = VALUE_KEY + name
    const stored = await this.#store.entry(key)
    return stored === undefined ? undefined : verified(key, stored, `the value ${name}`)
  }

  /** Watches a value from now on. It is stored as it is now. */
  keep(name: string, value: StoredValue, stored: unknown = value.read()): void {
    this.#kept.set(name, { value, first: stored, stored })
  }

  /** Whether a value is another one than the stored one. */
  isOther(name: string, value: unknown): boolean {
    return value !== this.#kept.get(name)!.stored
  }

  /** The values that are others than the stored ones. */
  changed(): (readonly [name: string, value: unknown])[] {
    const now = [...this.#kept].map(([name, { value }]) => [name, value.read()] as const)
    return now.filter(([name, value]) => value !== undefined && this.isOther(name, value))
  }

  /** A value's entry. */
  entry(name: string, value: unknown): Entry {
    return checked(VALUE_KEY + name, this.#kept.get(name)!.value.encode(value as never))
  }

  /** To be called once {@link entry} is written. */
  written(name: string, value: unknown): void {
    this.#kept.get(name)!.stored = value
  }

  /** What the database has to get if it may have lost values, or have others. */
  async restored(): Promise<BatchPart> {
    const entries: Entry[] = []
    const removed: string[] = []
    for (const [name, { value, first, stored }] of this.#kept) {
      const found = await this.read(name)
      if (found === undefined && stored === first) continue
      if (stored === undefined) removed.push(VALUE_KEY + name)
      else if (String(found) !== String(value.encode(stored as never))) entries.push(this.entry(name, stored))
    }
    return { entries, removed }
  }
}
