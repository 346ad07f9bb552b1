/** preseal: an EVM chain inside your process, with 200 ms pre-confirmations. */
export {
  type AnnouncementTarget,
  type AnnounceOptions,
  announceProvider,
  type ProviderInfo,
} from './announceProvider.ts'
export { type Chain, type ChainFaults, createChain } from './chain.ts'
export { type Clock, systemClock, type Timer } from './clock.ts'
export {
  GenesisMismatchError,
  ImportError,
  InvalidOptionError,
  PresealError,
  ReplayError,
  RpcError,
} from './errors.ts'
export { type FaultPreset, type FaultSettings, faultPresets } from './faultSettings.ts'
export { createManualClock, type ManualClock } from './manualClock.ts'
export type { ChainOptions, Database, MempoolOrdering, MiningMode } from './options.ts'
export type { ProviderOptions } from './providerOptions.ts'
export type { ReorgRequest, RetractRequest } from './requests.ts'
export type {
  Provider,
  ProviderConnectInfo,
  ProviderEvents,
  ProviderMessage,
  RequestArguments,
} from './rpc/provider.ts'
export type { RpcSchema } from './rpc/table.ts'
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
export type {
  AccessListEntry,
  Address,
  BlockParameter,
  BlockTag,
  ChainEvents,
  ConsoleLog,
  DevAccount,
  Dialect,
  DropReason,
  GethGenesis,
  Hardfork,
  Hash,
  Hex,
  PreconfBlock,
  Retracted,
  RetractionReason,
  RpcAccessList,
  RpcAccountProof,
  RpcAuthorization,
  RpcBlock,
  RpcCallReceipt,
  RpcCallsSent,
  RpcCallsStatus,
  RpcCapabilities,
  RpcFilledTransaction,
  RpcLog,
  RpcPendingBlock,
  RpcPermission,
  RpcReceipt,
  RpcStorageProof,
  RpcTransaction,
  RpcUncle,
  SealedBlock,
  SimulatedRpcBlock,
  SimulatedRpcCall,
  TransactionStatus,
  ViewKind,
} from './types.ts'
