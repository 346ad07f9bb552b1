import { optional } from '../../base/schema.ts'
import { method } from '../method.ts'
import { subscriptionKind, subscriptionOption } from '../params/block.ts'

/**
 * Starts a subscription and returns its id; its results arrive as `message` events (EIP-1193).
 *
 * @throws SubscriptionKindError if the view has no such kind
 * @throws InvalidParamsError if the option does not fit the kind
 * @throws BlockHashWithRangeError in the `geth` dialect
 */
export const eth_subscribe = method(
  [subscriptionKind, optional(subscriptionOption)],
  ({ subscriptions }, kind, option) => subscriptions.subscribe(kind, option),
)
