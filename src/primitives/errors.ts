/**
 * The base classes of all errors, and those that more than one room throws for input of the wrong form.
 *
 * Every other error stands in the `errors.ts` of the room that throws it, with its JSON-RPC code and its exact message,
 * each written once. Codes and messages follow spec.md §7; if it is silent, go-ethereum's wording with -32000.
 */

/** Root of every error that preseal raises on purpose. */
export class PresealError extends Error {
  override name = 'PresealError'
}

/** An option of `createChain` that cannot be used; thrown before anything is started. */
export class InvalidOptionError extends PresealError {
  override name = 'InvalidOptionError'
  constructor(option: string, expected: string) {
    super(`invalid option ${option}: expected ${expected}`)
  }
}

/**
 * A value has another form than its schema's. No caller meets it: what parses options or parameters throws an
 * {@link InvalidOptionError} or an {@link InvalidParamsError} in its place.
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

/** A string that should hold hex digits after `0x` does not. */
export class InvalidHexError extends PresealError {
  override name = 'InvalidHexError'
  constructor() {
    super('invalid hex string')
  }
}

/** Bytes are no RLP, or not its canonical form. */
export class InvalidRlpError extends PresealError {
  override name = 'InvalidRlpError'
  constructor(problem: string) {
    super(`invalid RLP: ${problem}`)
  }
}

/** An error with a JSON-RPC code: what `request` rejects with. */
export class RpcError extends PresealError {
  override name = 'RpcError'
  readonly code: number
  readonly data?: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}

/** A parameter has the wrong type, form or count. */
export class InvalidParamsError extends RpcError {
  override name = 'InvalidParamsError'
  /** @param position - the parameter's place, such as `0` or `0.topics[1]`. */
  constructor(position: number | string, expected: string) {
    super(-32602, `invalid argument ${position}: expected ${expected}`)
  }
}

/** A transaction that cannot enter the mempool or a block; see the subclasses for why. */
export class TransactionRejectedError extends RpcError {
  override name = 'TransactionRejectedError'
  constructor(message: string) {
    super(-32000, message)
  }
}
