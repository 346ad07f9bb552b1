/** What a transaction leaves out, filled in before it is signed. */

import { toSimulatedTransaction } from '../evm/transactionEncoding.ts'
import { bytesToHex, ZERO_ADDRESS } from '../primitives/bytes.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { RpcFilledTransaction } from '../primitives/rpcTypes.ts'
import { TransactionTypeError } from '../protocol/errors.ts'
import type { ForkRules } from '../protocol/gas.ts'
import type { TxEnv } from '../protocol/transaction.ts'
import { checkSetCode, checkTip } from '../protocol/validity.ts'
import type { StateReader } from '../state/account.ts'
import type { ViewedTip } from '../view/viewedTip.ts'
import { prepareCall } from './call.ts'
import { estimate } from './estimate.ts'
import { suggestGasPrice, suggestTip } from './fees.ts'
import { toFilledTransaction } from './format/format.ts'
import type { ReadContext } from './method.ts'
import type { CallObject } from './params/call.ts'

type FillableType = 0 | 1 | 2 | 4

/** The fields that not every type of transaction has. */
const OPTIONAL = [
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'accessList',
  'authorizationList',
] as const
const FEE_MARKET = ['maxFeePerGas', 'maxPriorityFeePerGas', 'accessList'] as const

/** Which of them each type has. */
const FIELDS: Readonly<Record<FillableType, readonly (typeof OPTIONAL)[number][]>> = {
  0: ['gasPrice'],
  1: ['gasPrice', 'accessList'],
  2: FEE_MARKET,
  4: [...FEE_MARKET, 'authorizationList'],
}

/** The hardforks that brought the types. */
const SINCE: Readonly<Record<FillableType, keyof ForkRules>> = {
  0: 'homestead',
  1: 'berlin',
  2: 'london',
  4: 'prague',
}

/**
 * What a transaction leaves out, filled in as by {@link fillFields}, with a zero signature.
 *
 * @throws what {@link fillFields} throws
 */
export async function fillTransaction(asked: ReadContext, call: CallObject): Promise<RpcFilledTransaction> {
  const { chainId, crypto } = asked.read
  const fields = await fillFields(asked, call)
  const unsigned = toSimulatedTransaction({ ...fields, nonce: fillNonce(asked, call) }, chainId, crypto)
  return { raw: bytesToHex(unsigned.raw), tx: toFilledTransaction(unsigned, chainId) }
}

/** The nonce a transaction names, or the one after all that waits; read last, as others may send meanwhile. */
export function fillNonce({ viewed }: ReadContext, { nonce, from = ZERO_ADDRESS }: CallObject): bigint {
  return nonce ?? viewed.nextNonce(from)
}

/**
 * Fills in what a transaction leaves out, but for the nonce: the gas estimated on what is pending, fees that outlast
 * rising base fees, and by these the type.
 *
 * @param state - what the gas is estimated on, where something else comes before it.
 * @throws InvalidParamsError if the fields do not go together, and for blobs
 * @throws what an estimate throws, where the gas is left out
 */
export async function fillFields(
  { viewed, read }: ReadContext,
  call: CallObject,
  state: StateReader = viewed.pending.state,
): Promise<Omit<TxEnv, 'nonce'>> {
  const { env } = viewed.pending
  const own = namesFee(call) ? undefined : read.gasPrice
  const type = typeOf(call, env.rules.fork, own)
  const priced: CallObject = { ...call, ...withDefaults(call, type), ...feesOf(call, type, viewed, own) }
  const prepared = prepareCall(priced, { env, state }, read)
  refuseInvalid(prepared.tx)
  return { ...prepared.tx, gasLimit: call.gas ?? (await estimate(priced, prepared, read)) }
}

/** Whether a call says anything of what it pays. */
function namesFee({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallObject): boolean {
  return gasPrice !== undefined || maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
}

/**
 * @param own - the chain's own gas price, where the call names no fee.
 * @throws InvalidParamsError, TransactionTypeError
 */
function typeOf(call: CallObject, fork: ForkRules, own: bigint | undefined): FillableType {
  for (const field of ['blobVersionedHashes', 'maxFeePerBlobGas'] as const) {
    if (call[field] !== undefined)
      throw new InvalidParamsError(`0.${field}`, 'no blobs: they are not filled in')
  }
  const type = call.type ?? impliedType(call, fork, own)
  if (!isFillable(type)) throw new InvalidParamsError('0.type', '0x0, 0x1, 0x2 or 0x4')
  for (const field of OPTIONAL) {
    if (call[field] === undefined || FIELDS[type].includes(field)) continue
    throw new InvalidParamsError(`0.${field}`, `no such field in a transaction of type ${type}`)
  }
  if (!fork[SINCE[type]]) throw new TransactionTypeError()
  return type
}

function impliedType(call: CallObject, fork: ForkRules, own: bigint | undefined): FillableType {
  if (call.authorizationList !== undefined) return 4
  if ((call.gasPrice ?? own) === undefined && fork.london) return 2
  return call.accessList === undefined ? 0 : 1
}

function isFillable(type: number): type is FillableType {
  return Object.hasOwn(FIELDS, type)
}

/** The lists by which a call's type is told. */
function withDefaults(
  call: CallObject,
  type: FillableType,
): Pick<CallObject, 'accessList' | 'authorizationList'> {
  return {
    ...(type > 0 && { accessList: call.accessList ?? [] }),
    ...(type === 4 && { authorizationList: call.authorizationList ?? [] }),
  }
}

/** As go-ethereum: a fee cap that holds while the base fee doubles. The chain's own price is paid as it is. */
function feesOf(
  call: CallObject,
  type: FillableType,
  viewed: ViewedTip,
  own: bigint | undefined,
): Partial<CallObject> {
  if (type < 2) return { gasPrice: call.gasPrice ?? suggestGasPrice(viewed, own) }
  if (own !== undefined) return { maxFeePerGas: own, maxPriorityFeePerGas: own }
  const { baseFee } = viewed.pending.env
  const maxPriorityFeePerGas = call.maxPriorityFeePerGas ?? suggestTip(viewed)
  return { maxPriorityFeePerGas, maxFeePerGas: call.maxFeePerGas ?? 2n * baseFee + maxPriorityFeePerGas }
}

/** What shows without executing it. @throws InvalidParamsError, TransactionRejectedError */
function refuseInvalid(tx: TxEnv): void {
  const fault = checkTip(tx) ?? checkSetCode(tx)
  if (fault !== undefined) throw fault
  if (tx.to === null && tx.data.length === 0) {
    throw new InvalidParamsError('0.data', 'init code where there is no to')
  }
}
