import { defineMethod, devNames } from '../method.ts'
import { nodeUrl } from '../params/dev.ts'

/**
 * Switches the fork to a new node, which must have the forked block.
 *
 * @throws NotForkedError, ForkOfflineError, OtherForkedChainError, and the errors of the node
 * @group Dev chain: snapshots, reorgs, state files
 * @example ["http://127.0.0.1:1"]
 */
export const anvil_setRpcUrl = defineMethod({
  class: 'cheat',
  aliases: devNames('setRpcUrl'),
  params: [nodeUrl],
  returns: null,
  handler: ({ control }, url) => control.resets.setForkUrl(url),
})
