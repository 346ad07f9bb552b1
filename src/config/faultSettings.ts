/** What can go wrong on purpose: the faults, their presets, and the one place that checks them. */
import { check, isInteger, isObject } from './optionChecks.ts'

/**
 * Faults that are on; one that is left out is off. Each is deterministic: what happens every nth time is counted from
 * when the faults were set, 1 being every time.
 *
 * Those of the timer and of the block under construction are the chain's: whoever asks sees them. All others show on
 * connections to the preconf view alone, as if another node stood in between; the standard view, the chain's events and
 * what `tick()` and `seal()` answer tell what is so. None of them touches what is sealed.
 */
export interface FaultSettings {
  /** Every nth tick of the timer is missed: nothing is published, and what waits enters with the next. */
  readonly missTickEvery?: number | undefined
  /**
   * Milliseconds that every tick of the timer comes late; one that the next, or the slot's end, overtakes is missed.
   */
  readonly tickDelay?: number | undefined
  /**
   * Every nth transaction that a tick pre-confirms is taken back at the next tick or seal, with what cannot be included
   * without it, and dropped. The chain tells of it, `retracted` and `dropped`; its endpoints do so without a word: the
   * receipt is null again, and no log comes with `removed: true`.
   */
  readonly dropEvery?: number | undefined
  /**
   * `pending` stands still behind the chain: it is the block so many before the one under construction, at the least
   * genesis. 1 is the head. Nothing is pre-confirmed, and subscriptions to it send nothing.
   */
  readonly pendingBehind?: number | undefined
  /** From a seal to the first tick `pending` is the head. */
  readonly headAtBoundary?: boolean | undefined
  /** Every nth snapshot of a tick is lost on its way: from there to the next block `pending` is the head. */
  readonly loseSnapshotEvery?: number | undefined
  /** Every nth snapshot of a tick comes twice to subscriptions. */
  readonly repeatSnapshotEvery?: number | undefined
  /**
   * The hash of snapshots, also as the `blockHash` of their transactions, receipts and logs, is 32 zero bytes; no
   * snapshot is found by its hash.
   */
  readonly zeroHash?: boolean | undefined
  /**
   * Calls on `pending` execute in the context of the block so many before the one under construction: on the newest
   * state, with an old block number and timestamp.
   */
  readonly contextBehind?: number | undefined
  /**
   * Every nth request to send a transaction and wait for its receipt (EIP-7966) misses the receipt, and ends with the
   * timeout by the chain's clock, although the transaction is included.
   */
  readonly missReceiptEvery?: number | undefined
}

/**
 * What nodes have done, by name; the numbers are such that a short test meets it. Spread one to mix it with other
 * faults.
 *
 * @example
 * chain.faults.set({ ...faultPresets['zero-hash'], tickDelay: 50 })
 */
export const faultPresets = Object.freeze({
  /** The stream of snapshots stalls: nothing is pre-confirmed, only sealed (base/base#3616). */
  'stalled-stream': { missTickEvery: 1 },
  /** The builder drifts, and snapshots come when the next are almost due (Flashblocks' documentation). */
  'late-ticks': { tickDelay: 150 },
  /** What was pre-confirmed is not in the block, and nobody is told (base/base#3274). */
  'dropped-preconfirmation': { dropEvery: 3 },
  /** `pending` is hundreds of blocks old while `latest` is healthy (base/node#1129). */
  'stale-pending': { pendingBehind: 450 },
  /**
   * `pending` is always the head, and subscriptions are silent: a node that waits for ever for a first snapshot
   * (base/base#826).
   */
  'stuck-stream': { pendingBehind: 1 },
  /** At block boundaries there is no pending block, and the head stands in for it (base/base#178). */
  'head-at-boundary': { headAtBoundary: true },
  /**
   * A gap in the stream of snapshots gives up all that is pending until the next block (base/base#659, base/base#695).
   */
  'lost-snapshots': { loseSnapshotEvery: 5 },
  /**
   * A snapshot that the node was sent twice is passed on twice (base/base,
   * `crates/execution/flashblocks/src/processor.rs`).
   */
  'repeated-snapshots': { repeatSnapshotEvery: 2 },
  /** The pending block has no hash, so that one looks like the next (alchemyplatform/rundler#1325). */
  'zero-hash': { zeroHash: true },
  /** eth_call on `pending` sees a block number 3 to 5 blocks behind (base/base#1439). */
  'stale-context': { contextBehind: 4 },
  /** eth_sendRawTransactionSync waits for a receipt that is there already (base/base#3826). */
  'missed-receipt': { missReceiptEvery: 1 },
} as const satisfies Readonly<Record<string, FaultSettings>>)

/** The name of a preset of {@link faultPresets}. */
export type FaultPreset = keyof typeof faultPresets

/** What each fault must be. */
const KINDS: Readonly<Record<keyof FaultSettings, 'count' | 'switch'>> = {
  missTickEvery: 'count',
  tickDelay: 'count',
  dropEvery: 'count',
  pendingBehind: 'count',
  headAtBoundary: 'switch',
  loseSnapshotEvery: 'count',
  repeatSnapshotEvery: 'count',
  zeroHash: 'switch',
  contextBehind: 'count',
  missReceiptEvery: 'count',
}

/** No fault at all: what {@link resolveFaults} gives wherever none is on. */
export const NO_FAULTS: FaultSettings = Object.freeze({})

/** The faults that are asked for, frozen. @throws InvalidOptionError */
export function resolveFaults(faults: FaultPreset | FaultSettings = NO_FAULTS): FaultSettings {
  if (typeof faults === 'string') {
    const names = Object.keys(faultPresets).join(', ')
    check(Object.hasOwn(faultPresets, faults), 'faults', `one of ${names}, or an object`)
    return Object.freeze({ ...faultPresets[faults] })
  }
  check(isObject(faults) && !Array.isArray(faults), 'faults', 'the name of a preset, or an object')
  const on = Object.entries(faults).filter(([name, value]) => {
    check(Object.hasOwn(KINDS, name), `faults.${name}`, `one of ${Object.keys(KINDS).join(', ')}`)
    if (value === undefined) return false
    if (KINDS[name as keyof FaultSettings] === 'count') {
      check(isInteger(value, 1), `faults.${name}`, 'an integer from 1 on')
      return true
    }
    check(typeof value === 'boolean', `faults.${name}`, 'true or false')
    return value
  })
  return on.length === 0 ? NO_FAULTS : Object.freeze(Object.fromEntries(on))
}
