/** The binary as hex; `Exports` are those of its instance. */
export declare const hex: `0x${string}`

/** The operations of keccak256.c, which has their arguments and results. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  input(): number
  capacity(): number
  output(): number
  update(length: number): number
  finish(length: number): void
}
