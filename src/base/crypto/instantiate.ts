/** The part of WebAssembly in use; TypeScript declares it only with the whole DOM. */
declare const WebAssembly: {
  Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory
  instantiate(
    binary: Uint8Array,
    imports?: object,
  ): Promise<{ readonly instance: { readonly exports: unknown } }>
}

/** A `WebAssembly.Memory`. When it grows, `buffer` is replaced, and the old buffer is detached. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** Adds pages of 64 KiB. @throws RangeError */
  grow(pages: number): number
}

/** Instantiates a binary. Rejects if the host has no WebAssembly, or refuses it. */
export async function instantiate<Exports>(binary: Uint8Array, imports?: object): Promise<Exports> {
  const { instance } = await WebAssembly.instantiate(binary, imports)
  return instance.exports as Exports
}

/** Creates a memory that starts with one page. */
export function createMemory(maximum: number): WasmMemory {
  return new WebAssembly.Memory({ initial: 1, maximum })
}
