/** Fault injection: the faults, their presets and checks. */
import { SchemaError } from '../errors.ts'
import { createSchema, isObject, type Schema } from '../schema.ts'
import { type OptionsInput, option, parseFields, parseOption } from './option.ts'
import { boolean, integer } from './optionSchemas.ts'

const count = option(integer(1))
const on = option(boolean)

/** All faults by name. */
export const FAULTS = {
  /** Every nth tick of the timer is missed: the next tick or seal includes the waiting transactions. */
  missTickEvery: count,
  /**
   * Milliseconds by which every tick of the timer is late. A tick is missed if the next one, or the end of the slot,
   * comes first.
   */
  tickDelay: count,
  /**
   * Every nth transaction that a tick pre-confirms is dropped at the next tick or seal, with its bundle; transactions
   * that depend on it wait again. The chain emits `retracted` and `dropped`. Its endpoints send at most the stage
   * `dropped`: the receipt becomes null again, and no log is sent with `removed: true`.
   */
  dropEvery: count,
  /**
   * `pending` lags behind the chain: it is the block this many before the one under construction, or genesis if there
   * are fewer; 1 is the head. Pre-confirmations are neither shown nor sent by subscriptions.
   */
  pendingBehind: count,
  /** `pending` is the head from a seal to the first tick after it. */
  headAtBoundary: on,
  /** Every nth preconf block that a tick publishes is lost: until the next block, `pending` is the head. */
  losePreconfBlockEvery: count,
  /** Every nth preconf block that a tick publishes is sent twice by subscriptions. */
  repeatPreconfBlockEvery: count,
  /** Preconf blocks have 32 zero bytes as hash, and as `blockHash` of their transactions. No hash finds them. */
  zeroHash: on,
  /**
   * Calls on `pending` execute in the context of the block this many before the one under construction: newest state,
   * old block number and timestamp.
   */
  contextBehind: count,
  /**
   * Every nth request to send a transaction and wait for its receipt (EIP-7966) misses the receipt: it times out by the
   * chain's clock although the transaction is included.
   */
  missReceiptEvery: count,
}

/**
 * The faults that are on; a fault that is left out is off. Faults are deterministic: every nth time counts from when
 * the faults were set, and 1 means every time.
 *
 * `missTickEvery`, `tickDelay` and `dropEvery` affect the chain itself, and so every view. All others affect only
 * connections to the preconf view, like a faulty node: the standard view, the chain's events and the results of
 * `tick()` and `seal()` stay correct. No fault changes a sealed block.
 */
export interface FaultSettings extends OptionsInput<typeof FAULTS> {}

/**
 * Faults of real nodes by name, with values that take effect within a short test. Spread one to combine it with more.
 *
 * @example
 * chain.faults.set({ ...faultPresets['zero-hash'], tickDelay: 50 })
 */
export const faultPresets = Object.freeze({
  /** The stream of preconf blocks stalls: nothing is pre-confirmed, only sealed (base/base#3616). */
  'stalled-stream': { missTickEvery: 1 },
  /** The builder drifts, and preconf blocks come when the next one is almost due (Flashblocks' documentation). */
  'late-ticks': { tickDelay: 150 },
  /** A pre-confirmed transaction is not in the block, and no event announces it (base/base#3274). */
  'dropped-preconfirmation': { dropEvery: 3 },
  /** `pending` is hundreds of blocks old while `latest` is healthy (base/node#1129). */
  'stale-pending': { pendingBehind: 450 },
  /** `pending` is always the head, and subscriptions are silent: the node has no preconf block yet (base/base#826). */
  'stuck-stream': { pendingBehind: 1 },
  /** At block boundaries there is no pending block, and `pending` is the head (base/base#178). */
  'head-at-boundary': { headAtBoundary: true },
  /** After a gap in the preconf blocks, nothing is pending until the next block (base/base#659, base/base#695). */
  'lost-preconf-blocks': { losePreconfBlockEvery: 5 },
  /** A preconf block received twice is sent twice (base/base, `crates/execution/flashblocks/src/processor.rs`). */
  'repeated-preconf-blocks': { repeatPreconfBlockEvery: 2 },
  /** The pending block has no hash, so that preconf blocks look the same (alchemyplatform/rundler#1325). */
  'zero-hash': { zeroHash: true },
  /** eth_call on `pending` sees a block number 3 to 5 blocks behind (base/base#1439). */
  'stale-context': { contextBehind: 4 },
  /** eth_sendRawTransactionSync waits for a receipt that already exists (base/base#3826). */
  'missed-receipt': { missReceiptEvery: 1 },
} as const satisfies Readonly<Record<string, FaultSettings>>)

/** The name of a preset of {@link faultPresets}. */
export type FaultPreset = keyof typeof faultPresets

/** No faults; {@link resolveFaults} returns this object if all are off. */
export const NO_FAULTS: FaultSettings = Object.freeze({})

/** The schema of faults: a preset's name or settings. The result is frozen, and has only the faults that are on. */
export const faults: Schema<FaultSettings, FaultPreset | FaultSettings> = createSchema(
  'the name of a preset, or an object',
  (value, path) => {
    if (typeof value === 'string') {
      if (Object.hasOwn(faultPresets, value)) return Object.freeze({ ...faultPresets[value as FaultPreset] })
      throw new SchemaError(path, `one of ${Object.keys(faultPresets).join(', ')}, or an object`)
    }
    if (!isObject(value)) throw new SchemaError(path, 'the name of a preset, or an object')
    const settings = Object.entries(parseFields(FAULTS, value, path)).filter(([, setting]) => setting)
    return settings.length === 0 ? NO_FAULTS : Object.freeze(Object.fromEntries(settings))
  },
)

/** Checks and freezes faults, given as a preset's name or as settings. @throws InvalidOptionError */
export function resolveFaults(settings: FaultPreset | FaultSettings = NO_FAULTS): FaultSettings {
  return parseOption(faults, settings, 'faults')
}
