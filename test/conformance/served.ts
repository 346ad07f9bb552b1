/** The folders of vectors that the environment names, as `test/node/serveVectors.ts` serves them. */
import { inject } from 'vitest'
import { type Folder, servedFolder } from './folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URLs of the folders; null for one that the environment does not name. */
    readonly vectors: Readonly<Record<'executionApis' | 'stateTests', string | null>>
  }
}

const { executionApis, stateTests } = inject('vectors')

/** The vectors of ethereum/execution-apis; undefined if `PRESEAL_VECTORS` names no folder. */
export const EXECUTION_APIS: Folder | undefined =
  executionApis === null ? undefined : servedFolder(executionApis)

/** The state tests of ethereum/tests; undefined if `PRESEAL_STATE_TESTS` names no folder. */
export const STATE_TESTS: Folder | undefined = stateTests === null ? undefined : servedFolder(stateTests)
