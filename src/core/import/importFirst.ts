import type { Clock } from '../../base/clock.ts'
import type { WorldState } from '../../ethereum/state/worldState.ts'
import type { Canonical } from '../ledger/canonical.ts'
import type { Ledger, SealedEntry } from '../ledger/ledger.ts'
import { type BlockImporter, importBlocks } from './importBlocks.ts'

/** A chain before there is a tip. */
export interface Started {
  readonly head: SealedEntry
  readonly canonical: Canonical
}

/** The parts of a chain that its first blocks are imported into. */
export interface FirstImportParts {
  readonly ledger: Ledger
  readonly world: WorldState
  readonly importer: BlockImporter
}

/**
 * Imports the blocks of the option `blocks`, before there is a tip.
 *
 * @throws ImportError for the first invalid block.
 */
export async function importFirst(
  { blocks, clock }: { readonly blocks: Uint8Array | undefined; readonly clock: Clock },
  started: Started,
  { ledger, world, importer }: FirstImportParts,
): Promise<Started> {
  if (blocks === undefined) return started
  let { head, canonical } = started
  const hashAt = (at: bigint) => canonical.at(at)
  await importBlocks(blocks, {}, importer, {
    clock,
    head: () => ({ ...head, stateTrie: head.stateTrie ?? null, hashAt }),
    async adopt({ block, state, stateTrie }) {
      const before = head.state
      const added = { block, state: world.commit(state.changes), stateTrie }
      const difference = ledger.keepsState ? world.difference(before, added.state) : undefined
      await ledger.write({ head: block.hash, added: block, state: difference })
      head = added
      canonical = canonical.append(block.hash)
      const oldest = ledger.append(head, hashAt)
      if (oldest !== undefined) world.prune(oldest)
    },
  })
  return { head, canonical }
}
