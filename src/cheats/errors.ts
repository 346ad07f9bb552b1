/** Errors of the methods that development chains add. */
import { RpcError } from '../primitives/errors.ts'
import type { Address } from '../primitives/types.ts'

/** A request asks for more blocks than one request can have mined. */
export class TooManyBlocksError extends RpcError {
  override name = 'TooManyBlocksError'
  constructor(blocks: number, limit: number) {
    super(-32602, `too many blocks: ${blocks}, limit ${limit}`)
  }
}

/** No single slot decides what a token answers. */
export class SlotNotFoundError extends RpcError {
  override name = 'SlotNotFoundError'
  constructor(token: Address) {
    super(-32000, `no storage slot of token ${token} controls this value`)
  }
}

/** What was to be loaded as a state is none. */
export class InvalidStateFileError extends RpcError {
  override name = 'InvalidStateFileError'
  /** @param problem - such as `it has no accounts`. */
  constructor(problem: string) {
    super(-32602, `invalid state: ${problem}`)
  }
}

/** A timestamp does not come after the head's. */
export class TimestampTooLowError extends RpcError {
  override name = 'TimestampTooLowError'
  /** @param least - the first one that does. */
  constructor(timestamp: bigint, least: bigint) {
    super(-32602, `timestamp too low: ${timestamp}, at least ${least}`)
  }
}
