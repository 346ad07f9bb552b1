/**
 * The base classes of all errors, and the errors for malformed input that more than one room throws.
 *
 * Every other error is in the `errors.ts` of the room that throws it. Its JSON-RPC code and exact message are written
 * only there. Both follow spec.md §7. Where the specification has no rule, they follow the EIP or go-ethereum. Where
 * these have none either, they are preseal's own.
 */

/**
 * The base class of preseal's errors.
 *
 * `shortMessage` and `docsPath` are getters of the prototype, so that neither JSON nor structured clone contains them.
 */
export class PresealError extends Error {
  override name = 'PresealError'

  /** The message, under the name that viem and ethers use. */
  get shortMessage(): string {
    return this.message
  }

  /** The path of the error in the documentation, such as `/reference/errors.html#NonceTooLowError`. */
  get docsPath(): string {
    return `/reference/errors.html#${this.name}`
  }
}

/** An option or an argument is invalid; thrown before anything starts or changes. */
export class InvalidOptionError extends PresealError {
  override name = 'InvalidOptionError'
  /** The path of the option, such as `fork.url`. */
  readonly option: string
  /** The values that the option accepts. */
  readonly expected: string
  constructor(option: string, expected: string) {
    super(`invalid option ${option}: expected ${expected}`)
    this.option = option
    this.expected = expected
  }
}

/**
 * A value does not match its schema. Internal: parsers of options and parameters convert it to an {@link
 * InvalidOptionError} or {@link InvalidParamsError}.
 */
export class SchemaError extends PresealError {
  override name = 'SchemaError'
  readonly path: string
  readonly expected: string
  constructor(path: string, expected: string) {
    super(`${path}: expected ${expected}`)
    this.path = path
    this.expected = expected
  }
}

/** A string is not `0x` followed by hex digits. */
export class InvalidHexError extends PresealError {
  override name = 'InvalidHexError'
  constructor() {
    super('invalid hex string')
  }
}

/** Bytes are not canonical RLP. */
export class InvalidRlpError extends PresealError {
  override name = 'InvalidRlpError'
}

/** An error with a JSON-RPC code; every rejection of `request` is one. */
export class PresealRpcError extends PresealError {
  override name = 'PresealRpcError'
  readonly code: number
  readonly data?: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}

/** A parameter of a request has the wrong type, form or range. */
export class InvalidParamsError extends PresealRpcError {
  override name = 'InvalidParamsError'
  /** @param position - the parameter's place, such as `0` or `0.topics[1]`, or its name in a method of a chain. */
  constructor(position: number | string, expected: string) {
    super(-32602, `invalid argument ${position}: expected ${expected}`)
  }
}

/** A transaction cannot enter the mempool or a block; the subclasses say why. */
export class TransactionRejectedError extends PresealRpcError {
  override name = 'TransactionRejectedError'
  constructor(message: string) {
    super(-32000, message)
  }
}
