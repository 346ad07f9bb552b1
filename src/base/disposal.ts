/** Support for `await using`, on hosts that have it. */

declare global {
  // Older hosts lack the symbol; TypeScript's own libraries and Node's types have the same declaration.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** An object for `await using`. */
export interface AsyncDisposal {
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** `close` under the symbol of `await using`; nothing on hosts without the symbol, as its key would be `undefined`. */
export function toAsyncDisposal(close: () => Promise<void>): AsyncDisposal {
  return (typeof Symbol.asyncDispose === 'symbol' ? { [Symbol.asyncDispose]: close } : {}) as AsyncDisposal
}
