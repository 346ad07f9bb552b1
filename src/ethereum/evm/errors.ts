/** Errors of calls, estimates, access lists and overrides. */
import { PresealRpcError, type TransactionRejectedError } from '../../base/errors.ts'
import type { Address, Hex } from '../../base/types.ts'

/** A call or an estimate reverted; `data` is the output of the revert. */
export class ExecutionRevertedError extends PresealRpcError {
  override name = 'ExecutionRevertedError'
  /** viem's `custom` transport decodes revert data only if an error has this text besides the code. */
  readonly details = 'execution reverted'
  constructor(output: Hex) {
    super(-32000, 'execution reverted', output)
  }
}

/** A call ended with an error of the EVM that is not a revert. */
export class ExecutionFailedError extends PresealRpcError {
  override name = 'ExecutionFailedError'
  /** @param reason - the name of the EVM's error, such as `out of gas`. */
  constructor(reason: string) {
    super(-32000, reason)
  }
}

/** The transaction fails with every gas limit up to the allowance. */
export class GasAllowanceError extends PresealRpcError {
  override name = 'GasAllowanceError'
  /** @param cause - why the allowance is too low, if nothing was executed. */
  constructor(allowance: bigint, cause?: TransactionRejectedError) {
    super(-32000, `gas required exceeds allowance (${allowance})`)
    if (cause !== undefined) this.cause = cause
  }
}

/** `eth_createAccessList` found no list that contains everything that the call accesses when it has that list. */
export class AccessListConvergenceError extends PresealRpcError {
  override name = 'AccessListConvergenceError'
  constructor() {
    super(-32000, 'access list did not converge')
  }
}

/** An override would move an account that is not a precompile. */
export class NotPrecompileError extends PresealRpcError {
  override name = 'NotPrecompileError'
  constructor(address: Address) {
    super(-32000, `account ${address} is not a precompile`)
  }
}

/** An override moves a precompile to an account that has an override itself. */
export class PrecompileTargetOverriddenError extends PresealRpcError {
  override name = 'PrecompileTargetOverriddenError'
  constructor(address: Address) {
    super(-32000, `account ${address} is already overridden`)
  }
}

/** An override would move a precompile to its own address (execution-apis). */
export class PrecompileMovedToItselfError extends PresealRpcError {
  override name = 'PrecompileMovedToItselfError'
  constructor(address: Address) {
    super(-38022, `movePrecompileToAddress of ${address} references itself`)
  }
}

/** Overrides move two precompiles to one address (execution-apis). */
export class PrecompileMovedTwiceError extends PresealRpcError {
  override name = 'PrecompileMovedTwiceError'
  constructor(address: Address) {
    super(-38023, `more than one movePrecompileToAddress references ${address}`)
  }
}
