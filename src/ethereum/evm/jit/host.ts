/** WebAssembly as hosts offer it; the library is typed without the DOM. */

/** A memory. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** Adds pages of 64 KiB. @throws RangeError */
  grow(pages: number): number
}

/** A module with its imports. */
export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

interface Host {
  Memory: new (limits: { readonly initial: number; readonly maximum: number }) => WasmMemory
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (module: object, imports: object) => WasmInstance
  instantiate(bytes: Uint8Array<ArrayBuffer>, imports: object): Promise<{ readonly instance: WasmInstance }>
}

/** The host's WebAssembly. @throws Error if there is none. */
export function webAssembly(): Host {
  const { WebAssembly } = globalThis as { readonly WebAssembly?: Host }
  if (WebAssembly === undefined) throw new Error('there is no WebAssembly')
  return WebAssembly
}
