/**
 * What headers after a fork commit to as their state: the forked state, and what was changed since.
 *
 *   root = keccak256('preseal/fork' ‖ state root of the forked block ‖ root of the trie of changes)
 *
 * The state root of a real chain would need a proof for each key that is changed. This one is as deterministic, and
 * equal to no real one. A deleted account and a cleared slot are leaves too, so that it covers every change. An account that
 * is as it was forked is none, so that the root follows from the state, however that was reached.
 */

import { bigintToBytes, concatBytes, hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { TextEncoder } from '../../base/textEncoding.ts'
import type { Hash } from '../../base/types.ts'
import {
  type AccountRecord,
  isSameAccount,
  type StateChanges,
  type StateSource,
} from '../../ethereum/state/account.ts'
import { addressKey, OtherCommitment, slotKey } from '../../ethereum/state/stateTrie.ts'
import { type TrieChange, type TrieRoot, trieGet, trieHash, trieUpdate } from '../../ethereum/state/trie.ts'

interface ChangedAccount {
  /** Null if it was deleted. */
  readonly record: AccountRecord | null
  /** The slots of a forked storage that were written, or those of another one that are not zero. */
  readonly storage: TrieRoot<bigint>
}

const DOMAIN = new TextEncoder().encode('preseal/fork')

const SLOT_CODEC = { encode: (value: bigint) => encodeRlp(bigintToBytes(value)) }

/** See the file's header. */
export class ChangesTrie extends OtherCommitment {
  readonly #forkedRoot: Hash
  readonly #forked: Pick<StateSource, 'account'>
  readonly #changes: TrieRoot<ChangedAccount>

  /**
   * @param forkedRoot - the state root of the forked block.
   * @param forked - its state; an account that is changed was read before.
   */
  constructor(
    forkedRoot: Hash,
    forked: Pick<StateSource, 'account'>,
    changes: TrieRoot<ChangedAccount> = null,
  ) {
    super()
    this.#forkedRoot = forkedRoot
    this.#forked = forked
    this.#changes = changes
  }

  override update(changes: StateChanges, crypto: Crypto): ChangesTrie {
    const leaves: TrieChange<ChangedAccount>[] = []
    for (const [address, record] of changes.accounts) {
      const key = addressKey(address, crypto)
      const storage = record && this.#storageOf(record, trieGet(this.#changes, key), changes, crypto)
      const isForked = storage === null && isSameAccount(record, this.#forked.account(address))
      leaves.push([key, isForked ? null : { record, storage }])
    }
    return new ChangesTrie(this.#forkedRoot, this.#forked, trieUpdate(this.#changes, leaves))
  }

  #storageOf(
    { storageId }: AccountRecord,
    before: ChangedAccount | undefined,
    changes: StateChanges,
    crypto: Crypto,
  ): TrieRoot<bigint> {
    // Another storage id means that the storage was cleared since.
    const storage = before?.record?.storageId === storageId ? before.storage : null
    const slots = storageId === 0 ? undefined : changes.slots.get(storageId)
    if (slots === undefined) return storage
    const written: TrieChange<bigint>[] = []
    for (const [slot, value] of slots) {
      written.push([slotKey(slot, crypto), value === 0n && storageId > 0 ? null : value])
    }
    return trieUpdate(storage, written)
  }

  override root(crypto: Crypto): Uint8Array {
    const { keccak256 } = crypto
    const codec = {
      encode({ record, storage }: ChangedAccount): Uint8Array {
        if (record === null) return encodeRlp([])
        return encodeRlp([
          bigintToBytes(record.nonce),
          bigintToBytes(record.balance),
          hexToBytes(record.codeHash),
          trieHash(storage, SLOT_CODEC, keccak256),
          // Whether slots that are no leaf are those of the forked chain, or zero.
          bigintToBytes(record.storageId < 0 ? 1n : 0n),
        ])
      },
    }
    const changes = trieHash(this.#changes, codec, keccak256)
    return keccak256(concatBytes(DOMAIN, hexToBytes(this.#forkedRoot), changes))
  }
}
