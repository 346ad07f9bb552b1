import { method } from '../method.ts'

/** Returns the fee recipient of new blocks. */
export const eth_coinbase = method([], ({ read, viewed }) => viewed.tip.settings.coinbase ?? read.coinbase)
