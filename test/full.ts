/** The number and the seed of random runs: few with a fixed seed, or many with a random one in `npm run test:full`. */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The settings of random runs in `vitest.config.ts`. */
    readonly random: {
      /** Whether there are many runs, as in `npm run test:full`. */
      readonly full: boolean
      readonly seed: number
      /** Multiplies the number of runs that a test states, in a full run. */
      readonly factor: number
    }
    /** The engine of all chains whose test does not choose one. */
    readonly engine: 'preseal' | 'ethereumjs'
  }
}

const { full, seed, factor } = inject('random')

/** The engine of all chains whose test does not choose one. */
export const ENGINE = inject('engine')

/** Whether all tests run, with many random runs, rather than those of `npm test`. */
export const FULL = full

/** The seed of random runs. */
export const SEED = seed

/** All items in `npm run test:full`, and `few` of them in `npm test`, spread over the list. */
export function sample<T>(items: readonly T[], few: number): readonly T[] {
  if (full || items.length <= few) return items
  return Array.from({ length: few }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / few)]!)
}

/** fast-check's parameters for `few` runs in `npm test`, and `many` in `npm run test:full`. */
export function runs(few: number, many: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: full ? Math.max(few, Math.round(many * factor)) : few, seed }
}
