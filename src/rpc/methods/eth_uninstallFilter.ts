import { method } from '../method.ts'
import { filterId } from '../params/block.ts'

/** Removes a filter; returns false if there is none with this id. */
export const eth_uninstallFilter = method([filterId], ({ filters }, id) => filters.remove(id))
