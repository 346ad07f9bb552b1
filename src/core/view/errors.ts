/** Errors about blocks and block ranges that a view does not show. */
import { PresealRpcError } from '../../base/errors.ts'

/** The block that a request names does not exist. */
export class HeaderNotFoundError extends PresealRpcError {
  override name = 'HeaderNotFoundError'
  constructor() {
    super(-32000, 'header not found')
  }
}

/** A range of blocks ends before it starts. */
export class InvalidBlockRangeError extends PresealRpcError {
  override name = 'InvalidBlockRangeError'
  constructor() {
    super(-32602, 'invalid block range params')
  }
}
