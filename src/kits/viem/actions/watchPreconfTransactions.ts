import {
  type Chain,
  type Client,
  type FormattedTransaction,
  formatTransaction,
  formatTransactionReceipt,
  type TransactionReceipt,
  type Transport,
} from 'viem'
import type { Hash } from '../../../base/types.ts'
import type { PreconfTransaction as WirePreconfTransaction } from '../../../rpc/subscriptions/feed.ts'
import { watch } from '../push.ts'

/** The result of executing a pre-confirmed transaction; OP-Stack nodes may send only its logs. */
export type PreconfOutcome = Pick<TransactionReceipt, 'logs'> &
  Partial<
    Pick<
      TransactionReceipt,
      'contractAddress' | 'cumulativeGasUsed' | 'effectiveGasPrice' | 'gasUsed' | 'logsBloom' | 'status'
    >
  >

/** A pre-confirmed transaction with the result of its execution, in viem's format. */
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
  /** Whether to pass whole transactions with the results of execution, not only hashes; by default false. */
  readonly includeTransactions?: whole | undefined
  /** Called with one transaction at a time, in the order of the block, as viem's watchers do if they subscribe. */
  onTransactions(transactions: (whole extends true ? PreconfTransaction<chain> : Hash)[]): void
  /** Called if the subscription did not start, its connection ended, or the other callback threw. */
  onError?: ((error: Error) => void) | undefined
}

/** Stops watching. */
export type WatchPreconfTransactionsReturnType = () => void

/**
 * Watches transactions as they are pre-confirmed.
 *
 * - Subscription: `newPreconfTransactions`, or `newFlashblockTransactions` of OP-Stack nodes
 *
 * @param client - on the preconf view, with a transport that pushes; else `onError` gets a StandardViewError, or a
 *   PushUnsupportedError
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
  // A formatter sets missing fields to null; only those that were sent are kept.
  const outcome = { contractAddress, cumulativeGasUsed, effectiveGasPrice, gasUsed, logs, logsBloom, status }
  const formatted = formatTransactionReceipt(outcome as never)
  const sentFields = Object.entries(outcome)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => [name, formatted[name as keyof typeof formatted]])
  return { ...transactionOf(rest as never, 'getTransaction'), ...Object.fromEntries(sentFields) }
}
