import { loadExtension } from '../loadExtension.ts'
import { method } from '../method.ts'
import { rawTransaction } from '../params/scalars.ts'

/**
 * Adds a signed transaction to the mempool and returns its hash (spec.md §4.2); in `auto` mining, once it is sealed.
 *
 * @throws TransactionRejectedError a subclass for each reason, with the messages of spec.md §7
 */
export const eth_sendRawTransaction = method([rawTransaction], (context, raw) => {
  const extension = loadExtension(context.dialect)
  const sent = extension?.then(({ sendRaw }) => sendRaw(context, raw)) ?? context.send.submitRaw(raw)
  return sent.then(({ hash }) => hash)
})
