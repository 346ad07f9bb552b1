import {
  type AbiEvent,
  type Chain,
  type Client,
  type FormattedBlock,
  type FormattedTransaction,
  type FormattedTransactionReceipt,
  formatBlock,
  formatTransaction,
  formatTransactionReceipt,
  type MaybeAbiEventName,
  type TransactionReceipt,
  type Transport,
  type RpcBlock as ViemRpcBlock,
  type WatchEventParameters,
} from 'viem'
import { watchEvent } from 'viem/actions'
import type { PreconfBlock as WirePreconfBlock } from '../../../base/eventTypes.ts'
import type { Hash } from '../../../base/types.ts'
import type { PreconfTransaction as WirePreconfTransaction } from '../../../rpc/subscriptions/feed.ts'
import { explainRefusal, isolate, type PushTransport, pushTransportOf, watch } from '../push.ts'
import { formatReceipt } from './syncSends.ts'

/** Parameters of {@link watchPendingLogs}: as for viem's `watchEvent`, except for polling, batches and past blocks. */
export type WatchPendingLogsParameters<
  abiEvent extends AbiEvent | undefined = undefined,
  abiEvents extends readonly AbiEvent[] | readonly unknown[] | undefined = abiEvent extends AbiEvent
    ? [abiEvent]
    : undefined,
  strict extends boolean | undefined = undefined,
> = DistributiveOmit<
  WatchEventParameters<abiEvent, abiEvents, strict, Transport, MaybeAbiEventName<abiEvent>>,
  'batch' | 'fromBlock' | 'poll' | 'pollingInterval'
>

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never

/** Stops watching. */
export type WatchPendingLogsReturnType = () => void

/**
 * Watches the logs of transactions as they are pre-confirmed. Decodes them if events are given, as viem's `watchEvent`.
 *
 * - Subscription: `pendingLogs`
 *
 * @param client - on the preconf view, with a transport that pushes. Otherwise `onError` gets a
 * StandardViewError or a PushUnsupportedError
 * @example
 * const unwatch = watchPendingLogs(client, {
 *   address: token,
 *   event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
 *   onLogs: ([log]) => console.log(log.args.value),
 * })
 */
export function watchPendingLogs<
  const abiEvent extends AbiEvent | undefined = undefined,
  const abiEvents extends readonly AbiEvent[] | readonly unknown[] | undefined = abiEvent extends AbiEvent
    ? [abiEvent]
    : undefined,
  strict extends boolean | undefined = undefined,
>(
  client: Client<Transport, Chain | undefined>,
  parameters: WatchPendingLogsParameters<abiEvent, abiEvents, strict>,
): WatchPendingLogsReturnType {
  const subscribePending: PushTransport['subscribe'] = async ({ params: [, filter], ...listener }) =>
    pushTransportOf(client as Client)
      .subscribe({ ...listener, onData: isolate(listener), params: ['pendingLogs', filter] })
      .catch(async (error) => {
        throw await explainRefusal(client as Client, error)
      })
  // viem's watcher encodes, decodes and formats; it uses only the client's transport.
  const transport = { ...client.transport, type: 'webSocket', subscribe: subscribePending }
  return watchEvent({ ...client, transport } as never, { ...parameters, poll: false } as never)
}

/** A preconf block, in viem's format. */
export interface FormattedPreconfBlock<chain extends Chain | undefined = Chain | undefined> {
  /** The partial block with whole transactions; its hash is the hash of the current header. */
  readonly block: FormattedBlock<chain, true, 'latest'>
  /** The position of the preconf block within its block, 0 right after a seal; OP-Stack nodes do not send it. */
  readonly index?: number | undefined
  /** The index of the first transaction that the previous preconf block lacks; OP-Stack nodes do not send it. */
  readonly added?: number | undefined
  /** One receipt per transaction, in order; OP-Stack nodes do not send them. */
  readonly receipts?: readonly FormattedTransactionReceipt<chain>[] | undefined
}

/** Parameters of {@link watchPreconfBlocks}. */
export interface WatchPreconfBlocksParameters<chain extends Chain | undefined = Chain | undefined> {
  /** Called with every preconf block. */
  onPreconfBlock(preconfBlock: FormattedPreconfBlock<chain>): void
  /** Called if the subscription does not start, its connection ends, or `onPreconfBlock` throws. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchPreconfBlocksReturnType = () => void

/**
 * Watches the preconf blocks of the block under construction.
 *
 * - Subscription: `newPreconfBlocks`, or `newFlashblocks` of OP-Stack nodes, which send only the block
 *
 * @param client - on the preconf view, with a transport that pushes. Otherwise `onError` gets a
 * StandardViewError or a PushUnsupportedError
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
  return watch<WirePreconfBlock | ViemRpcBlock>(client as Client, 'newPreconfBlocks', undefined, {
    onData(sent) {
      const preconf: Pick<WirePreconfBlock, 'block'> & Partial<WirePreconfBlock> =
        'block' in sent ? sent : { block: sent as unknown as WirePreconfBlock['block'] }
      const { block, index, added, receipts } = preconf
      onPreconfBlock({
        block: blockOf(block as never, 'getBlock') as FormattedBlock<chain, true, 'latest'>,
        index,
        added,
        receipts: receipts?.map((receipt) => formatReceipt(client, receipt)),
      })
    },
    onError,
  })
}

/** The execution result of a pre-confirmed transaction; OP-Stack nodes may send only its logs. */
export type PreconfOutcome = Pick<TransactionReceipt, 'logs'> &
  Partial<
    Pick<
      TransactionReceipt,
      'contractAddress' | 'cumulativeGasUsed' | 'effectiveGasPrice' | 'gasUsed' | 'logsBloom' | 'status'
    >
  >

/** A pre-confirmed transaction with its execution result, in viem's format. */
export type PreconfTransaction<chain extends Chain | undefined = Chain | undefined> = FormattedTransaction<
  chain,
  'latest'
> &
  PreconfOutcome

/** Parameters of {@link watchPreconfTransactions}. */
// API Extractor fails on a type parameter that has the name of a field (microsoft/rushstack#2834).
export interface WatchPreconfTransactionsParameters<
  whole extends boolean = false,
  chain extends Chain | undefined = Chain | undefined,
> {
  /** Whether to pass whole transactions with their execution results instead of hashes; by default false. */
  readonly includeTransactions?: whole | undefined
  /** Called with one transaction at a time, in the order of the block, like viem's watchers that subscribe. */
  onTransactions(transactions: (whole extends true ? PreconfTransaction<chain> : Hash)[]): void
  /** Called if the subscription does not start, its connection ends, or `onTransactions` throws. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchPreconfTransactionsReturnType = () => void

/**
 * Watches transactions as they are pre-confirmed.
 *
 * - Subscription: `newPreconfTransactions`, or `newFlashblockTransactions` of OP-Stack nodes
 *
 * @param client - on the preconf view, with a transport that pushes. Otherwise `onError` gets a
 * StandardViewError or a PushUnsupportedError
 * @example
 * const unwatch = watchPreconfTransactions(client, { onTransactions: ([hash]) => console.log(hash) })
 */
export function watchPreconfTransactions<
  chain extends Chain | undefined,
  const includeTransactions extends boolean = false,
>(
  client: Client<Transport, chain>,
  {
    includeTransactions,
    onTransactions,
    onError,
  }: WatchPreconfTransactionsParameters<includeTransactions, chain>,
): WatchPreconfTransactionsReturnType {
  const option = includeTransactions === true ? true : undefined
  return watch<Hash | WirePreconfTransaction>(client as Client, 'newPreconfTransactions', option, {
    onData: (sent) => onTransactions([typeof sent === 'string' ? sent : format(client, sent)] as never),
    onError,
  })
}

function format(
  { chain }: Client<Transport, Chain | undefined>,
  sent: WirePreconfTransaction,
): PreconfTransaction {
  const transactionOf = chain?.formatters?.transaction?.format ?? formatTransaction
  const { contractAddress, cumulativeGasUsed, effectiveGasPrice, gasUsed, logs, logsBloom, status, ...rest } =
    sent
  // The formatter sets missing fields to null: only the fields that the node sent are taken from its result.
  const outcome = { contractAddress, cumulativeGasUsed, effectiveGasPrice, gasUsed, logs, logsBloom, status }
  const formatted = formatTransactionReceipt(outcome as never)
  const sentFields = Object.entries(outcome)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => [name, formatted[name as keyof typeof formatted]])
  return { ...transactionOf(rest as never, 'getTransaction'), ...Object.fromEntries(sentFields) }
}
