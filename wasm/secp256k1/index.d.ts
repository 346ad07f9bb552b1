/** The binary as hex; `Exports` are those of its instance. */
export declare const hex: `0x${string}`

/** The operations of curve.c, which has their arguments and results. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  arguments(): number
  result(): number
  recover(id: number): number
  sign(): number
  publicKey(): number
}
