import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as preseal from '../../src/index.ts'
import * as explain from '../../src/inspect/explain/index.ts'
import * as coverage from '../../src/kits/coverage/index.ts'
import * as errors from '../../src/kits/errors/index.ts'
import * as ethers from '../../src/kits/ethers/index.ts'
import * as gas from '../../src/kits/gas/index.ts'
import * as playwright from '../../src/kits/playwright/index.ts'
import * as prool from '../../src/kits/prool/index.ts'
import * as server from '../../src/kits/server/index.ts'
import * as viem from '../../src/kits/viem/index.ts'
import * as vitest from '../../src/kits/vitest/index.ts'
import * as worker from '../../src/kits/worker/index.ts'
import { filesIn, ROOT } from './sources.ts'

/** The entries of the package, from `src/`. */
const ENTRIES = [
  'index.ts',
  'kits/coverage/index.ts',
  'kits/errors/index.ts',
  'kits/ethers/index.ts',
  'inspect/explain/index.ts',
  'kits/gas/index.ts',
  'kits/hardhat/index.ts',
  'kits/playwright/index.ts',
  'kits/prool/index.ts',
  'kits/server/index.ts',
  'kits/viem/index.ts',
  'kits/vitest/index.ts',
  'kits/worker/index.ts',
]

describe('the package', () => {
  it('exports these values', () => {
    expect(Object.keys(preseal).sort()).toMatchInlineSnapshot(`
      [
        "GenesisMismatchError",
        "ImportError",
        "InvalidOptionError",
        "PresealError",
        "PresealRpcError",
        "ReplayError",
        "VerificationError",
        "announceProvider",
        "createChain",
        "createManualClock",
        "faultPresets",
        "systemClock",
      ]
    `)
  })

  it('exports these values as preseal/coverage', () => {
    expect(Object.keys(coverage).sort()).toEqual([
      'clearCoverage',
      'readCoverage',
      'reportCoverage',
      'saveCoverage',
      'solidityCoverage',
      'startCoverage',
      'stopCoverage',
    ])
  })

  it('exports this value as preseal/ethers', () => {
    expect(Object.keys(ethers)).toEqual(['PresealProvider'])
  })

  it('exports these values as preseal/gas', () => {
    expect(Object.keys(gas).sort()).toEqual([
      'compareGasSnapshots',
      'createGasRecorder',
      'createGasReport',
      'createGasReporter',
      'formatGasComparison',
      'formatGasReport',
      'gasReportToSnapshot',
      'isGasComparisonPassed',
    ])
  })

  it('exports these values as preseal/viem', () => {
    expect(Object.keys(viem).sort()).toMatchInlineSnapshot(`
      [
        "NonceGapError",
        "PushUnsupportedError",
        "SendSyncQueuedError",
        "SendSyncTimeoutError",
        "StandardViewError",
        "TransactionDroppedError",
        "chainTransport",
        "getTransactionStatus",
        "preconfActions",
        "preseal",
        "sendRawTransactionSync",
        "sendTransactionSync",
        "toViemChain",
        "waitForPreconfirmation",
        "waitForSeal",
        "watchPendingLogs",
        "watchPreconfBlocks",
        "watchPreconfTransactions",
        "watchTransactionStatus",
        "writeContractSync",
      ]
    `)
  })

  it('exports these values as preseal/playwright', () => {
    expect(Object.keys(playwright).sort()).toEqual(['createTest', 'expect', 'test'])
  })

  it('exports these values as preseal/explain', () => {
    expect(Object.keys(explain).sort()).toEqual([
      'ArtifactsFolderError',
      'explanationToHtml',
      'explanationToJson',
      'explanationToText',
      'loadArtifacts',
    ])
  })

  it('exports this value as preseal/prool', () => {
    expect(Object.keys(prool)).toEqual(['preseal'])
  })

  it('exports this value as preseal/vitest', () => {
    expect(Object.keys(vitest)).toEqual(['createChainTest'])
  })

  it('exports these values as preseal/worker', () => {
    expect(Object.keys(worker).sort()).toMatchInlineSnapshot(`
      [
        "ClockNotManualError",
        "WorkerFailedError",
        "connectChain",
        "exposeChain",
      ]
    `)
  })

  const index = readFileSync(join(ROOT, 'src/index.ts'), 'utf8')
  const types = [...index.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, all, names]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (all !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  )

  it('exports a type for every shape of the wire', () => {
    const shapes = readFileSync(join(ROOT, 'src/base/rpcTypes.ts'), 'utf8')
    const names = [...shapes.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !types.includes(name))).toEqual([])
  })

  it('exports these types', () => {
    expect([...types].sort()).toMatchInlineSnapshot(`
      [
        "AccessListEntry",
        "Address",
        "Amount",
        "AnnounceOptions",
        "AnnouncementTarget",
        "Argument",
        "ArgumentValue",
        "Artifact",
        "Artifacts",
        "BlockParameter",
        "BlockTag",
        "BuildInfo",
        "CallTrace",
        "CallTraceLog",
        "ChainEvents",
        "ChainFaults",
        "ChainOptions",
        "ChainSchedule",
        "ChainSettings",
        "Clock",
        "ConsoleLog",
        "Database",
        "DebugTrace",
        "Decoded",
        "DevAccount",
        "Dialect",
        "DropReason",
        "EngineName",
        "ExplainCall",
        "ExplainOptions",
        "ExplainedEvent",
        "ExplainedFrame",
        "ExplainedItem",
        "ExplainedStage",
        "ExplainedWrite",
        "Explanation",
        "ExportedChain",
        "FaultPreset",
        "FaultSettings",
        "FourByteTrace",
        "FrameResult",
        "GethGenesis",
        "Hardfork",
        "Hash",
        "Hex",
        "ImportOptions",
        "ManualClock",
        "MempoolOrdering",
        "MiningMode",
        "OtterscanBlock",
        "OtterscanBlockDetails",
        "OtterscanBlockTransactions",
        "OtterscanContractCreator",
        "OtterscanOperation",
        "OtterscanReceipt",
        "OtterscanTrace",
        "OtterscanTransactions",
        "ParityAction",
        "ParityFrame",
        "ParityResult",
        "ParityTrace",
        "PreconfBlock",
        "PresealChain",
        "PresealRpcAccountProof",
        "PresealRpcBlock",
        "PresealRpcCallReceipt",
        "PresealRpcCallsStatus",
        "PresealRpcFilledTransaction",
        "PresealRpcLog",
        "PresealRpcPendingBlock",
        "PresealRpcPermission",
        "PresealRpcReceipt",
        "PresealRpcSchema",
        "PresealRpcStorageProof",
        "PresealRpcTransaction",
        "PresealRpcUncle",
        "PresealRpcWithdrawal",
        "PrestateAccount",
        "PrestateDiffTrace",
        "PrestateTrace",
        "Provider",
        "ProviderConnectInfo",
        "ProviderEvents",
        "ProviderInfo",
        "ProviderMessage",
        "ProviderOptions",
        "ReorgRequest",
        "RequestArguments",
        "RetractRequest",
        "Retraction",
        "RetractionReason",
        "RpcAccessList",
        "RpcAuthorization",
        "RpcBuiltBlock",
        "RpcCallsSent",
        "RpcCapabilities",
        "RpcChainCapabilities",
        "RpcChainConfig",
        "RpcExecutionPayload",
        "RpcForkConfig",
        "RpcHistory",
        "SealedBlock",
        "SimulatedRpcBlock",
        "SimulatedRpcCall",
        "StructLog",
        "StructLogTrace",
        "Timer",
        "TransactionStatus",
        "TransactionTrace",
        "ViewKind",
      ]
    `)
  })

  it('exports every class of errors as preseal/errors, except those of viem and internal ones', () => {
    const declared = filesIn('src')
      .filter((file) => file.endsWith('/errors.ts') && !file.startsWith('viem/'))
      .flatMap((file) => [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/^export class (\w+)/gm)])
      .map(([, name]) => name!)
    const exported = Object.keys(errors)
    expect(exported.filter((name) => !declared.includes(name))).toEqual([
      'findSolidityTrace',
      'showSolidityTrace',
    ])
    expect(declared.filter((name) => !exported.includes(name)).sort()).toMatchInlineSnapshot(`
      [
        "BatchTooLargeError",
        "BodyTooLargeError",
        "ContentTypeError",
        "EmptyBatchError",
        "ForeignDatabaseError",
        "ForkUrlRefusedError",
        "HostFeatureMissingError",
        "HostRefusedError",
        "HttpMethodError",
        "HttpPathError",
        "InFlightLimitError",
        "InvalidHashError",
        "InvalidHexError",
        "InvalidPrivateKeyError",
        "InvalidRlpError",
        "OriginRefusedError",
        "ParseError",
        "ResponseTooLargeError",
        "SchemaError",
        "StateLoadingError",
        "SubscriptionLimitError",
        "SubscriptionsUnsupportedError",
        "WalletScriptError",
      ]
    `)
  })

  it('has no `export *`', () => {
    for (const entry of ENTRIES) {
      expect(readFileSync(new URL(`../../src/${entry}`, import.meta.url), 'utf8')).not.toContain('export *')
    }
  })

  it('exports these values as preseal/server', () => {
    expect(Object.keys(server).sort()).toMatchInlineSnapshot(`
      [
        "PortInUseError",
        "createConnection",
        "createHandler",
        "serve",
      ]
    `)
  })
})
