/** Errors of blocks under construction and of simulated blocks. */
import { PresealRpcError, TransactionRejectedError } from '../../base/errors.ts'

/** A log of the deposit contract lacks the layout of EIP-6110, which would make the block invalid. */
export class InvalidDepositLogError extends TransactionRejectedError {
  override name = 'InvalidDepositLogError'
  constructor() {
    super('invalid deposit log')
  }
}

/** The block numbers of a simulation do not ascend from its base block (execution-apis). */
export class BlockNumberOrderError extends PresealRpcError {
  override name = 'BlockNumberOrderError'
  constructor(number: bigint, before: bigint) {
    super(-38020, `block numbers must be in order: ${number} <= ${before}`)
  }
}

/** The block timestamps of a simulation do not ascend from its base block (execution-apis). */
export class BlockTimestampOrderError extends PresealRpcError {
  override name = 'BlockTimestampOrderError'
  constructor(timestamp: bigint, before: bigint) {
    super(-38021, `block timestamps must be in order: ${timestamp} <= ${before}`)
  }
}

/** A simulation has more blocks than `limits.simulateBlocks`, counting the blocks that fill gaps (execution-apis). */
export class TooManySimulatedBlocksError extends PresealRpcError {
  override name = 'TooManySimulatedBlocksError'
  constructor() {
    super(-38026, 'too many blocks')
  }
}

/** A simulation has no block. */
export class EmptySimulationError extends PresealRpcError {
  override name = 'EmptySimulationError'
  constructor() {
    super(-32602, 'empty input')
  }
}

/** A simulated call asks for more gas than its block has left. */
export class SimulatedBlockGasError extends TransactionRejectedError {
  override name = 'SimulatedBlockGasError'
  constructor(gasUsed: bigint, gasLimit: bigint) {
    super(`block gas limit reached: ${gasUsed} >= ${gasLimit}`)
  }
}

/** A simulated block before Shanghai has withdrawals. */
export class EarlyWithdrawalsError extends PresealRpcError {
  override name = 'EarlyWithdrawalsError'
  constructor() {
    super(-32000, 'withdrawals set before Shanghai activation')
  }
}
