/**
 * The part of a header that commits to state, transactions and receipts, computed when it is first read
 * (core/DECISIONS.md 69). Owns: the additions to an earlier commitment, and the tries. A commitment never changes.
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Pause } from '../../base/waiting.ts'
import type { Receipt } from '../../ethereum/block.ts'
import {
  appendReceipts,
  extendBloom,
  NO_BLOOM,
  type ReceiptTrie,
  receiptTrieRoot,
} from '../../ethereum/evm/receiptEncoding.ts'
import { EMPTY_BLOOM, type Header } from '../../ethereum/header.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import { isUnchanged } from '../../ethereum/state/layer.ts'
import {
  type StateTrie,
  stateRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../ethereum/state/stateTrie.ts'
import { appendToList, type ListTrie, listTrieRoot } from '../../ethereum/state/trie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

interface Additions {
  readonly changes: StateChanges
  readonly transactions: readonly Transaction[]
  /** One per transaction, in order. */
  readonly receipts: readonly Receipt[]
}

interface Tries {
  readonly state: StateTrie
  readonly transactions: ListTrie
  readonly receipts: ReceiptTrie
  readonly length: number
  readonly bloom: Uint8Array
}

/** How many transactions `prepare` adds before it calls `pause`. */
const PART_SIZE = 200

/** See the file's header. */
export class Commitment {
  readonly #crypto: Crypto
  #tries: Tries | undefined
  #pending: { readonly since: Commitment; readonly additions: Additions } | undefined

  private constructor(crypto: Crypto, tries?: Tries) {
    this.#crypto = crypto
    this.#tries = tries
  }

  /** Returns the commitment to a block without transactions. @param state - the state trie. */
  static of(state: StateTrie, crypto: Crypto): Commitment {
    return new Commitment(crypto, { state, transactions: null, receipts: null, length: 0, bloom: NO_BLOOM })
  }

  with(additions: Additions): Commitment {
    if (isUnchanged(additions.changes) && additions.transactions.length === 0) return this
    const commitment = new Commitment(this.#crypto)
    commitment.#pending = { since: this, additions }
    return commitment
  }

  /** The number of accounts and transactions still to hash; 0 once computed. */
  get pendingSize(): number {
    let size = 0
    for (const { changes, transactions } of this.#steps().additions) {
      size += changes.accounts.size + transactions.length
    }
    return size
  }

  get stateTrie(): StateTrie {
    return this.#compute().state
  }

  fields(): Pick<Header, 'stateRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'> {
    const { state, transactions, receipts, bloom } = this.#compute()
    const crypto = this.#crypto
    return {
      stateRoot: bytesToHex(stateRoot(state, crypto)),
      transactionsRoot: bytesToHex(listTrieRoot(transactions, crypto)),
      receiptsRoot: bytesToHex(receiptTrieRoot(receipts, crypto)),
      logsBloom: bloom === NO_BLOOM ? EMPTY_BLOOM : bytesToHex(bloom),
    }
  }

  /** Computes the tries in parts. @param pause - called after each part. */
  async prepare(pause: Pause): Promise<void> {
    const { known, additions } = this.#steps()
    let tries = known
    for (const { changes, transactions, receipts } of additions) {
      for (let at = 0; at < transactions.length; at += PART_SIZE) {
        const until = at + PART_SIZE
        tries = addTransactions(tries, transactions.slice(at, until), receipts.slice(at, until))
        listTrieRoot(tries.transactions, this.#crypto)
        receiptTrieRoot(tries.receipts, this.#crypto)
        await pause()
      }
      tries = { ...tries, state: await updateStateTrieInParts(tries.state, changes, this.#crypto, pause) }
    }
    this.#tries = tries
    this.#pending = undefined
  }

  #compute(): Tries {
    if (this.#tries !== undefined) return this.#tries
    const { known, additions } = this.#steps()
    let tries = known
    for (const { changes, transactions, receipts } of additions) {
      tries = addTransactions(tries, transactions, receipts)
      tries = { ...tries, state: updateStateTrie(tries.state, changes, this.#crypto) }
    }
    this.#tries = tries
    this.#pending = undefined
    return tries
  }

  /** Returns the newest computed tries, and the additions since then, oldest first. */
  #steps(): { readonly known: Tries; readonly additions: readonly Additions[] } {
    const additions: Additions[] = []
    let at: Commitment = this
    for (; at.#pending !== undefined; at = at.#pending.since) additions.push(at.#pending.additions)
    return { known: at.#tries!, additions: additions.reverse() }
  }
}

function addTransactions(tries: Tries, added: readonly Transaction[], receipts: readonly Receipt[]): Tries {
  if (added.length === 0) return tries
  const { state, transactions, length, bloom } = tries
  const raws = added.map(({ raw }) => raw)
  return {
    state,
    transactions: appendToList(transactions, length, raws),
    receipts: appendReceipts(tries.receipts, length, receipts, added),
    length: length + added.length,
    bloom: extendBloom(bloom, receipts),
  }
}
