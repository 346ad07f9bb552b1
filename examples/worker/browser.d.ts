/** The browser types that the example uses, since the checkout is compiled for Node. */
declare class Worker extends EventTarget {
  constructor(url: URL, options: { readonly type: 'module' })
  postMessage(message: unknown, transfer?: readonly object[]): void
  terminate(): void
}
