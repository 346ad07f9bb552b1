/**
 * A chain's rules beyond Ethereum's: fees besides gas, types of transactions, and fields on the wire.
 *
 * Ethereum has no spec, so its chains only pay for a check of `rules.spec`. A part that is absent is as on Ethereum.
 * All parts are pure functions or constants: a block that is executed again must give the same result.
 */

import type { Address, Hex } from '../base/types.ts'
import type { Transaction, TransactionType, TxEnv } from './transaction.ts'

/** What a chain has beyond Ethereum's rules; an absent part is as on Ethereum. */
export interface ChainSpec {
  /** Identifies the rules. A database and an export keep it, and open only under rules with this name. */
  readonly name: string
  /** The fees of a transaction besides gas and blobs. */
  readonly fees?: readonly ExtraFee[]
  /** The account that receives the base fee of transactions; without one the fee is burnt. Tips go to the coinbase. */
  readonly baseFeeRecipient?: Address
  /** The types that transactions can have, once their forks are active; by default all. */
  readonly transactionTypes?: readonly TransactionType[]
  /** Further fields of receipts. A database stores their values. */
  readonly receiptFields?: readonly ShownField<Metered>[]
  /** Further fields of transactions that are in a block; waiting transactions do not have them. */
  readonly transactionFields?: readonly ShownField<Transaction>[]
  /** Further fields of blocks and of newHeads, to which the hash of a header does not commit. */
  readonly headerFields?: readonly ShownField<ShownHeader>[]
}

/** A fee besides gas, such as for the data that a rollup publishes. */
interface ExtraFee {
  /** The account that receives the fee. */
  readonly recipient: Address
  /**
   * Returns the fee in wei. The sender pays the amount for the gas limit first, and the execution refunds the difference
   * from the amount for the gas used. Less gas must not cost more.
   */
  amount(metered: Metered): bigint
}

/** A field that requests return besides Ethereum's. */
interface ShownField<From> {
  readonly name: string
  /** Returns the value as on the wire; undefined leaves the field out. */
  read(from: From): string | undefined
}

/** Values of fields by name, as on the wire. */
export type ExtraFields = Readonly<Record<string, string>>

/** A transaction or a call, before or after its execution. */
export interface Metered {
  /** `raw`, the EIP-2718 bytes, is absent for a call. */
  readonly tx: TxEnv & Partial<Pick<Transaction, 'raw'>>
  /** The gas limit before the execution, the gas used after it. */
  readonly gas: bigint
  readonly env: MeteredEnv
  /** The state before the transaction. */
  readonly state: MeteredState
}

/** The block of a transaction, as far as fees can depend on it. */
interface MeteredEnv {
  readonly number: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  /** Wei per gas. */
  readonly baseFee: bigint
}

/** A state, as far as fees can depend on it. */
interface MeteredState {
  account(address: Address): { readonly balance: bigint; readonly storageId: number } | undefined
  /** Returns the value of a slot in the storage of an account. */
  slot(storageId: number, key: Hex): bigint
}

/** A header, as far as shown fields can depend on it. */
interface ShownHeader {
  readonly number: bigint
  /** Unix time in seconds. */
  readonly timestamp: bigint
  readonly extraData: Hex
}

/** The block and the state that a transaction is executed on. */
interface ExecutionPlace {
  readonly env: MeteredEnv & { readonly rules: { readonly spec: ChainSpec | undefined } }
  readonly state: MeteredState
}

/** Returns the maximum of a transaction's fees besides gas, in wei; zero on Ethereum. @param gas - its gas limit. */
export function extraFeesOf(tx: TxEnv, { env, state }: ExecutionPlace, gas = tx.gasLimit): bigint {
  const { spec } = env.rules
  if (spec?.fees === undefined) return 0n
  const metered = { tx, gas, env, state }
  return spec.fees.reduce((sum, { amount }) => sum + amount(metered), 0n)
}

/** Returns the accounts that receive fees, without the coinbase. */
export function feeRecipients({ fees = [], baseFeeRecipient }: ChainSpec): readonly Address[] {
  const recipients = fees.map(({ recipient }) => recipient)
  return baseFeeRecipient === undefined ? recipients : [...recipients, baseFeeRecipient]
}

/** Returns the values of fields by name, without absent ones; undefined for no fields. */
export function shownFields<From>(
  fields: readonly ShownField<From>[] | undefined,
  from: From,
): ExtraFields | undefined {
  if (fields === undefined) return undefined
  const shown: Record<string, string> = {}
  for (const { name, read } of fields) {
    const value = read(from)
    if (value !== undefined) shown[name] = value
  }
  return shown
}
