/** All actions, for `client.extend()`. */
import type {
  AbiEvent,
  Account,
  Chain,
  Client,
  SendRawTransactionSyncParameters,
  SendRawTransactionSyncReturnType,
  Transport,
  WalletActions,
} from 'viem'
import { sendRawTransactionSync, sendTransactionSync, writeContractSync } from './actions/syncSends.ts'
import {
  type GetTransactionStatusParameters,
  type GetTransactionStatusReturnType,
  getTransactionStatus,
  type WatchTransactionStatusParameters,
  type WatchTransactionStatusReturnType,
  watchTransactionStatus,
} from './actions/transactionStatus.ts'
import {
  type WaitForPreconfirmationParameters,
  type WaitForPreconfirmationReturnType,
  type WaitForSealParameters,
  type WaitForSealReturnType,
  waitForPreconfirmation,
  waitForSeal,
} from './actions/waits.ts'
import {
  type WatchPendingLogsParameters,
  type WatchPendingLogsReturnType,
  type WatchPreconfBlocksParameters,
  type WatchPreconfBlocksReturnType,
  type WatchPreconfTransactionsParameters,
  type WatchPreconfTransactionsReturnType,
  watchPendingLogs,
  watchPreconfBlocks,
  watchPreconfTransactions,
} from './actions/watchers.ts'

/** The actions that {@link preconfActions} adds to a client. */
export type PreconfActions<
  chain extends Chain | undefined = Chain | undefined,
  account extends Account | undefined = Account | undefined,
> = {
  /** See {@link getTransactionStatus}. */
  getTransactionStatus(parameters: GetTransactionStatusParameters): Promise<GetTransactionStatusReturnType>
  /** See {@link sendRawTransactionSync}. */
  sendRawTransactionSync(
    parameters: SendRawTransactionSyncParameters,
  ): Promise<SendRawTransactionSyncReturnType<chain>>
  /** See {@link sendTransactionSync}. */
  sendTransactionSync: WalletActions<chain, account>['sendTransactionSync']
  /** See {@link waitForPreconfirmation}. */
  waitForPreconfirmation(
    parameters: WaitForPreconfirmationParameters,
  ): Promise<WaitForPreconfirmationReturnType<chain>>
  /** See {@link waitForSeal}. */
  waitForSeal(parameters: WaitForSealParameters): Promise<WaitForSealReturnType<chain>>
  /** See {@link watchPendingLogs}. */
  watchPendingLogs<
    const abiEvent extends AbiEvent | undefined = undefined,
    const abiEvents extends readonly AbiEvent[] | readonly unknown[] | undefined = abiEvent extends AbiEvent
      ? [abiEvent]
      : undefined,
    strict extends boolean | undefined = undefined,
  >(parameters: WatchPendingLogsParameters<abiEvent, abiEvents, strict>): WatchPendingLogsReturnType
  /** See {@link watchPreconfBlocks}. */
  watchPreconfBlocks(parameters: WatchPreconfBlocksParameters<chain>): WatchPreconfBlocksReturnType
  /** See {@link watchPreconfTransactions}. */
  watchPreconfTransactions<const includeTransactions extends boolean = false>(
    parameters: WatchPreconfTransactionsParameters<includeTransactions, chain>,
  ): WatchPreconfTransactionsReturnType
  /** See {@link watchTransactionStatus}. */
  watchTransactionStatus(parameters: WatchTransactionStatusParameters): WatchTransactionStatusReturnType
  /** See {@link writeContractSync}. */
  writeContractSync: WalletActions<chain, account>['writeContractSync']
}

/**
 * Returns the actions for pre-confirmations, for `client.extend()`. Each is also exported as a function.
 *
 * @example
 * const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) }).extend(preconfActions())
 * const receipt = await client.waitForPreconfirmation({ hash })
 */
export function preconfActions() {
  return <transport extends Transport, chain extends Chain | undefined, account extends Account | undefined>(
    client: Client<transport, chain, account>,
  ): PreconfActions<chain, account> => {
    const base = client as unknown as Client<Transport, chain, account>
    return {
      getTransactionStatus: (parameters) => getTransactionStatus(base, parameters),
      sendRawTransactionSync: (parameters) => sendRawTransactionSync(base, parameters),
      sendTransactionSync: (parameters) => sendTransactionSync(base, parameters as never),
      waitForPreconfirmation: (parameters) => waitForPreconfirmation(base, parameters),
      waitForSeal: (parameters) => waitForSeal(base, parameters),
      watchPendingLogs: (parameters) => watchPendingLogs(base, parameters),
      watchPreconfBlocks: (parameters) => watchPreconfBlocks(base, parameters),
      watchPreconfTransactions: (parameters) => watchPreconfTransactions(base, parameters),
      watchTransactionStatus: (parameters) => watchTransactionStatus(base, parameters),
      writeContractSync: (parameters) => writeContractSync(base, parameters as never),
    }
  }
}
