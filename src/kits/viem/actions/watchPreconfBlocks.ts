import {
  type Chain,
  type Client,
  type FormattedBlock,
  type FormattedTransactionReceipt,
  formatBlock,
  formatTransactionReceipt,
  type Transport,
  type RpcBlock as ViemRpcBlock,
} from 'viem'
import type { PreconfBlock as WirePreconfBlock } from '../../../base/eventTypes.ts'
import { watch } from '../push.ts'

/** A snapshot of the block under construction, in viem's format. */
export interface FormattedPreconfBlock<chain extends Chain | undefined = Chain | undefined> {
  /** The partial block with whole transactions; its hash is the header's at this snapshot. */
  readonly block: FormattedBlock<chain, true, 'latest'>
  /** Position of the snapshot within its block, 0 right after a seal; OP-Stack nodes do not send it. */
  readonly index?: number | undefined
  /** Index of the first transaction that was not in the snapshot before; OP-Stack nodes do not send it. */
  readonly added?: number | undefined
  /** One receipt per transaction, in order; OP-Stack nodes do not send them. */
  readonly receipts?: readonly FormattedTransactionReceipt<chain>[] | undefined
}

/** Parameters of {@link watchPreconfBlocks}. */
export interface WatchPreconfBlocksParameters<chain extends Chain | undefined = Chain | undefined> {
  /** Called with every snapshot. */
  onPreconfBlock(snapshot: FormattedPreconfBlock<chain>): void
  /** Called if the subscription did not start, its connection ended, or the other callback threw. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchPreconfBlocksReturnType = () => void

/**
 * Watches the block under construction: every snapshot that is published.
 *
 * - Subscription: `newPreconfBlocks`, or `newFlashblocks` of OP-Stack nodes, which only send the block
 *
 * @param client - on the preconf view, with a transport that pushes; else `onError` gets a StandardViewError, or a
 *   PushUnsupportedError
 * @example
 * const unwatch = watchPreconfBlocks(client, {
 *   onPreconfBlock: ({ block, index }) => console.log(block.number, index, block.transactions.length),
 * })
 */
export function watchPreconfBlocks<chain extends Chain | undefined>(
  client: Client<Transport, chain>,
  { onPreconfBlock, onError }: WatchPreconfBlocksParameters<chain>,
): WatchPreconfBlocksReturnType {
  const blockOf = client.chain?.formatters?.block?.format ?? formatBlock
  const receiptOf = client.chain?.formatters?.transactionReceipt?.format ?? formatTransactionReceipt
  return watch<WirePreconfBlock | ViemRpcBlock>(client as Client, 'newPreconfBlocks', undefined, {
    onData(sent) {
      const snapshot: Pick<WirePreconfBlock, 'block'> & Partial<WirePreconfBlock> =
        'block' in sent ? sent : { block: sent as unknown as WirePreconfBlock['block'] }
      const { block, index, added, receipts } = snapshot
      onPreconfBlock({
        block: blockOf(block as never, 'getBlock') as FormattedBlock<chain, true, 'latest'>,
        index,
        added,
        receipts: receipts?.map((receipt) => receiptOf(receipt as never, 'getTransactionReceipt')) as
          | FormattedTransactionReceipt<chain>[]
          | undefined,
      })
    },
    onError,
  })
}
