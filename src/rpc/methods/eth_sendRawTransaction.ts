import { loadExtension } from '../loadExtension.ts'
import { defineMethod } from '../method.ts'
import { rawTransaction } from '../params/params.ts'

/**
 * Adds a signed transaction to the mempool and returns its hash (spec.md §4.2). In `auto` mining, resolves once it is
 * sealed, or at once if it is queued.
 *
 * @throws TransactionRejectedError a subclass for each reason, with the messages of spec.md §7
 * @throws ExecutionRevertedError, ExecutionFailedError in `auto` mining in the `hardhat` dialect, if the transaction
 *   fails
 * @group Transactions
 * @example ["$raw"]
 */
export const eth_sendRawTransaction = defineMethod({
  class: 'node',
  onFork: 'local',
  turn: 'raw',
  params: [rawTransaction],
  handler: (context, raw) => {
    const { send, dialect, turn } = context
    const inDialect = loadExtension(dialect)?.then((extension) =>
      extension.send(context, (now, check) => now.send.sendRaw(raw, turn, check)),
    )
    return (inDialect ?? send.sendRaw(raw, turn)).then(({ hash }) => hash)
  },
})
