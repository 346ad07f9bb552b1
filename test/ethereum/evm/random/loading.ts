/** A state that is not loaded at first. */

import type { Address, Hash, Hex } from '../../../../src/base/types.ts'
import { Missing } from '../../../../src/base/waiting.ts'
import type { AccountRecord, StateReader } from '../../../../src/ethereum/state/account.ts'

/**
 * A state each of whose entries is missing until it was read once.
 *
 * Owns: which entries are loaded. Does not own the state.
 */
export class LoadedByRead implements StateReader {
  readonly #state: StateReader
  readonly #loaded = new Set<string>()

  constructor(state: StateReader) {
    this.#state = state
  }

  get lastStorageId(): number {
    return this.#state.lastStorageId
  }

  account(address: Address): AccountRecord | undefined {
    this.#read(address)
    return this.#state.account(address)
  }

  slot(storageId: number, key: Hex): bigint {
    this.#read(`${storageId} ${key}`)
    return this.#state.slot(storageId, key)
  }

  code(codeHash: Hash): Uint8Array {
    this.#read(codeHash)
    return this.#state.code(codeHash)
  }

  #read(entry: string): void {
    if (this.#loaded.has(entry)) return
    throw new Missing(async () => {
      this.#loaded.add(entry)
    })
  }
}
