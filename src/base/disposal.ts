declare global {
  // Older hosts lack the symbol. TypeScript's libraries and Node's types declare it identically.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** An object for `await using`. */
export interface AsyncDisposal {
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** `close` under `Symbol.asyncDispose`; empty if the host lacks the symbol, since the key would be `undefined`. */
export function toAsyncDisposal(close: () => Promise<void>): AsyncDisposal {
  return (typeof Symbol.asyncDispose === 'symbol' ? { [Symbol.asyncDispose]: close } : {}) as AsyncDisposal
}
