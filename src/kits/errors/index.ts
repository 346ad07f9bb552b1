/**
 * preseal/errors: the classes of all errors that a caller can catch, except those of preseal/viem that extend viem's.
 * The other entry points throw the same ones.
 */
// biome-ignore-all lint/performance/noReExportAll: each of these files declares errors for callers alone, all of them exported here

export { InvalidSenderError, InvalidTypedDataError } from '../../base/crypto/errors.ts'
export {
  InvalidOptionError,
  InvalidParamsError,
  PresealError,
  PresealRpcError,
  TransactionRejectedError,
} from '../../base/errors.ts'
export type { SolidityCause, SolidityFrame, SolidityTrace } from '../../base/solidityTrace.ts'
export { findSolidityTrace, showSolidityTrace } from '../../base/solidityTrace.ts'
export * from '../../core/accounts/errors.ts'
export * from '../../core/block/errors.ts'
export * from '../../core/cheats/errors.ts'
export * from '../../core/fork/errors.ts'
export * from '../../core/import/errors.ts'
export * from '../../core/ledger/errors.ts'
export * from '../../core/mempool/errors.ts'
export {
  ClockNotManualError,
  ExportError,
  LoadBlocksError,
  NonceGapsError,
  UnknownSnapshotError,
} from '../../core/open/errors.ts'
export * from '../../core/sequencer/errors.ts'
export * from '../../core/trace/errors.ts'
export * from '../../core/view/errors.ts'
export * from '../../ethereum/errors.ts'
export * from '../../ethereum/evm/errors.ts'
export * from '../../ethereum/state/errors.ts'
export * from '../../inspect/explain/errors.ts'
export * from '../../rpc/errors.ts'
export * from '../../rpc/wallet/errors.ts'
export * from '../coverage/errors.ts'
export * from '../hardhat/errors.ts'
export {
  ChainNotServedError,
  MethodNotOfferedError,
  NoPromptError,
  NotConnectedError,
  NoWalletAccountError,
  PageForkUrlError,
  PagesStuckError,
  PromptEndedError,
  PromptsOpenError,
  PromptTimeoutError,
  RejectionsLeftError,
  TransactionsLeftError,
  UserRejectedError,
} from '../playwright/errors.ts'
export { PortInUseError } from '../server/errors.ts'
export * from '../vitest/errors.ts'
export { WorkerFailedError } from '../worker/errors.ts'
