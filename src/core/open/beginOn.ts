/** A running chain goes on from the first tip of another base. */

import type { BlockSettings } from '../block/attributes.ts'
import { compareChains } from '../sequencer/retraction.ts'
import type { Core } from './core.ts'
import { type OpenedTip, startTip } from './openTip.ts'

/** What is kept of the chain before. */
export interface Kept {
  /** The settings of the blocks to come, from those before. */
  settings(before: BlockSettings): BlockSettings
  /** Captures parts that a beginning restores to their first values; the returned function sets them again. */
  capture(): () => void
}

/**
 * Swaps the tip of a chain, with all that it is built on, for the first tip of another base.
 *
 * @param kept - by default nothing.
 */
export function beginOn(core: Core, next: OpenedTip, kept?: Kept): Promise<void> {
  const { sequencer, snapshots } = core
  const { options, config, ledger, world, importer, genesis, settings } = next
  return sequencer.exclusive(async (writer) => {
    const { isRunning, blockTime } = sequencer
    const slotEnd = options.clock.now() + (isRunning ? blockTime : 0)
    const first = kept?.settings(writer.tip().settings) ?? settings()
    const tip = await startTip(next, next.tip, first, slotEnd)
    const retraction = compareChains(writer.tip(), tip, (hash) => core.ledger.get(hash)?.block)
    // The slot begins now; first, since a clock that fails must leave the chain on its base.
    sequencer.blockTime = blockTime
    writer.begin({ attributes: options, config, ledger, world, importer }, retraction, () => {
      core.rebase(next)
      const restore = kept?.capture()
      const drops = snapshots.begin({ ledger, genesis, settings })
      restore?.()
      return drops
    })
  })
}
