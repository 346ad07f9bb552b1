/** Errors of keys, signatures and typed data. */
import { PresealError, PresealRpcError, TransactionRejectedError } from '../errors.ts'

/** A hash is not 32 bytes long. */
export class InvalidHashError extends PresealError {
  override name = 'InvalidHashError'
  constructor() {
    super('invalid hash: expected 32 bytes')
  }
}

/** A private key does not have 32 bytes, is zero, or is not below the order of secp256k1. */
export class InvalidPrivateKeyError extends PresealError {
  override name = 'InvalidPrivateKeyError'
  constructor() {
    super('invalid private key')
  }
}

/** Typed data is malformed, too large, or has values that do not fit their types (EIP-712). */
export class InvalidTypedDataError extends PresealRpcError {
  override name = 'InvalidTypedDataError'
  constructor(reason: string) {
    super(-32602, `invalid typed data: ${reason}`)
  }
}

/** A signature is malformed, not canonical (EIP-2), or recovers no key. */
export class InvalidSenderError extends TransactionRejectedError {
  override name = 'InvalidSenderError'
  constructor() {
    super('invalid sender')
  }
}
