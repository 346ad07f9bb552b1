/**
 * preseal/errors: the classes of all errors that a caller can catch, except those of preseal/viem that extend viem's.
 * The other entry points throw the same ones.
 */

export { UnknownAccountError } from '../accounts/errors.ts'
export {
  ClockNotManualError,
  ExportError,
  LoadBlocksError,
  NonceGapsError,
  UnknownSnapshotError,
} from '../chain/errors.ts'
export {
  InvalidStateFileError,
  SlotNotFoundError,
  TimestampTooLowError,
  TooManyBlocksError,
} from '../cheats/errors.ts'
export { CoverageFilesError, ReportersMissingError } from '../coverage/errors.ts'
export {
  InvalidSenderError,
  InvalidTypedDataError,
} from '../crypto/errors.ts'
export {
  AccessListConvergenceError,
  ExecutionFailedError,
  ExecutionRevertedError,
  GasAllowanceError,
  NotPrecompileError,
  PrecompileMovedToItselfError,
  PrecompileMovedTwiceError,
  PrecompileTargetOverriddenError,
} from '../evm/errors.ts'
export { ArtifactsFolderError } from '../explain/errors.ts'
export {
  ForkBlockNotFoundError,
  ForkCacheError,
  ForkClosedError,
  ForkedChainChangedError,
  ForkedNodeUnansweredError,
  ForkedStateUnavailableError,
  ForkFailedError,
  ForkOfflineError,
  InvalidRemoteAnswerError,
  NotForkedError,
  NotInForkCacheError,
  OtherForkedChainError,
  RemoteRpcError,
  StoredChainForkError,
  TripError,
} from '../fork/errors.ts'
export {
  ConnectionFailedError,
  NetworkNotServedError,
} from '../hardhat/errors.ts'
export {
  ImportError,
  ReplayError,
  VerificationError,
} from '../import/errors.ts'
export {
  DatabaseCorruptError,
  DatabaseHeadError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabaseReadError,
  DatabaseStoppedError,
  DatabaseVersionError,
  DatabaseWriteError,
  GenesisMismatchError,
  TooManyLogsError,
} from '../ledger/errors.ts'
export {
  AccountLimitError,
  AlreadyKnownError,
  BlobsRefusedError,
  ReplacementUnderpricedError,
  UnderpricedError,
} from '../mempool/errors.ts'
export {
  BlockNumberOrderError,
  BlockTimestampOrderError,
  EarlyWithdrawalsError,
  EmptySimulationError,
  InvalidDepositLogError,
  SimulatedBlockGasError,
  TooManySimulatedBlocksError,
} from '../payload/errors.ts'
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
export {
  InvalidOptionError,
  InvalidParamsError,
  PresealError,
  PresealRpcError,
  TransactionRejectedError,
} from '../primitives/errors.ts'
export type { SolidityCause, SolidityFrame, SolidityTrace } from '../primitives/solidityTrace.ts'
export { findSolidityTrace, showSolidityTrace } from '../primitives/solidityTrace.ts'
export {
  BlobCreationError,
  BlobFeeCapTooLowError,
  BlobHashVersionError,
  BlockGasLimitError,
  ChainIdMismatchError,
  EmptyAuthorizationListError,
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  InvalidBlockError,
  InvalidSidecarError,
  MissingBlobHashesError,
  MissingSidecarError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  SenderNotEOAError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TooManyBlobsError,
  TransactionDecodeError,
  TransactionGasLimitError,
  TransactionTypeError,
} from '../protocol/errors.ts'
export {
  BlockDecodeError,
  BlockHashWithRangeError,
  BlockRangeBeyondHeadError,
  BlockRangeTooLargeError,
  FilterLimitError,
  FilterNotFoundError,
  GenesisNotTraceableError,
  InternalError,
  InvalidRequestError,
  MethodNotFoundError,
  ParamsCountError,
  SimulatedCallRefusedError,
  SlotLimitError,
  SubscriptionKindError,
  SyncDroppedError,
  SyncQueuedError,
  SyncTimeoutError,
  SyncTimeoutRangeError,
  TransactionNotFoundError,
  TransactionSealedError,
  UnknownBlockError,
} from '../rpc/errors.ts'
export {
  AtomicityUnsupportedError,
  DuplicateBatchError,
  TooManyCallsError,
  UnknownBatchError,
  UnrecognizedChainError,
  UnsupportedCapabilityError,
  UnsupportedChainError,
} from '../rpc/wallet/errors.ts'
export {
  DisconnectedError,
  NotPreconfirmedError,
} from '../sequencer/errors.ts'
export { PortInUseError } from '../server/errors.ts'
export { NoForkProofsError, StateUnavailableError } from '../state/errors.ts'
export {
  TraceTooLargeError,
  UnknownTracerError,
} from '../trace/errors.ts'
export {
  HeaderNotFoundError,
  InvalidBlockRangeError,
} from '../view/errors.ts'
export { TransactionsWaitingError } from '../vitest/errors.ts'
export { WorkerFailedError } from '../worker/errors.ts'
