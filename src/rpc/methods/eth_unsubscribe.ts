import { method } from '../method.ts'
import { filterId } from '../params/block.ts'

/** Ends a subscription; returns false if there is none with this id. */
export const eth_unsubscribe = method([filterId], ({ subscriptions }, id) => subscriptions.unsubscribe(id))
