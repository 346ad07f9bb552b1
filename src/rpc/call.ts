/** Calls as the wire describes them, as what an executor takes. */

import type { Crypto } from '../crypto.ts'
import { InsufficientFundsError, InvalidParamsError } from '../errors.ts'
import type { BlockEnv } from '../execution/executor.ts'
import { MAX_TRANSACTION_GAS } from '../gas.ts'
import { EMPTY_ACCOUNT } from '../state/account.ts'
import { Overlay } from '../state/overlay.ts'
import { feeCapOf, type TxEnv } from '../transaction.ts'
import type { Address } from '../types.ts'
import type { BlockView } from '../view.ts'
import type { BlockOverrides, CallObject, StateOverrides } from './params.ts'

/** A call ready to be executed. */
export interface PreparedCall {
  readonly tx: TxEnv
  readonly env: BlockEnv
  readonly state: Overlay
}

/** Puts a call on a block: overrides applied, what it leaves out filled in. */
export function prepareCall(
  call: CallObject,
  { state, env }: BlockView,
  gasCap: bigint,
  crypto: Crypto,
  stateOverrides?: StateOverrides,
  blockOverrides?: BlockOverrides,
): PreparedCall {
  refuseUnsupported(call, env.rules.chainId, stateOverrides, blockOverrides)
  const overlay = new Overlay(state)
  if (stateOverrides !== undefined) applyStateOverrides(overlay, stateOverrides, crypto)
  const overridden = blockOverrides === undefined ? env : overrideBlock(env, blockOverrides)
  const gas = call.gas ?? gasCap
  const tx = toTxEnv(call, gas < gasCap ? gas : gasCap)
  // As go-ethereum: where no price is named, BASEFEE reads 0 unless it was overridden.
  const free = feeCapOf(tx) === 0n && blockOverrides?.baseFeePerGas === undefined
  return { tx, env: free ? { ...overridden, baseFee: 0n } : overridden, state: overlay }
}

/**
 * The most gas an estimate may consider: what the call names or the block allows, and what its sender can pay for.
 * @throws InsufficientFundsError where the sender cannot even pay the value.
 */
export function gasAllowance(call: CallObject, { tx, env, state }: PreparedCall, gasCap: bigint): bigint {
  const bounds = [call.gas ?? env.gasLimit, gasCap]
  if (env.rules.fork.osaka) bounds.push(MAX_TRANSACTION_GAS)
  const price = feeCapOf(tx)
  if (price > 0n) {
    const left = (state.account(tx.from)?.balance ?? 0n) - tx.value
    if (left < 0n) throw new InsufficientFundsError()
    bounds.push(left / price)
  }
  return bounds.reduce((least, bound) => (bound < least ? bound : least))
}

const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`

/**
 * What a call cannot honour it does not ignore.
 * @throws InvalidParamsError
 */
function refuseUnsupported(
  call: CallObject,
  chainId: bigint,
  stateOverrides?: StateOverrides,
  blockOverrides?: BlockOverrides,
): void {
  if (call.chainId !== undefined && call.chainId !== chainId) {
    throw new InvalidParamsError('0.chainId', `this chain's id (${chainId})`)
  }
  for (const field of ['blobVersionedHashes', 'maxFeePerBlobGas'] as const) {
    if (call[field] !== undefined)
      throw new InvalidParamsError(`0.${field}`, 'no blobs: this chain takes none')
  }
  for (const [address, override] of stateOverrides ?? []) {
    if (override.movePrecompileToAddress === undefined) continue
    throw new InvalidParamsError(`2.${address}.movePrecompileToAddress`, 'no such override in a call')
  }
  for (const field of ['beaconRoot', 'withdrawals'] as const) {
    if (blockOverrides?.[field] === undefined) continue
    throw new InvalidParamsError(`3.${field}`, 'no such override in a call')
  }
}

function toTxEnv(call: CallObject, gasLimit: bigint): TxEnv {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList } = call
  const feeMarket = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
  const type = authorizationList ? 4 : feeMarket ? 2 : accessList ? 1 : 0
  return {
    type,
    from: call.from ?? ZERO_ADDRESS,
    to: call.to ?? null,
    nonce: call.nonce ?? 0n,
    gasLimit,
    value: call.value ?? 0n,
    data: call.data ?? new Uint8Array(0),
    ...(type < 2
      ? { gasPrice: gasPrice ?? 0n }
      : {
          maxFeePerGas: maxFeePerGas ?? gasPrice ?? 0n,
          maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice ?? 0n,
        }),
    ...(accessList && { accessList }),
    ...(authorizationList && { authorizationList }),
  }
}

function applyStateOverrides(overlay: Overlay, overrides: StateOverrides, crypto: Crypto): void {
  for (const [address, { balance, nonce, code, state, stateDiff }] of overrides) {
    if (balance !== undefined || nonce !== undefined) {
      const account = overlay.account(address) ?? EMPTY_ACCOUNT
      overlay.setAccount(address, {
        nonce: nonce ?? account.nonce,
        balance: balance ?? account.balance,
        codeHash: account.codeHash,
      })
    }
    if (code !== undefined) overlay.setCode(address, crypto.keccak256Hex(code), code)
    if (state !== undefined) overlay.clearStorage(address)
    for (const [key, value] of state ?? stateDiff ?? []) overlay.setSlot(address, key, BigInt(value))
  }
}

function overrideBlock(env: BlockEnv, overrides: BlockOverrides): BlockEnv {
  return {
    ...env,
    number: overrides.number ?? env.number,
    timestamp: overrides.time ?? env.timestamp,
    gasLimit: overrides.gasLimit ?? env.gasLimit,
    coinbase: overrides.feeRecipient ?? env.coinbase,
    prevRandao: overrides.prevRandao ?? env.prevRandao,
    baseFee: overrides.baseFeePerGas ?? env.baseFee,
    blobBaseFee: overrides.blobBaseFee ?? env.blobBaseFee,
    difficulty: overrides.difficulty ?? env.difficulty,
  }
}
