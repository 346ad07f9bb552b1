/** preseal: an EVM chain inside your process, with 200 ms pre-confirmations. */
export {
  type AnnouncementTarget,
  type AnnounceOptions,
  announceProvider,
  type ProviderInfo,
} from './chain/announceProvider.ts'
export { createChain } from './chain/chain.ts'
export type { ChainFaults, PresealChain } from './chain/handle.ts'
export type { ChainSettings, ExportedChain } from './config/chainSettings.ts'
export { type FaultPreset, type FaultSettings, faultPresets } from './config/faultSettings.ts'
export type { ImportOptions } from './config/importOptions.ts'
export type { MempoolOrdering } from './config/limitOptions.ts'
export type { Database } from './config/optionSchemas.ts'
export type { ChainOptions, MiningMode } from './config/options.ts'
export type { ProviderOptions } from './config/providerOptions.ts'
export type { ReorgRequest, RetractRequest } from './config/requests.ts'
export type { Artifact, Artifacts, BuildInfo } from './explain/artifacts.ts'
export type { Amount, ExplainCall, ExplainOptions } from './explain/request.ts'
export type {
  Argument,
  ArgumentValue,
  Decoded,
  ExplainedEvent,
  ExplainedFrame,
  ExplainedItem,
  ExplainedStage,
  ExplainedWrite,
  Explanation,
  FrameResult,
} from './explain/tree.ts'
export { ImportError, ReplayError, VerificationError } from './import/errors.ts'
export { GenesisMismatchError } from './ledger/errors.ts'
export { type Clock, systemClock, type Timer } from './primitives/clock.ts'
export { InvalidOptionError, PresealError, PresealRpcError } from './primitives/errors.ts'
export type {
  ChainEvents,
  ChainSchedule,
  ConsoleLog,
  DropReason,
  PreconfBlock,
  Retraction,
  RetractionReason,
  SealedBlock,
  TransactionStatus,
} from './primitives/eventTypes.ts'
export { createManualClock, type ManualClock } from './primitives/manualClock.ts'
export type {
  PresealRpcAccountProof,
  PresealRpcBlock,
  PresealRpcCallReceipt,
  PresealRpcCallsStatus,
  PresealRpcFilledTransaction,
  PresealRpcLog,
  PresealRpcPendingBlock,
  PresealRpcPermission,
  PresealRpcReceipt,
  PresealRpcStorageProof,
  PresealRpcTransaction,
  PresealRpcUncle,
  PresealRpcWithdrawal,
  RpcAccessList,
  RpcAuthorization,
  RpcBuiltBlock,
  RpcCallsSent,
  RpcCapabilities,
  RpcChainCapabilities,
  RpcChainConfig,
  RpcExecutionPayload,
  RpcForkConfig,
  RpcHistory,
  SimulatedRpcBlock,
  SimulatedRpcCall,
} from './primitives/rpcTypes.ts'
export type {
  AccessListEntry,
  Address,
  BlockParameter,
  BlockTag,
  DevAccount,
  Dialect,
  EngineName,
  GethGenesis,
  Hardfork,
  Hash,
  Hex,
  ViewKind,
} from './primitives/types.ts'
export type {
  OtterscanBlock,
  OtterscanBlockDetails,
  OtterscanBlockTransactions,
  OtterscanContractCreator,
  OtterscanOperation,
  OtterscanReceipt,
  OtterscanTrace,
  OtterscanTransactions,
} from './rpc/otterscan/shapes.ts'
export type {
  Provider,
  ProviderConnectInfo,
  ProviderEvents,
  ProviderMessage,
  RequestArguments,
} from './rpc/provider.ts'
export type { PresealRpcSchema } from './rpc/table.ts'
export type {
  CallTrace,
  CallTraceLog,
  DebugTrace,
  FourByteTrace,
  ParityAction,
  ParityFrame,
  ParityResult,
  ParityTrace,
  PrestateAccount,
  PrestateDiffTrace,
  PrestateTrace,
  StructLog,
  StructLogTrace,
  TransactionTrace,
} from './trace/shapes.ts'
