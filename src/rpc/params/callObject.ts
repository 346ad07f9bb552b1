/** Call objects and transaction requests (spec.md §2.2), and overrides (§2.7). */

import { SchemaError } from '../../base/errors.ts'
import {
  array,
  MAX_ITEMS,
  map,
  object,
  optional,
  refine,
  type Schema,
  type ValueOf,
} from '../../base/schema.ts'
import type { AccessListEntry } from '../../base/types.ts'
import { address, boolean, data, hash32, index, quantity, quantity64, storageKey, word } from './params.ts'

const accessListEntry: Schema<AccessListEntry, AccessListEntry> = object({
  address,
  storageKeys: array(hash32),
})

const authorization = object({
  chainId: quantity,
  address,
  nonce: quantity64,
  yParity: index,
  r: word,
  s: word,
})

/** A call or an unsigned transaction (spec.md §2.2). `input` is an alias of `data`; unknown keys are ignored. */
export const callObject = refine(
  object(
    {
      from: optional(address),
      to: optional(address),
      gas: optional(quantity64),
      gasPrice: optional(quantity),
      maxFeePerGas: optional(quantity),
      maxPriorityFeePerGas: optional(quantity),
      maxFeePerBlobGas: optional(quantity),
      value: optional(quantity),
      data: optional(data),
      nonce: optional(quantity64),
      type: optional(index),
      chainId: optional(quantity),
      accessList: optional(array(accessListEntry)),
      authorizationList: optional(array(authorization)),
      blobVersionedHashes: optional(array(hash32)),
    },
    { data: 'input' },
  ),
  (call, position) => {
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      if (call.gasPrice === undefined || call[field] === undefined) continue
      throw new SchemaError(`${position}.${field}`, 'no value if gasPrice is given')
    }
    return call
  },
)

/** A parsed call object, without absent fields. */
export type CallObject = ValueOf<typeof callObject>

/** A transaction to sign or send: a call object with a sender. */
export const transactionRequest = refine(callObject, ({ from, ...rest }, position) => {
  if (from === undefined) throw new SchemaError(`${position}.from`, address.expected)
  return { ...rest, from }
})

/** A parsed transaction to sign or send, without absent fields. */
export type TransactionRequest = ValueOf<typeof transactionRequest>

const accountOverride = refine(
  object({
    balance: optional(quantity),
    nonce: optional(quantity64),
    code: optional(data),
    state: optional(map(storageKey, storageKey)),
    stateDiff: optional(map(storageKey, storageKey)),
    movePrecompileToAddress: optional(address),
  }),
  (account, position) => {
    if (!account.state || !account.stateDiff) return account
    throw new SchemaError(`${position}.stateDiff`, 'no value if state is given')
  },
)

/** Account overrides by address (spec.md §2.7). */
export const stateOverrides = refine(map(address, accountOverride), (overrides, position) => {
  let items = overrides.size
  for (const { state, stateDiff } of overrides.values()) items += (state ?? stateDiff)?.size ?? 0
  if (items > MAX_ITEMS) throw new SchemaError(position, `at most ${MAX_ITEMS} accounts and slots`)
  return overrides
})

/** A withdrawal (EIP-4895). */
export const withdrawal = object({
  index: quantity64,
  validatorIndex: quantity64,
  address,
  amount: quantity64,
})

/** Overrides of block fields (spec.md §2.7), by eth_simulateV1's names and their older aliases. */
export const blockOverrides = object(
  {
    number: optional(quantity64),
    time: optional(quantity64),
    gasLimit: optional(quantity64),
    feeRecipient: optional(address),
    prevRandao: optional(storageKey),
    baseFeePerGas: optional(quantity),
    blobBaseFee: optional(quantity),
    difficulty: optional(quantity),
    beaconRoot: optional(hash32),
    withdrawals: optional(array(withdrawal)),
  },
  { time: 'timestamp', feeRecipient: 'coinbase', prevRandao: 'random', baseFeePerGas: 'baseFee' },
)

/** Payload of eth_simulateV1 (spec.md §2.7). A block without `calls` is empty. */
export const simulationPayload = object({
  blockStateCalls: array(
    object({
      calls: optional(array(callObject)),
      stateOverrides: optional(stateOverrides),
      blockOverrides: optional(blockOverrides),
    }),
  ),
  traceTransfers: optional(boolean),
  validation: optional(boolean),
  returnFullTransactions: optional(boolean),
})

/** A parsed payload of eth_simulateV1, without absent fields. */
export type SimulationPayload = ValueOf<typeof simulationPayload>
