/** The folders of vectors that the environment names, as `test/tools/serveVectors.ts` serves them. */
import { inject } from 'vitest'
import { type Folder, servedFolder, subfolder } from './folder.ts'

/** The folders by name. */
export type FolderName = 'executionApis' | 'stateTests' | 'ethereumTests' | 'specTests'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URLs of the folders; null for one that the environment does not name. */
    readonly vectors: Readonly<Record<FolderName, string | null>>
  }
}

const urls = inject('vectors')

/** The vectors of ethereum/execution-apis; undefined if `PRESEAL_VECTORS` names no folder. */
export const EXECUTION_APIS = opened('executionApis')

/** The state tests of ethereum/tests; undefined if `PRESEAL_STATE_TESTS` names no folder. */
export const STATE_TESTS = opened('stateTests')

/** The block tests of ethereum/tests; undefined if `PRESEAL_ETHEREUM_TESTS` names no folder. */
export const BLOCK_TESTS = opened('ethereumTests', 'BlockchainTests')

/** The trie tests of ethereum/tests; undefined if `PRESEAL_ETHEREUM_TESTS` names no folder. */
export const TRIE_TESTS = opened('ethereumTests', 'TrieTests')

/** The state tests of execution-spec-tests; undefined if `PRESEAL_SPEC_TESTS` names no folder. */
export const SPEC_STATE_TESTS = opened('specTests', 'state')

/** The block tests of execution-spec-tests; undefined if `PRESEAL_SPEC_TESTS` names no folder. */
export const SPEC_BLOCK_TESTS = opened('specTests', 'blocks')

/** The transaction tests of ethereum/tests; undefined if `PRESEAL_ETHEREUM_TESTS` names no folder. */
export const TRANSACTION_TESTS = opened('ethereumTests', 'TransactionTests')

/** The RLP tests of ethereum/tests; undefined if `PRESEAL_ETHEREUM_TESTS` names no folder. */
export const RLP_TESTS = opened('ethereumTests', 'RLPTests')

function opened(name: FolderName, part?: string): Folder | undefined {
  const url = urls[name]
  if (url === null) return undefined
  const folder = servedFolder(url)
  return part === undefined ? folder : subfolder(folder, part)
}
