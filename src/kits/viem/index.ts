/** preseal/viem: a transport with subscriptions, and actions for pre-confirmations; viem is a peer dependency. */

export type { TransactionProgress } from '../../base/eventTypes.ts'
export {
  type SendRawTransactionSyncErrorType,
  sendRawTransactionSync,
  sendTransactionSync,
  writeContractSync,
} from './actions/syncSends.ts'
export {
  type GetTransactionStatusErrorType,
  type GetTransactionStatusParameters,
  type GetTransactionStatusReturnType,
  getTransactionStatus,
  type WatchTransactionStatusParameters,
  type WatchTransactionStatusReturnType,
  watchTransactionStatus,
} from './actions/transactionStatus.ts'
export {
  type WaitForPreconfirmationErrorType,
  type WaitForPreconfirmationParameters,
  type WaitForPreconfirmationReturnType,
  type WaitForSealErrorType,
  type WaitForSealParameters,
  type WaitForSealReturnType,
  waitForPreconfirmation,
  waitForSeal,
} from './actions/waits.ts'
export {
  type FormattedPreconfBlock,
  type PreconfOutcome,
  type PreconfTransaction,
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
export {
  type ChainSource,
  type ChainTransport,
  type ChainTransportAttributes,
  type ChainTransportCommonConfig,
  type ChainTransportConfig,
  type ChainTransportProviderConfig,
  chainTransport,
  type PushProvider,
  type SubscribeParameters,
  type SubscribeReturnType,
  type SubscriptionData,
} from './chainTransport.ts'
export {
  NonceGapError,
  PushUnsupportedError,
  SendSyncQueuedError,
  SendSyncTimeoutError,
  StandardViewError,
  TransactionDroppedError,
} from './errors.ts'
export { type PreconfActions, preconfActions } from './preconfActions.ts'
export { type PresealViemChain, preseal, type ToViemChainParameters, toViemChain } from './preset.ts'
