/** Errors of cheats. */
import { PresealRpcError } from '../../base/errors.ts'
import type { Address } from '../../base/types.ts'

/** A request asks for more blocks than one request can mine. */
export class TooManyBlocksError extends PresealRpcError {
  override name = 'TooManyBlocksError'
  constructor(blocks: number, limit: number) {
    super(-32602, `too many blocks: ${blocks}, limit ${limit}`)
  }
}

/** No single storage slot controls a token balance or allowance. */
export class SlotNotFoundError extends PresealRpcError {
  override name = 'SlotNotFoundError'
  constructor(token: Address) {
    super(-32000, `no storage slot of token ${token} controls this value`)
  }
}

/** A state file is malformed or too large. */
export class InvalidStateFileError extends PresealRpcError {
  override name = 'InvalidStateFileError'
  /** @param problem - such as `accounts is not an object`. */
  constructor(problem: string) {
    super(-32602, `invalid state: ${problem}`)
  }
}

/** A timestamp is too low for the next block. */
export class TimestampTooLowError extends PresealRpcError {
  override name = 'TimestampTooLowError'
  /** In seconds. */
  readonly timestamp: bigint
  /** @param least - the lowest timestamp of the next block. */
  constructor(timestamp: bigint, least: bigint) {
    super(-32602, `timestamp too low: ${timestamp}, expected at least ${least}`)
    this.timestamp = timestamp
  }
}
