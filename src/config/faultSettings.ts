/** What can go wrong on purpose: the faults, their presets and their checks. */
import { SchemaError } from '../primitives/errors.ts'
import { createSchema, type Schema } from '../primitives/schema.ts'
import { type OptionsInput, option, parseFields, parseOption } from './option.ts'
import { boolean, integer } from './optionSchemas.ts'

const count = option(integer(1))
const on = option(boolean)

/** Every fault. */
export const FAULTS = {
  /** Every nth tick of the timer is missed: nothing is published, and what waits enters with the next. */
  missTickEvery: count,
  /**
   * Milliseconds that every tick of the timer comes late; one that the next, or the slot's end, overtakes is missed.
   */
  tickDelay: count,
  /**
   * Every nth transaction that a tick pre-confirms is taken back at the next tick or seal, with what cannot be included
   * without it, and dropped. The chain tells of it, `retracted` and `dropped`; its endpoints do so without a word: the
   * receipt is null again, and no log comes with `removed: true`.
   */
  dropEvery: count,
  /**
   * `pending` stands still behind the chain: it is the block so many before the one under construction, at the least
   * genesis. 1 is the head. Nothing is pre-confirmed, and subscriptions to it send nothing.
   */
  pendingBehind: count,
  /** From a seal to the first tick `pending` is the head. */
  headAtBoundary: on,
  /** Every nth snapshot of a tick is lost on its way: from there to the next block `pending` is the head. */
  loseSnapshotEvery: count,
  /** Every nth snapshot of a tick comes twice to subscriptions. */
  repeatSnapshotEvery: count,
  /**
   * The hash of snapshots, also as the `blockHash` of their transactions, receipts and logs, is 32 zero bytes; no
   * snapshot is found by its hash.
   */
  zeroHash: on,
  /**
   * Calls on `pending` execute in the context of the block so many before the one under construction: on the newest
   * state, with an old block number and timestamp.
   */
  contextBehind: count,
  /**
   * Every nth request to send a transaction and wait for its receipt (EIP-7966) misses the receipt, and ends with the
   * timeout by the chain's clock, although the transaction is included.
   */
  missReceiptEvery: count,
}

/**
 * Faults that are on; one that is left out is off. Each is deterministic: what happens every nth time is counted from
 * when the faults were set, 1 being every time.
 *
 * Those of the timer and of the block under construction are the chain's, and show everywhere. All others show on
 * connections to the preconf view alone, as if another node stood in between; the standard view, the chain's events and
 * what `tick()` and `seal()` answer tell what is so. None of them touches what is sealed.
 */
export interface FaultSettings extends OptionsInput<typeof FAULTS> {}

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
  /** What was pre-confirmed is not in the block, and no event tells of it (base/base#3274). */
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

/** No fault at all: what {@link resolveFaults} gives if none is on. */
export const NO_FAULTS: FaultSettings = Object.freeze({})

/** Faults by the name of a preset or in detail, frozen; those that are off are left out. */
export const faults: Schema<FaultSettings, FaultPreset | FaultSettings> = createSchema(
  'the name of a preset, or an object',
  (value, path) => {
    if (typeof value === 'string') {
      if (Object.hasOwn(faultPresets, value)) return Object.freeze({ ...faultPresets[value as FaultPreset] })
      throw new SchemaError(path, `one of ${Object.keys(faultPresets).join(', ')}, or an object`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new SchemaError(path, 'the name of a preset, or an object')
    }
    const settings = Object.entries(parseFields(FAULTS, value, path)).filter(([, setting]) => setting)
    return settings.length === 0 ? NO_FAULTS : Object.freeze(Object.fromEntries(settings))
  },
)

/** The faults that are asked for, frozen. @throws InvalidOptionError */
export function resolveFaults(settings: FaultPreset | FaultSettings = NO_FAULTS): FaultSettings {
  return parseOption(faults, settings, 'faults')
}
