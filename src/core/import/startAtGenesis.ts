import type { Block } from '../../ethereum/block.ts'
import type { StateChanges } from '../../ethereum/state/account.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import { Canonical } from '../ledger/canonical.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'

/** The genesis block of a chain, with its state. */
export interface StartedGenesis {
  readonly block: Block
  readonly changes: StateChanges
  readonly stateTrie: StateTrie
}

/** Where a chain starts. */
export interface Start {
  /** Whether the source of the world state has the genesis state. */
  readonly isInSource: boolean
  /** The canonical chain, if blocks are before the first one. */
  readonly canonical?: Canonical | undefined
}

/** Starts a chain that has no block after genesis, or after the block of a fork. */
export function startAtGenesis(
  { block, changes, stateTrie }: StartedGenesis,
  { world, ledger }: { readonly world: WorldState; readonly ledger: Ledger },
  { isInSource, canonical = new Canonical([block.hash]) }: Start = { isInSource: false },
): { readonly head: SealedEntry; readonly canonical: Canonical; readonly genesis: SealedEntry } {
  const head: SealedEntry = { block, state: isInSource ? world.head : world.commit(changes), stateTrie }
  ledger.append(head, () => undefined)
  return { head, canonical, genesis: head }
}
