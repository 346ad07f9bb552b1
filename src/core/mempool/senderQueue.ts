import type { Address } from '../../base/types.ts'
import { feeCapOf, maxCost, type Transaction, tipCapOf } from '../../ethereum/transaction.ts'
import { coversFees } from '../../ethereum/validity.ts'

/** A waiting transaction with the fields that are read often. */
export interface Entry {
  readonly transaction: Transaction
  /** Position in the order of arrival, which only the transactions of a bundle share; negative if it was included before. */
  readonly arrival: number
  /** Whether the transaction was included before: the limits of the mempool do not apply to it. */
  readonly wasIncluded: boolean
  readonly feeCap: bigint
  readonly tipCap: bigint
  /** Wei per blob gas; undefined if there are no blobs. */
  readonly blobFeeCap: bigint | undefined
  readonly cost: bigint
}

/** Creates the entry of a transaction. */
export function createEntry(transaction: Transaction, arrival: number): Entry {
  return {
    transaction,
    arrival,
    wasIncluded: arrival < 0,
    feeCap: feeCapOf(transaction),
    tipCap: tipCapOf(transaction),
    blobFeeCap: transaction.maxFeePerBlobGas,
    cost: maxCost(transaction),
  }
}

/** The effective tip of an entry at a base fee, in wei per gas; negative if its fee cap is below the base fee. */
export function tipOf(entry: Entry, baseFee: bigint): bigint {
  const left = entry.feeCap - baseFee
  if (left < entry.tipCap) return left
  return entry.tipCap
}

/** Whether an entry may replace another: every fee field that both have is `priceBump` percent higher. */
export function outbids(entry: Entry, old: Entry, priceBump: number): boolean {
  const percent = 100n + BigInt(priceBump)
  // Rounded down, as in go-ethereum: clients compute `fee * 110n / 100n`. A fee of zero must still rise.
  const rises = (fee: bigint, from: bigint) => fee > from && fee >= (from * percent) / 100n
  if (!rises(entry.feeCap, old.feeCap) || !rises(entry.tipCap, old.tipCap)) return false
  if (entry.blobFeeCap === undefined || old.blobFeeCap === undefined) return true
  return rises(entry.blobFeeCap, old.blobFeeCap)
}

/** Which of a sender's entries can execute in the next block: those from `start` up to, not including, `end`. */
export interface Executable {
  readonly start: number
  readonly end: number
}

/**
 * One sender's waiting transactions by nonce, gaps allowed.
 *
 * Owns their order and the sum of their costs; does not own the account's nonce, which callers pass in.
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

  /** The entries, nonces rising. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** What all entries together can cost the sender, in wei. */
  get cost(): bigint {
    return this.#cost
  }

  /** What the entries with these transactions' nonces can cost the sender, in wei. */
  costOf(transactions: readonly Transaction[]): bigint {
    return transactions.reduce((sum, { nonce }) => sum + (this.at(nonce)?.cost ?? 0n), 0n)
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version
  }

  /** The entry with this nonce. */
  at(nonce: bigint): Entry | undefined {
    const entry = this.#entries[this.#indexOf(nonce)]
    return entry?.transaction.nonce === nonce ? entry : undefined
  }

  /** Inserts an entry by its nonce, or replaces the one with that nonce. */
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

  /** Removes the entry with this nonce, if there is one. */
  remove(nonce: bigint): void {
    const index = this.#indexOf(nonce)
    const entry = this.#entries[index]
    if (entry?.transaction.nonce !== nonce) return
    // An included transaction is the first here, and shifting is far cheaper than splicing.
    if (index === 0) this.#entries.shift()
    else this.#entries.splice(index, 1)
    this.#removed(entry)
  }

  /** Removes all entries below a nonce and returns them. */
  removeBelow(nonce: bigint): readonly Entry[] {
    const first = this.#entries[0]
    if (first === undefined || first.transaction.nonce >= nonce) return []
    const removed = this.#entries.splice(0, this.#indexOf(nonce))
    for (const entry of removed) this.#removed(entry)
    return removed
  }

  /** The first nonce from `from` on that no entry has. */
  gapFrom(from: bigint): bigint {
    const start = this.#indexOf(from)
    let low = start
    let high = this.#entries.length
    // Nonces are unique and rising: an entry is in the run if and only if its nonce is as far from `from` as its
    // index is from `start`.
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#entries[middle] as Entry).transaction.nonce === from + BigInt(middle - start))
        low = middle + 1
      else high = middle
    }
    return from + BigInt(low - start)
  }

  /**
   * Which entries can execute one after the other from the account's nonce on, each able to pay the base fees.
   *
   * @param before - a place in the order of arrival; each has an earlier one.
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

  /** The lowest effective tip of all entries; undefined if there is none. */
  lowestTip(baseFee: bigint): bigint | undefined {
    if (this.#lowest?.baseFee === baseFee) return this.#lowest.tip
    const tip = this.#lowestOf(this.#entries.length, baseFee)
    if (tip !== undefined) this.#lowest = { baseFee, tip }
    return tip
  }

  /** The lowest effective tip of the entries below a nonce; undefined if there is none. */
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

  /** The index of the first entry whose nonce is at least this one. */
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
