/**
 * Opens the first tip of a chain: on the genesis block, on the head in the database, or on a forked block.
 *
 *   kept options, settings ─► accounts ─► genesis ─► stored chain ─► executor ─► ledger, state ─► first blocks ─► tip
 */

import { hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import type { Address, DevAccounts, EngineName } from '../../base/types.ts'
import { lazily } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { splitBlocks } from '../../ethereum/blockEncoding.ts'
import { type DecodeTransaction, decodeTransaction } from '../../ethereum/decodeTransaction.ts'
import type { Engine } from '../../ethereum/evm/engine.ts'
import type { Executor } from '../../ethereum/evm/executor.ts'
import { createExecutor } from '../../ethereum/evm/transition.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateChanges, StateSource } from '../../ethereum/state/account.ts'
import { WorldState } from '../../ethereum/state/worldState.ts'
import { resolveAccounts } from '../accounts/accounts.ts'
import { type CoreOptions, nextAttributes } from '../block/attributes.ts'
import type { PayloadConfig } from '../block/payload.ts'
import { NO_SETTINGS, type Settings } from '../block/settings.ts'
import { BlockImporter } from '../import/importBlocks.ts'
import { importFirst, type Started, type StartParts, startAtGenesis } from '../import/start.ts'
import type { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import { Ledger } from '../ledger/ledger.ts'
import type { ChainOptions } from '../options.ts'
import { modesOf } from '../sequencer/mining.ts'
import { type ChainBase, startTip, type Tip } from '../sequencer/tip.ts'
import { Reexecutions } from '../trace/reexecution.ts'
import type { OpenedFork } from './fork/openFork.ts'
import { type GenesisWithRules, openGenesis } from './genesis.ts'
import type { StoredChain } from './restore.ts'

/** The circumstances in which a chain is opened; all are optional, and none applies to a new chain in memory. */
export interface TipParts {
  readonly executor?: (own: Executor) => Executor
  /** Returns a source of the genesis state, which is then not committed as the first version. */
  readonly source?: (genesis: StateChanges) => StateSource
  readonly fork?: OpenedFork | undefined
  /** Time of genesis in Unix seconds, if no genesis is given; by default now. */
  readonly started?: bigint | undefined
  /** Whether the write after a failed write reopens the database first; by default, the caller must reopen it. */
  readonly reopensDatabase?: boolean | undefined
  /** The options as passed, which override the options that a database keeps. */
  readonly given?: ChainOptions | undefined
  /** How the chain begins, if not with the genesis and the option `blocks`. */
  readonly beginning?: Beginning | undefined
}

/** How a chain without a database begins. */
export interface Beginning {
  /** Begins the chain. @param blocks - of the option `blocks`, each as RLP. @throws as `createChain` does. */
  start(
    genesis: GenesisWithRules,
    parts: StartParts,
    blocks: Iterator<Uint8Array, undefined>,
  ): Promise<Started>
  readonly settings?: Settings | undefined
  /** Whether the blocks are loaded and not executed; see {@link ChainBase.isLoaded}. */
  readonly isLoaded?: boolean
}

/** The tip, and the parts of a chain that are opened with it. */
export interface OpenedTip {
  readonly tip: Tip
  readonly accounts: DevAccounts
  readonly decode: DecodeTransaction
  readonly stored: StoredChain | undefined
}

/** See the file's header. @param onError - gets errors of later writes to the database. @throws as `createChain` does. */
export async function openTip(
  given: CoreOptions,
  crypto: Crypto,
  store: BlockStore,
  parts: TipParts,
  onError: (error: Error) => void,
): Promise<OpenedTip> {
  const { fork, beginning } = parts
  const stored = await store.storedGenesis()
  // Loaded on demand, since most chains have no database.
  const restoring = store.keepsState ? await import('./restore.ts') : undefined
  const kept = stored && (await restoring?.readKept(store, parts.given ?? given))
  const options: CoreOptions = kept === undefined ? given : { ...kept.options, spec: given.spec }
  const firstSettings = () => fork?.settings() ?? NO_SETTINGS
  const settings = kept?.settings ?? beginning?.settings ?? firstSettings()

  const accounts = await resolveAccounts(options, crypto)
  const now = options.clock.now()
  const started = stored?.timestamp ?? parts.started ?? BigInt(Math.floor(now / 1000))
  const predeploys =
    options.predeploys &&
    (await (await import('./predeploys/predeploys.ts')).loadPredeploys(options.predeploys))
  const genesis =
    (await fork?.begin(accounts, predeploys)) ??
    openGenesis(options, accounts, started, stored?.allocRoot, crypto, predeploys)
  const { rules } = genesis
  const own = { options, settings }
  const restored = await restoring?.openStored(own, store, genesis, stored?.chainId, onError, parts)
  if (restored === undefined) await store.begin(genesis.block, rules)

  const { engine, decode } = await openEngine(options.engine, crypto, genesis.block.rules)
  const ownExecutor = createExecutor(engine, crypto)
  const localExecutor = parts.executor?.(ownExecutor) ?? ownExecutor
  const executor = fork?.toExecutor(localExecutor, onError) ?? localExecutor
  const config: PayloadConfig = {
    executor,
    crypto,
    rules,
    depositContract: String(genesis.block.rules.schedule.depositContract).toLowerCase() as Address,
    options,
    clock: options.clock,
    ...(fork && { baseTrie: fork.baseTrie }),
  }
  const decodeStored = (raw: Uint8Array, at: Rules, sender?: Address) => decode(raw, at, crypto, sender)
  const ledger = new Ledger(store, rules, decodeStored, options.history)
  const world = new WorldState(fork?.origin ?? parts.source?.(genesis.changes))
  const importer = new BlockImporter({ config, ledger, decode })
  const connected: StartParts = { config, decode, store, ledger, world, importer }

  const { blocks = new Uint8Array(0) } = options
  const items = splitBlocks(typeof blocks === 'string' ? hexToBytes(blocks) : blocks)
  const { head, canonical, genesis: first } = await begin(genesis, connected, items, parts)
  if (fork === undefined) await checkMerged(head.block, importer, options.blocks !== undefined)

  const base: ChainBase = {
    options,
    config,
    world,
    ledger,
    importer,
    reexecutions: new Reexecutions(executor),
    first,
    firstSettings,
    geth: genesis.geth,
    genesisAccounts: genesis.changes.accounts,
    fork,
    isLoaded: beginning?.isLoaded === true,
  }
  const { isRunning, blockTime } = modesOf({ base, settings })
  const { slotStart = now, content } = restored?.draft ?? {}
  const slotEnd = isRunning ? slotStart + blockTime : now
  // The stored draft continues a different head if a repair has cut the chain back.
  const isContinued = content?.parentHash === head.block.hash
  const attributes = isContinued ? content.attributes : nextAttributes(base, head.block, slotEnd, settings)
  const tip = await startTip({ base, head, canonical }, settings, attributes)
  return { tip, accounts, decode, stored: restored }
}

async function begin(
  genesis: GenesisWithRules,
  connected: StartParts,
  blocks: Iterator<Uint8Array, undefined>,
  { fork, source, beginning }: TipParts,
): Promise<Started> {
  if (beginning) return beginning.start(genesis, connected, blocks)
  if (connected.store.keepsState) {
    const { resume } = await import('../import/resume.ts')
    return importFirst(blocks, await resume(genesis, connected), connected)
  }
  const isInSource = source !== undefined && fork === undefined
  return importFirst(blocks, startAtGenesis(genesis, connected, isInSource, fork?.canonical), connected)
}

/** @throws InvalidOptionError unless the child of the head is after the merge. */
async function checkMerged(head: Block, importer: BlockImporter, hasBlocks: boolean): Promise<void> {
  if (await importer.isMerged(head)) return
  const expected = hasBlocks
    ? `all blocks up to the merge; the last one, block ${head.number}, is before it`
    : 'a genesis at or after the merge, or the option blocks with all blocks up to the merge'
  throw new InvalidOptionError(hasBlocks ? 'blocks' : 'genesis', expected)
}

/**
 * Returns the engine and the decoder of the option `engine`.
 *
 * @param rules - the rules of the first block.
 * @throws InvalidOptionError if the engine lacks a hardfork of the chain.
 */
export async function openEngine(
  name: EngineName,
  crypto: Crypto,
  rules?: Rules,
): Promise<{ readonly engine: Engine; readonly decode: DecodeTransaction }> {
  if (name === 'preseal') return { engine: presealEngine(crypto), decode: decodeTransaction }
  const [{ createEthereumjsEngine }, { decodeEthereumjsTransaction }] = await Promise.all([
    import('../../ethereum/evm/ethereumjs/engine.ts'),
    import('../import/ethereumjsTransaction.ts'),
  ])
  return { engine: createEthereumjsEngine(crypto, rules), decode: decodeEthereumjsTransaction }
}

const preseal = lazily(() => import('../../ethereum/evm/engine/presealEngine.ts'))

/** Returns preseal's own engine, which is loaded at the first message: neither a new chain nor a transfer needs it. */
function presealEngine(crypto: Crypto): Engine {
  let engine: Engine | undefined
  return {
    run(message, env, overlay, hooks, pause) {
      engine ??= preseal().createPresealEngine(crypto)
      return engine.run(message, env, overlay, hooks, pause)
    },
  }
}
