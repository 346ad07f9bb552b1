import { lazyMethod } from '../method.ts'

/**
 * Returns the configuration of the active fork at the newest block, of the next one and of the last one that is scheduled
 * (EIP-7910). Only forks that start at a time have one: before Shanghai `current` is null.
 */
export const eth_config = lazyMethod([], async () => (await import('../configuration.ts')).chainConfig)
