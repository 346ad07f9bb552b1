import { optional } from '../../base/schema.ts'
import { defineMethod, devNames } from '../method.ts'
import { resetRequest } from '../params/dev.ts'

/**
 * Resets the chain to the block that `forking` names or, without `forking`, to genesis (spec.md 33f). With an empty
 * `forking`, returns to the chain's first block.
 *
 * @throws StateUnavailableError if the history no longer reaches the first block
 * @throws StoredChainForkError, InvalidParamsError, ForkFailedError, and the errors of the node, if the chain cannot
 *   be forked
 * @group Dev chain: snapshots, reorgs, state files
 */
export const anvil_reset = defineMethod({
  class: 'cheat',
  turn: 'reset',
  aliases: devNames('reset'),
  params: [optional(resetRequest)],
  returns: true,
  handler: ({ control, turn }, request) => {
    const { forking } = request ?? {}
    return control.resets.reset(
      forking && { url: forking.jsonRpcUrl, headers: forking.httpHeaders, block: forking.blockNumber },
      turn,
    )
  },
})
