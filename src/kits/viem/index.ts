/** preseal/viem: a transport with subscriptions, and actions for pre-confirmations; viem is a peer dependency. */

export type { TransactionProgress } from '../../base/eventTypes.ts'
export {
  type GetTransactionStatusErrorType,
  type GetTransactionStatusParameters,
  type GetTransactionStatusReturnType,
  getTransactionStatus,
} from './actions/getTransactionStatus.ts'
export {
  type SendRawTransactionSyncErrorType,
  sendRawTransactionSync,
} from './actions/sendRawTransactionSync.ts'
export { sendTransactionSync } from './actions/sendTransactionSync.ts'
export {
  type WaitForPreconfirmationErrorType,
  type WaitForPreconfirmationParameters,
  type WaitForPreconfirmationReturnType,
  waitForPreconfirmation,
} from './actions/waitForPreconfirmation.ts'
export {
  type WaitForSealErrorType,
  type WaitForSealParameters,
  type WaitForSealReturnType,
  waitForSeal,
} from './actions/waitForSeal.ts'
export {
  type WatchPendingLogsParameters,
  type WatchPendingLogsReturnType,
  watchPendingLogs,
} from './actions/watchPendingLogs.ts'
export {
  type FormattedPreconfBlock,
  type WatchPreconfBlocksParameters,
  type WatchPreconfBlocksReturnType,
  watchPreconfBlocks,
} from './actions/watchPreconfBlocks.ts'
export {
  type PreconfOutcome,
  type PreconfTransaction,
  type WatchPreconfTransactionsParameters,
  type WatchPreconfTransactionsReturnType,
  watchPreconfTransactions,
} from './actions/watchPreconfTransactions.ts'
export {
  type WatchTransactionStatusParameters,
  type WatchTransactionStatusReturnType,
  watchTransactionStatus,
} from './actions/watchTransactionStatus.ts'
export { writeContractSync } from './actions/writeContractSync.ts'
export {
  type ChainSource,
  type ChainTransport,
  type ChainTransportAttributes,
  type ChainTransportCommonConfig,
  type ChainTransportConfig,
  type ChainTransportProviderConfig,
  chainTransport,
} from './chainTransport.ts'
export type {
  PushProvider,
  SubscribeParameters,
  SubscribeReturnType,
  SubscriptionData,
} from './connection.ts'
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
