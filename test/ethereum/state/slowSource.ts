import { systemClock } from '../../../src/base/clock.ts'
import { Missing } from '../../../src/base/waiting.ts'
import { NO_CODE, type StateChanges, type StateSource } from '../../../src/ethereum/state/account.ts'

/** A source that has an entry a turn of the event loop after its first read; and the list of loaded entries. */
export function createSlowSource(state: StateChanges): {
  readonly source: StateSource
  readonly loaded: Set<string>
} {
  const loaded = new Set<string>()
  const read = <Value>(key: string, value: Value): Value => {
    if (loaded.has(key)) return value
    throw new Missing(async () => {
      await systemClock.yield()
      loaded.add(key)
    })
  }
  const source: StateSource = {
    lastStorageId: state.lastStorageId ?? 0,
    account: (address) => read(`account ${address}`, state.accounts.get(address) ?? null),
    slot: (id, key) => read(`slot ${id} ${key}`, state.slots.get(id)?.get(key) ?? 0n),
    code: (hash) => read(`code ${hash}`, state.codes.get(hash) ?? NO_CODE),
    everything: () => read('everything', state),
  }
  return { source, loaded }
}
