import { method } from '../method.ts'

/** The fee recipient of the blocks to come. */
export const eth_coinbase = method([], ({ read, viewed }) => viewed.tip.settings.coinbase ?? read.coinbase)
