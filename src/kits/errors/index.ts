/** preseal/errors: the classes of all errors that a caller can catch. preseal/viem has errors that extend viem's. */

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
export { UnknownAccountError } from '../../core/accounts/errors.ts'
export {
  BlockNumberOrderError,
  BlockTimestampOrderError,
  EarlyWithdrawalsError,
  EmptySimulationError,
  InvalidDepositLogError,
  SimulatedBlockGasError,
  TooManySimulatedBlocksError,
} from '../../core/block/errors.ts'
export {
  InvalidStateFileError,
  SlotNotFoundError,
  TimestampTooLowError,
  TooManyBlocksError,
} from '../../core/cheats/errors.ts'
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
} from '../../core/fork/errors.ts'
export { ImportError, ReplayError, VerificationError } from '../../core/import/errors.ts'
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
} from '../../core/ledger/errors.ts'
export {
  AccountLimitError,
  AlreadyKnownError,
  BlobsRefusedError,
  ReplacementUnderpricedError,
  UnderpricedError,
} from '../../core/mempool/errors.ts'
export {
  ClockNotManualError,
  ExportError,
  LoadBlocksError,
  NeverIdleError,
  NonceGapsError,
  UnknownSnapshotError,
} from '../../core/open/errors.ts'
export { DisconnectedError, NotPreconfirmedError } from '../../core/sequencer/errors.ts'
export { TraceTooLargeError, UnknownTracerError } from '../../core/trace/errors.ts'
export { HeaderNotFoundError, InvalidBlockRangeError } from '../../core/view/errors.ts'
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
} from '../../ethereum/errors.ts'
export {
  AccessListConvergenceError,
  ExecutionFailedError,
  ExecutionRevertedError,
  GasAllowanceError,
  NotPrecompileError,
  PrecompileMovedToItselfError,
  PrecompileMovedTwiceError,
  PrecompileTargetOverriddenError,
} from '../../ethereum/evm/errors.ts'
export { NoForkProofsError, StateUnavailableError } from '../../ethereum/state/errors.ts'
export { ArtifactsFolderError } from '../../inspect/explain/errors.ts'
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
} from '../../rpc/errors.ts'
export {
  AtomicityUnsupportedError,
  DuplicateBatchError,
  TooManyCallsError,
  UnknownBatchError,
  UnrecognizedChainError,
  UnsupportedCapabilityError,
  UnsupportedChainError,
} from '../../rpc/wallet/errors.ts'
export { CoverageFilesError, ReportersMissingError } from '../coverage/errors.ts'
export { ConnectionFailedError, NetworkNotServedError } from '../hardhat/errors.ts'
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
export { TransactionsWaitingError } from '../vitest/errors.ts'
export { WorkerFailedError } from '../worker/errors.ts'
