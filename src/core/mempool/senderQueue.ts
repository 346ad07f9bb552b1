import type { Address } from '../../base/types.ts'
import { feeCapOf, maxCost, type Transaction, tipCapOf } from '../../ethereum/transaction.ts'
import { coversFees } from '../../ethereum/validity.ts'

/** A waiting transaction, with the fields that are read often. */
export interface Entry {
  readonly transaction: Transaction
  /** The position in the order of arrival, shared only within a bundle. Negative if `wasIncluded`. */
  readonly arrival: number
  /** Whether the transaction was included before: the mempool's limits do not apply to it. */
  readonly wasIncluded: boolean
  readonly feeCap: bigint
  readonly tipCap: bigint
  /** Wei per blob gas; undefined without blobs. */
  readonly blobFeeCap: bigint | undefined
  readonly cost: bigint
}

/** Creates the entry of a transaction. @param extraFees - the maximum of its fees besides gas, in wei. */
export function createEntry(transaction: Transaction, arrival: number, extraFees: bigint): Entry {
  return {
    transaction,
    arrival,
    wasIncluded: arrival < 0,
    feeCap: feeCapOf(transaction),
    tipCap: tipCapOf(transaction),
    blobFeeCap: transaction.maxFeePerBlobGas,
    cost: maxCost(transaction) + extraFees,
  }
}

/** Returns the effective tip in wei per gas; negative if the fee cap is below the base fee. */
export function tipOf(entry: Entry, baseFee: bigint): bigint {
  const left = entry.feeCap - baseFee
  if (left < entry.tipCap) return left
  return entry.tipCap
}

/** Whether an entry may replace `old`: it must raise every fee that both have by `priceBump` percent. */
export function outbids(entry: Entry, old: Entry, priceBump: number): boolean {
  const percent = 100n + BigInt(priceBump)
  // Rounded down, as in go-ethereum: clients compute `fee * 110n / 100n`. A fee of zero must still rise.
  const rises = (fee: bigint, from: bigint) => fee > from && fee >= (from * percent) / 100n
  if (!rises(entry.feeCap, old.feeCap) || !rises(entry.tipCap, old.tipCap)) return false
  if (entry.blobFeeCap === undefined || old.blobFeeCap === undefined) return true
  return rises(entry.blobFeeCap, old.blobFeeCap)
}

/** A range of a sender's entries that the next block can execute, `end` excluded. */
export interface Executable {
  readonly start: number
  readonly end: number
}

/**
 * Waiting transactions of one sender by nonce, gaps allowed.
 *
 * Owns: their order, and the sum of their costs. Does not own the account's nonce, which callers pass.
 */
export class SenderQueue {
  readonly sender: Address
  readonly #entries: Entry[] = []
  #cost = 0n
  #version = 0
  #lowest: { readonly baseFee: bigint; readonly tip: bigint } | undefined

  constructor(sender: Address) {
    this.sender = sender
  }

  /** By ascending nonce. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** The maximum cost of all entries, in wei. */
  get cost(): bigint {
    return this.#cost
  }

  /** Returns the maximum cost of the entries with the nonces of `transactions`, in wei. */
  costOf(transactions: readonly Transaction[]): bigint {
    return transactions.reduce((sum, { nonce }) => sum + (this.at(nonce)?.cost ?? 0n), 0n)
  }

  get version(): number {
    return this.#version
  }

  at(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#indexOf(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Inserts an entry, or replaces the entry with its nonce. */
  put(entry: Entry): void {
    const nonce = entry.transaction.nonce
    const index = this.#indexOf(nonce)
    const replaced = this.at(nonce)
    if (replaced) {
      this.#entries[index] = entry
      this.#cost -= replaced.cost
    } else if (index === this.#entries.length) {
      this.#entries.push(entry)
    } else {
      this.#entries.splice(index, 0, entry)
    }
    this.#cost += entry.cost
    this.#version++
    const lowest = this.#lowest
    if (!lowest) return
    const tip = tipOf(entry, lowest.baseFee)
    if (replaced) this.#lowest = undefined
    else if (tip < lowest.tip) this.#lowest = { baseFee: lowest.baseFee, tip }
  }

  /** Removes the entry with this nonce, if any. */
  remove(nonce: bigint): void {
    const index = this.#indexOf(nonce)
    const entry = this.#entries[index]
    if (entry?.transaction.nonce !== nonce) return
    // Included transactions are removed from the front, and `shift` is far cheaper than `splice`.
    if (index === 0) this.#entries.shift()
    else this.#entries.splice(index, 1)
    this.#removed(entry)
  }

  /** Removes and returns all entries below a nonce. */
  removeBelow(nonce: bigint): readonly Entry[] {
    const first = this.#entries[0]
    if (first === undefined || first.transaction.nonce >= nonce) return []
    const removed = this.#entries.splice(0, this.#indexOf(nonce))
    for (const entry of removed) this.#removed(entry)
    return removed
  }

  /** Returns the first nonce from `from` on without an entry. */
  gapFrom(from: bigint): bigint {
    const start = this.#indexOf(from)
    let low = start
    let high = this.#entries.length
    // Nonces are unique and ascending: an entry belongs to the run if its nonce is as far from `from` as its index is
    // from `start`.
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as Entry).transaction.nonce === from + BigInt(middle - start))
        low = middle + 1
      else high = middle
    }
    return from + BigInt(low - start)
  }

  /**
   * Returns the range of consecutive entries from the account's nonce on that can pay the base fees.
   *
   * @param before - a position in the order of arrival. The range ends before the first entry that is not earlier.
   */
  executable(
    accountNonce: bigint,
    baseFee: bigint,
    blobBaseFee: bigint,
    before = Number.POSITIVE_INFINITY,
  ): Executable {
    const start = this.#indexOf(accountNonce)
    const contiguous = start + Number(this.gapFrom(accountNonce) - accountNonce)
    let end = start
    while (end < contiguous) {
      const entry = this.#entries[end] as Entry
      if (entry.arrival >= before || !coversFees(entry, baseFee, blobBaseFee)) break
      end++
    }
    return { start, end }
  }

  /** Returns the lowest effective tip of all entries; undefined if there are none. */
  lowestTip(baseFee: bigint): bigint | undefined {
    if (this.#lowest?.baseFee === baseFee) return this.#lowest.tip
    const tip = this.#lowestOf(this.#entries.length, baseFee)
    if (tip !== undefined) this.#lowest = { baseFee, tip }
    return tip
  }

  /** Returns the lowest effective tip of the entries below a nonce; undefined if there are none. */
  lowestTipBelow(nonce: bigint, baseFee: bigint): bigint | undefined {
    const count = this.#indexOf(nonce)
    return count === this.#entries.length ? this.lowestTip(baseFee) : this.#lowestOf(count, baseFee)
  }

  #removed(entry: Entry): void {
    this.#cost -= entry.cost
    this.#version++
    const lowest = this.#lowest
    if (lowest && tipOf(entry, lowest.baseFee) <= lowest.tip) this.#lowest = undefined
  }

  #lowestOf(count: number, baseFee: bigint): bigint | undefined {
    let lowest: bigint | undefined
    for (let i = 0; i < count; i++) {
      const tip = tipOf(this.#entries[i] as Entry, baseFee)
      if (lowest === undefined || tip < lowest) lowest = tip
    }
    return lowest
  }

  /** Returns the index of the first entry from this nonce on, or the number of entries if there is none. */
  #indexOf(nonce: bigint): number {
    const entries = this.#entries
    const last = entries[entries.length - 1]
    if (last === undefined || last.transaction.nonce < nonce) return entries.length
    let low = 0
    let high = entries.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle] as Entry).transaction.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }
}
