/** What a state file with blocks holds, once all of it is checked. */
import type { Hash } from '../../../base/types.ts'
import type { Block } from '../../../ethereum/block.ts'
import type { FileAccounts } from './fields.ts'

/** A chain of a state file. */
export interface ChainFile {
  /** From genesis to the head. */
  readonly blocks: readonly Block[]
  /** The state at the head. */
  readonly accounts: FileAccounts
  /** The states after earlier blocks, by hash; each is read when it is needed. @throws InvalidStateFileError */
  readonly states: ReadonlyMap<Hash, () => Promise<FileAccounts>>
}
