/** preseal: an EVM chain inside your process, with 200 ms pre-confirmations. */

export { type Clock, systemClock, type Timer } from './base/clock.ts'
export { InvalidOptionError, PresealError, PresealRpcError } from './base/errors.ts'
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
} from './base/eventTypes.ts'
export { createManualClock, type ManualClock } from './base/manualClock.ts'
export { type FaultPreset, type FaultSettings, faultPresets } from './base/options/faultSettings.ts'
export type { Database } from './base/options/optionSchemas.ts'
export type { ProviderOptions } from './base/options/providerOptions.ts'
export type { ImportOptions, ReorgRequest, RetractRequest } from './base/options/requests.ts'
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
} from './base/rpcTypes.ts'
export type {
  AccessListEntry,
  Address,
  BlockParameter,
  BlockTag,
  DevAccount,
  Dialect,
  EngineName,
  GethGenesis,
  Hash,
  Hex,
  ViewKind,
} from './base/types.ts'
export {
  type AnnouncementTarget,
  type AnnounceOptions,
  announceProvider,
  type ProviderInfo,
} from './chain/announceProvider.ts'
export { createChain } from './chain/chain.ts'
export type { ChainFaults, PresealChain } from './chain/handle.ts'
export { ImportError, ReplayError, VerificationError } from './core/import/errors.ts'
export { GenesisMismatchError } from './core/ledger/errors.ts'
export type { MempoolOrdering } from './core/mempool/ordering.ts'
export type { ChainOptions, ChainSettings, ExportedChain, IdleMode, MiningMode } from './core/options.ts'
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
} from './core/trace/shapes.ts'
export type { Hardfork } from './ethereum/forks.ts'
export type { Artifact, Artifacts, BuildInfo } from './inspect/explain/artifacts.ts'
export type {
  Amount,
  Argument,
  ArgumentValue,
  Decoded,
  ExplainCall,
  ExplainedEvent,
  ExplainedFrame,
  ExplainedItem,
  ExplainedStage,
  ExplainedWrite,
  ExplainOptions,
  Explanation,
  FrameResult,
} from './inspect/explain/tree.ts'
export type {
  OtterscanBlock,
  OtterscanBlockDetails,
  OtterscanBlockTransactions,
  OtterscanContractCreator,
  OtterscanOperation,
  OtterscanReceipt,
  OtterscanTrace,
  OtterscanTransactions,
} from './rpc/otterscan/otterscan.ts'
export type {
  Provider,
  ProviderConnectInfo,
  ProviderEvents,
  ProviderMessage,
  RequestArguments,
} from './rpc/provider.ts'
export type { PresealRpcSchema } from './rpc/table.ts'
