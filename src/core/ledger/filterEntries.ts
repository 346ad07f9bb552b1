import type { BlockStore } from './ethereumjs/blockStore.ts'
import { checked, verified } from './format/records.ts'
import { valueFromText, valueToText } from './patchEncoding.ts'
import type { EntriesChange } from './storedChange.ts'

/** Key prefix of a filter. Its id follows, in hex of fixed length. */
export const FILTER_KEY = 'preseal:filter:'

/** How many filters a database keeps. */
const MAX_STORED = 10_000

const keyOf = (id: number) => FILTER_KEY + id.toString(16).padStart(16, '0')

/** The stored filters, as JSON. Does not write: its changes are parts of batches. */
export class FilterEntries {
  /** In order of the last write, oldest first. */
  readonly #stored = new Set<number>()

  /** Reads the newest filters by id. @throws DatabaseCorruptError */
  async read(store: BlockStore): Promise<Map<number, object>> {
    const found = await store.entriesOf(FILTER_KEY, MAX_STORED)
    const filters = new Map<number, object>()
    for (const [key, bytes] of found.reverse()) {
      const text = new TextDecoder().decode(verified(key, bytes, `the entry ${key}`))
      filters.set(Number.parseInt(key.slice(FILTER_KEY.length), 16), valueFromText<object>(text))
    }
    this.#stored.clear()
    for (const id of filters.keys()) this.#stored.add(id)
    return filters
  }

  /** Sets filters. Beyond the limit, the ones whose last write is oldest go. */
  set(filters: readonly (readonly [id: number, filter: object])[]): EntriesChange {
    const all = new Set(this.#stored)
    for (const [id] of filters) {
      all.delete(id)
      all.add(id)
    }
    const oldest = [...all].slice(0, Math.max(0, all.size - MAX_STORED))
    return {
      entries: filters.map(([id, filter]) =>
        checked(keyOf(id), new TextEncoder().encode(valueToText(filter))),
      ),
      removed: oldest.map(keyOf),
      applied: () => {
        for (const id of oldest) this.#stored.delete(id)
        for (const [id] of filters) {
          this.#stored.delete(id)
          this.#stored.add(id)
        }
      },
    }
  }

  remove(ids: readonly number[]): EntriesChange {
    return {
      entries: [],
      removed: ids.filter((id) => this.#stored.has(id)).map(keyOf),
      applied: () => {
        for (const id of ids) this.#stored.delete(id)
      },
    }
  }
}
