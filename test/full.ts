/** How long random runs are, and where they begin: few from a fixed seed, or in `npm run test:full` many at random. */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** What `vitest.config.ts` says of random runs. */
    readonly random: {
      /** Whether there are to be many, as `npm run test:full` asks for. */
      readonly full: boolean
      readonly seed: number
      /** How many times as many as a test states a full run makes. */
      readonly factor: number
    }
  }
}

const { full, seed, factor } = inject('random')

/** Whether there are to be many random runs, and all that is left out of `npm test` is to be tried. */
export const FULL = full

/** Where random runs begin. */
export const SEED = seed

/** How often fast-check is to run a property, in `npm test` and in `npm run test:full`. */
export function runs(few: number, many: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: full ? Math.max(few, Math.round(many * factor)) : few, seed }
}
