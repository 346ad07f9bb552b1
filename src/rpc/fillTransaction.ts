/** Fills in the missing fields of transactions before they are signed. */

import { bytesToHex, ZERO_ADDRESS } from '../base/bytes.ts'
import { InvalidParamsError } from '../base/errors.ts'
import type { PresealRpcFilledTransaction } from '../base/rpcTypes.ts'
import type { ViewedTip } from '../core/view/view.ts'
import { hasField } from '../ethereum/decodeTransaction.ts'
import { toSimulatedTransaction } from '../ethereum/evm/transactionEncoding.ts'
import type { ForkRules } from '../ethereum/forks.ts'
import type { StateReader } from '../ethereum/state/account.ts'
import type { TransactionType, TxEnv } from '../ethereum/transaction.ts'
import { checkSetCode, checkTip, checkType, refuse, type TypeRules } from '../ethereum/validity.ts'
import type { DialectRules } from './dialect.ts'
import { suggestGasPrice, suggestTip } from './fees.ts'
import { toFilledTransaction } from './format/format.ts'
import type { ReadContext, RpcContext } from './method.ts'
import type { CallObject } from './params/callObject.ts'
import { estimate, prepareCall } from './prepareCall.ts'

type FillContext = ReadContext & Pick<RpcContext, 'dialect'>

type FillableType = Exclude<TransactionType, 3>

/** Fields that only some transaction types have. */
const OPTIONAL = [
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
  'authorizationList',
] as const

/** Returns a filled transaction and its encoding with a zero signature. @throws as {@link fillFields} does */
export async function fillTransaction(
  context: FillContext,
  call: CallObject,
): Promise<PresealRpcFilledTransaction> {
  const { chainId, crypto } = context.read
  const fields = await fillFields(context, call)
  const unsigned = toSimulatedTransaction({ ...fields, nonce: fillNonce(context, call) }, chainId, crypto)
  return { raw: bytesToHex(unsigned.raw), tx: toFilledTransaction(unsigned, chainId) }
}

/** Returns the given nonce, or the next one. After an await, a concurrent send may already have the same nonce. */
export function fillNonce({ viewed }: ReadContext, { nonce, from = ZERO_ADDRESS }: CallObject): bigint {
  return nonce ?? viewed.nextNonce(from)
}

/**
 * Fills in the missing fields of a transaction except the nonce: type, fees that cover a rising base fee, and gas,
 * estimated on the pending block.
 *
 * @param state - state for the estimate; default: the pending block's.
 * @throws InvalidParamsError if fields exclude each other, and for blobs
 * @throws TransactionRejectedError if the transaction is invalid
 * @throws as {@link estimate} does, if the gas is missing
 */
export async function fillFields(
  context: FillContext,
  call: CallObject,
  state: StateReader = context.viewed.pending.state,
): Promise<Omit<TxEnv, 'nonce'>> {
  const { viewed, read, dialect } = context
  const { env } = viewed.pending
  const fixed = hasFeeField(call) ? undefined : read.gasPrice
  const type = typeOf(call, env.rules, fixed)
  const { accessList: _, ...fields } = call
  const priced: CallObject = {
    ...fields,
    ...withDefaults(call, type),
    ...feesOf(call, type, viewed, fixed, dialect),
  }
  const prepared = prepareCall(priced, { env, state }, context)
  refuseInvalid(prepared.tx)
  return { ...prepared.tx, gasLimit: call.gas ?? (await estimate(priced, prepared, context)) }
}

function hasFeeField({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallObject): boolean {
  return gasPrice !== undefined || maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
}

/** @param fixed - option `gasPrice`, if the call has no fee field. @throws InvalidParamsError, TransactionTypeError */
function typeOf(call: CallObject, rules: TypeRules, fixed: bigint | undefined): FillableType {
  for (const field of ['blobVersionedHashes', 'maxFeePerBlobGas'] as const) {
    if (call[field] !== undefined)
      throw new InvalidParamsError(`0.${field}`, 'no value: blob transactions cannot be filled in')
  }
  const type = call.type ?? impliedType(call, rules.fork, fixed)
  if (!isFillable(type)) throw new InvalidParamsError('0.type', '0x0, 0x1, 0x2 or 0x4')
  for (const field of OPTIONAL) {
    if (call[field] === undefined || hasField(type, field)) continue
    // Accepts an empty access list in a transaction whose type has none.
    if (field === 'accessList' && call.accessList?.length === 0) continue
    throw new InvalidParamsError(`0.${field}`, `no value in a transaction of type ${type}`)
  }
  refuse(checkType({ type }, rules))
  return type
}

function isFillable(type: number): type is FillableType {
  return [0, 1, 2, 4].includes(type)
}

function impliedType(call: CallObject, fork: ForkRules, fixed: bigint | undefined): FillableType {
  if (call.authorizationList !== undefined) return 4
  if ((call.gasPrice ?? fixed) === undefined && fork.london) return 2
  return call.accessList === undefined ? 0 : 1
}

/** Returns the lists that a type has, empty by default. {@link prepareCall} infers the type from their presence. */
function withDefaults(
  call: CallObject,
  type: FillableType,
): Pick<CallObject, 'accessList' | 'authorizationList'> {
  return {
    ...(type > 0 && { accessList: call.accessList ?? [] }),
    ...(type === 4 && { authorizationList: call.authorizationList ?? [] }),
  }
}

/**
 * Returns the fees of a call. As in go-ethereum, the default fee cap is twice the base fee plus the tip. With
 * `fitsFees`, the default tip is at most a given fee cap.
 */
function feesOf(
  call: CallObject,
  type: FillableType,
  viewed: ViewedTip,
  fixed: bigint | undefined,
  { fitsFees }: DialectRules,
): Partial<CallObject> {
  if (type < 2) return { gasPrice: call.gasPrice ?? suggestGasPrice(viewed, fixed) }
  if (fixed !== undefined) return { maxFeePerGas: fixed, maxPriorityFeePerGas: fixed }
  const { baseFee } = viewed.pending.env
  const { maxFeePerGas: cap } = call
  let tip = call.maxPriorityFeePerGas
  if (tip === undefined) {
    tip = suggestTip(viewed)
    if (fitsFees && cap !== undefined && cap < tip) tip = cap
  }
  return { maxPriorityFeePerGas: tip, maxFeePerGas: cap ?? 2n * baseFee + tip }
}

/** Runs the checks that need no execution. @throws InvalidParamsError, TransactionRejectedError */
function refuseInvalid(tx: TxEnv): void {
  refuse(checkTip(tx) ?? checkSetCode(tx))
  if (tx.to === null && tx.data.length === 0) {
    throw new InvalidParamsError('0.data', 'init code if to is missing')
  }
}
