import { method } from '../method.ts'

/** The fee recipient of the blocks to come. */
export const eth_coinbase = method(
  [],
  ({ services, sight }) => sight.tip.settings.coinbase ?? services.coinbase,
)
