/** State and block overrides, and simulation payloads (spec.md §2.7). */
import { SchemaError } from '../../base/errors.ts'
import { array, MAX_ITEMS, map, object, optional, refine, type ValueOf } from '../../base/schema.ts'
import { callObject } from './call.ts'
import { address, boolean, data, hash32, quantity, quantity64, storageKey } from './scalars.ts'

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

/** Overrides of accounts, by address (spec.md §2.7). */
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

/** Overrides of a block's fields (spec.md §2.7), under the names of eth_simulateV1 and their older aliases. */
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

/** The payload of eth_simulateV1 (spec.md §2.7); a block without `calls` is empty. */
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

/** A parsed payload of eth_simulateV1. */
export type SimulationPayload = ValueOf<typeof simulationPayload>
