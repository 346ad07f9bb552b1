/**
 * What headers after a fork commit to as their state: the forked state, and what was changed since.
 *
 *   root = keccak256('preseal/fork' ‖ state root of the forked block ‖ root of the trie of changes)
 *
 * The state root of a real chain would need a proof for each key that is changed. This one is as deterministic, and
 * equal to no real one. A deleted account and a cleared slot are leaves too, so that it covers every change.
 */
import type { Crypto } from '../crypto/crypto.ts'
import { bigintToBytes, concatBytes, hexToBytes } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import { TextEncoder } from '../primitives/textEncoding.ts'
import type { Hash } from '../primitives/types.ts'
import type { AccountRecord, StateChanges } from '../state/account.ts'
import { addressKey, OtherCommitment, slotKey } from '../state/stateTrie.ts'
import { type TrieChange, type TrieRoot, trieGet, trieHash, trieUpdate } from '../state/trie.ts'

interface ChangedAccount {
  /** Null if it was deleted. */
  readonly record: AccountRecord | null
  /** The slots that were written since the fork, or since the storage was cleared. */
  readonly storage: TrieRoot<bigint>
}

const DOMAIN = new TextEncoder().encode('preseal/fork')

const SLOT_CODEC = { encode: (value: bigint) => encodeRlp(bigintToBytes(value)) }

/** See the file's header. */
export class ChangesTrie extends OtherCommitment {
  readonly #forkedRoot: Hash
  readonly #changes: TrieRoot<ChangedAccount>

  /** @param forkedRoot - the state root of the forked block. */
  constructor(forkedRoot: Hash, changes: TrieRoot<ChangedAccount> = null) {
    super()
    this.#forkedRoot = forkedRoot
    this.#changes = changes
  }

  override update(changes: StateChanges, crypto: Crypto): ChangesTrie {
    const leaves: TrieChange<ChangedAccount>[] = []
    for (const [address, record] of changes.accounts) {
      const key = addressKey(address, crypto)
      const before = trieGet(this.#changes, key)
      if (record === null) {
        leaves.push([key, { record, storage: null }])
        continue
      }
      // Another storage id means that the storage was cleared since.
      const isSame = before?.record?.storageId === record.storageId
      let storage = isSame ? before.storage : null
      const slots = record.storageId === 0 ? undefined : changes.slots.get(record.storageId)
      if (slots !== undefined) {
        const written: TrieChange<bigint>[] = []
        for (const [slot, value] of slots) written.push([slotKey(slot, crypto), value])
        storage = trieUpdate(storage, written)
      }
      leaves.push([key, { record, storage }])
    }
    return new ChangesTrie(this.#forkedRoot, trieUpdate(this.#changes, leaves))
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
