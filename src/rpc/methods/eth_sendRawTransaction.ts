import type { Transaction } from '../../protocol/transaction.ts'
import type { DialectExtension } from '../dialectExtension.ts'
import { loadExtension } from '../loadExtension.ts'
import { method, type RpcContext } from '../method.ts'
import { rawTransaction } from '../params/scalars.ts'

/**
 * Adds a signed transaction to the mempool and returns its hash (spec.md §4.2); in `auto` mining, once it is sealed.
 *
 * @throws TransactionRejectedError a subclass for each reason, with the messages of spec.md §7
 */
export const eth_sendRawTransaction = method([rawTransaction], (context, raw) => {
  const extension = loadExtension(context.dialect)
  const sent = extension === undefined ? context.send.submitRaw(raw) : sendInDialect(context, raw, extension)
  return sent.then(({ hash }) => hash)
})

async function sendInDialect(
  context: RpcContext,
  raw: Uint8Array,
  extension: Promise<DialectExtension>,
): Promise<Transaction> {
  const { send } = await extension
  return send(context, async (now, check) => {
    const tx = await now.send.decode(raw)
    check(tx)
    return now.send.submit(tx)
  })
}
