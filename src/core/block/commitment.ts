/**
 * What the header of a block under construction commits to: its state, its transactions and its receipts.
 *
 * Most snapshots are replaced before their hash is read, and computing it would take most of a tick's time, so a snapshot's
 * commitment is computed when it is first read.
 *
 * Owns: until then what was added since another commitment, afterwards the tries. Its value never changes.
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

/** What a block has more than another one. */
export interface Additions {
  readonly changes: StateChanges
  readonly transactions: readonly Transaction[]
  /** One per transaction, in order. */
  readonly receipts: readonly Receipt[]
}

/** The fields of a header that depend on what is in the block. */
export type CommittedFields = Pick<Header, 'stateRoot' | 'transactionsRoot' | 'receiptsRoot' | 'logsBloom'>

interface Tries {
  readonly state: StateTrie
  readonly transactions: ListTrie
  readonly receipts: ReceiptTrie
  readonly length: number
  readonly bloom: Uint8Array
}

/** The transactions whose tries are extended between two calls of `pause`. */
const PART_SIZE = 200

/** See the file's header. */
export class Commitment {
  readonly #crypto: Crypto
  #tries: Tries | undefined
  #pending: { readonly since: Commitment; readonly additions: Additions } | undefined

  private constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** Of a block without transactions. @param state - the trie of its state. */
  static of(state: StateTrie, crypto: Crypto): Commitment {
    const commitment = new Commitment(crypto)
    commitment.#tries = { state, transactions: null, receipts: null, length: 0, bloom: NO_BLOOM }
    return commitment
  }

  /** Of the same block with more in it. */
  with(additions: Additions): Commitment {
    if (isUnchanged(additions.changes) && additions.transactions.length === 0) return this
    const commitment = new Commitment(this.#crypto)
    commitment.#pending = { since: this, additions }
    return commitment
  }

  /** The accounts and transactions that are to be added before it can be read; 0 once it was computed. */
  get pendingSize(): number {
    let size = 0
    for (const { changes, transactions } of this.#steps().additions) {
      size += changes.accounts.size + transactions.length
    }
    return size
  }

  /** The trie of the state. */
  get stateTrie(): StateTrie {
    return this.#compute().state
  }

  /** The fields of the header. */
  fields(): CommittedFields {
    const { state, transactions, receipts, bloom } = this.#compute()
    const crypto = this.#crypto
    return {
      stateRoot: bytesToHex(stateRoot(state, crypto)),
      transactionsRoot: bytesToHex(listTrieRoot(transactions, crypto)),
      receiptsRoot: bytesToHex(receiptTrieRoot(receipts, crypto)),
      logsBloom: bloom === NO_BLOOM ? EMPTY_BLOOM : bytesToHex(bloom),
    }
  }

  /** Computes it in parts. @param pause - called after each part. */
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

  /** The newest tries that are known, and what was added since, oldest first. */
  #steps(): { readonly known: Tries; readonly additions: readonly Additions[] } {
    const additions: Additions[] = []
    let at: Commitment = this
    for (; at.#pending !== undefined; at = at.#pending.since) additions.push(at.#pending.additions)
    return { known: at.#tries!, additions: additions.reverse() }
  }
}

function addTransactions(
  tries: Tries,
  transactions: readonly Transaction[],
  receipts: readonly Receipt[],
): Tries {
  if (transactions.length === 0) return tries
  const { state, transactions: list, receipts: listed, length, bloom } = tries
  const raws: Uint8Array[] = []
  for (const { raw } of transactions) raws.push(raw)
  return {
    state,
    transactions: appendToList(list, length, raws),
    receipts: appendReceipts(listed, length, receipts, transactions),
    length: length + transactions.length,
    bloom: extendBloom(bloom, receipts),
  }
}
