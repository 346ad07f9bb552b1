/** What the tests are told by `vitest.config.ts`. */
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether random runs are to be long, as `npm run test:full` asks for. */
    readonly full: boolean
  }
}

/** Whether random runs are to be long. */
export const FULL = inject('full')
