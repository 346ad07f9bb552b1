/** prestateTracer: the accounts and slots that a transaction touches, before it, or with `diffMode` what it changes. */

import { bytesToHex, quantity, toWord } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash } from '../../base/types.ts'
import { signedAuthorizations } from '../../ethereum/evm/authorities.ts'
import type { BlockEnv, FrameEnd, Tracer } from '../../ethereum/evm/executor.ts'
import { delegateOf } from '../../ethereum/evm/validate.ts'
import {
  EMPTY_ACCOUNT,
  isEmptyAccount,
  readCode,
  readSlot,
  type StateReader,
} from '../../ethereum/state/account.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { TxEnv } from '../../ethereum/transaction.ts'
import type { PrestateAccount, PrestateDiffTrace, PrestateTrace } from './shapes.ts'
import type { TraceContext, TraceRun } from './tracer.ts'

/** Options of prestateTracer. */
export interface PrestateTracerConfig {
  /** Whether changed accounts are shown before and after, instead of all touched ones; by default false. */
  readonly diffMode?: boolean
  readonly disableCode?: boolean
  readonly disableStorage?: boolean
}

/** Creates a run of prestateTracer. */
export function createPrestateTracer(
  config: PrestateTracerConfig,
  context: TraceContext,
): TraceRun<PrestateTrace | PrestateDiffTrace> {
  const touched = new Touched(context)
  return {
    hooks: { tracer: touched, onAccess: (address, slot) => touched.add(address, slot) },
    result: () => (config.diffMode ? toDiff(touched, config) : toPrestate(touched, config)),
  }
}

/** The touched accounts and slots, and the states before and after. */
class Touched implements Tracer {
  readonly slots = new Map<Address, Set<Hash>>()
  /** The addresses of creations, including failed ones. */
  readonly created = new Set<Address>()
  after!: Overlay
  readonly spend: TraceContext['spend']
  readonly #crypto: Crypto

  constructor({ crypto, spend }: TraceContext) {
    this.#crypto = crypto
    this.spend = spend
  }

  /** The state before the transaction. */
  get before(): StateReader {
    return this.after.parent
  }

  onStart(tx: TxEnv, { coinbase, rules }: BlockEnv, state: Overlay): void {
    this.slots.clear()
    this.created.clear()
    this.after = state
    this.add(tx.from)
    this.add(coinbase)
    if (tx.to !== null) this.add(tx.to)
    for (const { authority } of signedAuthorizations(tx, rules.chainId, this.#crypto)) this.add(authority)
  }

  onExit({ created }: FrameEnd): void {
    if (created === undefined) return
    this.created.add(created)
    this.add(created)
  }

  add(address: Address, slot?: Hash): void {
    let slots = this.slots.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.slots.set(address, slots)
      // The account that it delegates to (EIP-7702) is touched too.
      const delegate = delegateOf(readCode(this.before, address))
      if (delegate !== undefined) this.add(delegate)
    }
    if (slot !== undefined) slots.add(slot)
  }

  /** The touched accounts sorted by address, each with its slots. */
  *sorted(): Generator<readonly [Address, Hash[]]> {
    for (const address of [...this.slots.keys()].sort()) yield [address, [...this.slots.get(address)!].sort()]
  }
}

function toPrestate(touched: Touched, config: PrestateTracerConfig): PrestateTrace {
  const prestate: Record<Address, PrestateAccount> = {}
  for (const [address, slots] of touched.sorted()) {
    const values = valuesOf(touched.before, address, slots)
    prestate[address] = counted(touched, toAccount(touched.before, address, values, config))
  }
  return prestate
}

function toDiff(touched: Touched, config: PrestateTracerConfig): PrestateDiffTrace {
  const { before, after, created } = touched
  const pre: Record<Address, PrestateAccount> = {}
  const post: Record<Address, PrestateAccount> = {}
  for (const [address, slots] of touched.sorted()) {
    const old = before.account(address)
    const now = after.account(address)
    if (old === undefined && now === undefined) continue
    const isGone = now === undefined
    const changed = config.disableStorage ? [] : changedSlots(touched, address, slots)
    const change = isGone ? {} : toChange(touched, address, changed, config)
    if (!isGone && Object.keys(change).length === 0 && changed.length === 0) continue
    if (!isGone) post[address] = counted(touched, change)
    if (created.has(address) && (old === undefined || isEmptyAccount(old))) continue
    const values = valuesOf(before, address, changed).filter(([, value]) => value > 0n)
    pre[address] = counted(touched, toAccount(before, address, values, config))
  }
  return { pre, post }
}

/** The memory of an account without code and storage, and of a slot, in bytes. */
const [ACCOUNT_BYTES, SLOT_BYTES] = [400, 250] as const

/** Counts the memory of an account, and returns the account. @throws TraceTooLargeError */
function counted({ spend }: Touched, account: PrestateAccount): PrestateAccount {
  const { code = '', storage = {} } = account
  spend(ACCOUNT_BYTES + code.length + SLOT_BYTES * Object.keys(storage).length)
  return account
}

function changedSlots({ before, after }: Touched, address: Address, slots: readonly Hash[]): Hash[] {
  return slots.filter((slot) => readSlot(before, address, slot) !== readSlot(after, address, slot))
}

/** The fields of an account that changed. */
function toChange(
  { before, after }: Touched,
  address: Address,
  changed: readonly Hash[],
  config: PrestateTracerConfig,
): PrestateAccount {
  const old = before.account(address) ?? EMPTY_ACCOUNT
  const now = after.account(address)!
  const values = valuesOf(after, address, changed).filter(([, value]) => value > 0n)
  return {
    ...(now.balance !== old.balance && { balance: quantity(now.balance) }),
    ...(now.nonce !== old.nonce && { nonce: Number(now.nonce) }),
    ...(now.codeHash !== old.codeHash &&
      !config.disableCode && { code: bytesToHex(after.code(now.codeHash)) }),
    ...(values.length > 0 && { storage: toStorage(values) }),
  }
}

function toAccount(
  state: StateReader,
  address: Address,
  values: readonly SlotValue[],
  { disableCode, disableStorage }: PrestateTracerConfig,
): PrestateAccount {
  const { balance, nonce, codeHash } = state.account(address) ?? EMPTY_ACCOUNT
  const code = state.code(codeHash)
  return {
    balance: quantity(balance),
    ...(nonce > 0n && { nonce: Number(nonce) }),
    ...(code.length > 0 && !disableCode && { code: bytesToHex(code) }),
    ...(values.length > 0 && !disableStorage && { storage: toStorage(values) }),
  }
}

type SlotValue = readonly [slot: Hash, value: bigint]

function valuesOf(state: StateReader, address: Address, slots: readonly Hash[]): SlotValue[] {
  return slots.map((slot) => [slot, readSlot(state, address, slot)])
}

function toStorage(values: readonly SlotValue[]): Record<Hash, Hash> {
  return Object.fromEntries(values.map(([slot, value]) => [slot, toWord(value)]))
}
