/** Errors of wallet methods (EIP-1193, EIP-3326, EIP-5792). */
import { PresealRpcError } from '../../base/errors.ts'

/** A wallet request names an unknown chain id (EIP-3326, code 4902). */
export class UnrecognizedChainError extends PresealRpcError {
  override name = 'UnrecognizedChainError'
  constructor(chainId: bigint) {
    super(4902, `unrecognized chain ID 0x${chainId.toString(16)}`)
  }
}

/** A batch of calls requires an unsupported capability without marking it optional (EIP-5792, code 5700). */
export class UnsupportedCapabilityError extends PresealRpcError {
  override name = 'UnsupportedCapabilityError'
  constructor(capability: string) {
    super(5700, `unsupported capability ${capability}`)
  }
}

/** A batch of calls has a foreign chain id (EIP-5792, code 5710). */
export class UnsupportedChainError extends PresealRpcError {
  override name = 'UnsupportedChainError'
  constructor(chainId: bigint) {
    super(5710, `unsupported chain ID 0x${chainId.toString(16)}`)
  }
}

/** A batch of calls with this id exists (EIP-5792, code 5720). */
export class DuplicateBatchError extends PresealRpcError {
  override name = 'DuplicateBatchError'
  constructor(id: string) {
    super(5720, `duplicate batch ID ${id}`)
  }
}

/** No batch of calls with this id is stored (EIP-5792, code 5730). */
export class UnknownBatchError extends PresealRpcError {
  override name = 'UnknownBatchError'
  constructor(id: string) {
    super(5730, `unknown batch ID ${id}`)
  }
}

/** A batch has more calls than an account may have waiting transactions (EIP-5792, code 5740). */
export class TooManyCallsError extends PresealRpcError {
  override name = 'TooManyCallsError'
  constructor(calls: number, limit: number) {
    super(5740, `batch too large: ${calls} calls, limit ${limit}`)
  }
}

/** A batch of calls must be atomic, but needs more gas than a block has (EIP-5792, code 5760). */
export class AtomicityUnsupportedError extends PresealRpcError {
  override name = 'AtomicityUnsupportedError'
  constructor(gas: bigint, gasLimit: bigint) {
    super(5760, `atomic batch too large for one block: its calls need ${gas} gas, limit ${gasLimit}`)
  }
}
