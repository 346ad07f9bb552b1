import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { subscriptionKind, subscriptionOption } from '../params/block.ts'

/**
 * Starts a subscription and returns its id. Results arrive as `message` events (EIP-1193).
 *
 * @throws SubscriptionKindError if the view has no such kind
 * @throws InvalidParamsError if the option does not fit the kind
 * @group Logs, filters and subscriptions
 * @views `newHeads`, `logs`, `newPendingTransactions` | also `newPreconfTransactions` (`newFlashblockTransactions`), `pendingLogs`,
 *   `newPreconfBlocks` (`newFlashblocks`)
 * @example ["newHeads"]
 */
export const eth_subscribe = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [subscriptionKind, optional(subscriptionOption)],
  handler: ({ subscriptions }, kind, option) => subscriptions.subscribe(kind, option),
})
