import { Canonical } from '../ledger/canonical.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import type { Block } from '../protocol/block.ts'
import type { StateChanges } from '../state/account.ts'
import type { StateTrie } from '../state/stateTrie.ts'
import type { WorldState } from '../state/worldState.ts'

/** The genesis block of a chain, with its state. */
export interface StartedGenesis {
  readonly block: Block
  readonly changes: StateChanges
  readonly stateTrie: StateTrie
}

/**
 * Starts a chain that has no block after genesis.
 *
 * @param isInSource - whether the source of the world state has the genesis state.
 */
export function startAtGenesis(
  { block, changes, stateTrie }: StartedGenesis,
  { world, ledger }: { readonly world: WorldState; readonly ledger: Ledger },
  isInSource = false,
): { readonly head: SealedEntry; readonly canonical: Canonical; readonly genesis: SealedEntry } {
  const head: SealedEntry = { block, state: isInSource ? world.head : world.commit(changes), stateTrie }
  ledger.append(head, () => undefined)
  return { head, canonical: new Canonical([block.hash]), genesis: head }
}
