/** The part of WebAssembly in use; TypeScript declares it only with the whole DOM. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>
}

/** Instantiates a binary without imports. Rejects if the host has no WebAssembly, or refuses it. */
export async function instantiate<Exports>(binary: Uint8Array): Promise<Exports> {
  const { instance } = await WebAssembly.instantiate(binary)
  return instance.exports as Exports
}
