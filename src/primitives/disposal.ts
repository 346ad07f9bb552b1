/** `await using`, where the host knows of it. */

declare global {
  // Hosts of Node 20's age lack the symbol; TypeScript's own libraries and Node's types declare it just so.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** What `await using` ends. */
export interface AsyncDisposal {
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Without the symbol there is nothing to be called by, and a property of the name `undefined` would be left. */
export function toAsyncDisposal(close: () => Promise<void>): AsyncDisposal {
  return (typeof Symbol.asyncDispose === 'symbol' ? { [Symbol.asyncDispose]: close } : {}) as AsyncDisposal
}
