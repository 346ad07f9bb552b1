/** Instances of WebAssembly from binaries without imports. */

/** What is used of the host's WebAssembly: TypeScript declares it only together with the whole DOM. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>
}

/** The exports of a new instance of a binary. Rejects if the host has no WebAssembly, or refuses it. */
export async function instantiate<Exports>(binary: Uint8Array): Promise<Exports> {
  const { instance } = await WebAssembly.instantiate(binary)
  return instance.exports as Exports
}
