import { method } from '../method.ts'
import { rawTransaction } from '../params/scalars.ts'

/**
 * Lets a signed transaction into the mempool (spec.md §4.2); in `auto` mining it is sealed when this resolves.
 *
 * @throws TransactionRejectedError a subclass for each reason, with the messages of spec.md §7
 */
export const eth_sendRawTransaction = method([rawTransaction], async ({ send }, raw) => {
  const { hash } = await send.submitRaw(raw)
  return hash
})
