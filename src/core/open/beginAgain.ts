/**
 * Begins a running chain again: on a forked block, on its genesis, or on the blocks of a state file. Loaded on first
 * use.
 *
 *   connect to the node, if any ─► open the first tip on a new base ─► suspend the previous node ─► in turn among the
 *   writers: publish the tip ─► disconnect from the previous node
 *
 * Until the new tip is published the chain continues, and a failure changes nothing.
 */

import { bytesToHex, toWord, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { toError } from '../../base/emitter.ts'
import { InvalidParamsError, PresealError, PresealRpcError } from '../../base/errors.ts'
import { fork as forkOption, type ResolvedFork } from '../../base/options/forkOptions.ts'
import { parseOption } from '../../base/options/option.ts'
import type { Address, Hash } from '../../base/types.ts'
import { createYielder, type Pause } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { NO_CODE, type StateChanges } from '../../ethereum/state/account.ts'
import { type AccountPatch, patchChanges, type StatePatch } from '../../ethereum/state/patch.ts'
import { stateRoot, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { StateVersion, type VersionReads, type WorldState } from '../../ethereum/state/worldState.ts'
import { type CoreOptions, nextAttributes } from '../block/attributes.ts'
import { goBackTo, type Settings } from '../block/settings.ts'
import type { ChainFile, FileAccount, FileAccounts } from '../cheats/stateFile/fields.ts'
import { ForkFailedError, NotForkedError, StoredChainForkError } from '../fork/errors.ts'
import type { Fork, OnOpen } from '../fork/remote.ts'
import { addBlock, type Started, type StartParts, writePatch } from '../import/start.ts'
import { Canonical } from '../ledger/canonical.ts'
import { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { ChainOptions } from '../options.ts'
import type { ChangeTurn } from '../sequencer/order.ts'
import { startTip, type Tip, type TipRetraction } from '../sequencer/tip.ts'
import type { ChainParts, Core } from './core.ts'
import { LoadBlocksError } from './errors.ts'
import type { OpenedFork } from './fork/openFork.ts'
import { openTip, type TipParts } from './openTip.ts'

/**
 * Swaps the tip of a chain for the first tip on a new base.
 *
 * @param toSettings - derives the new settings from the previous ones. With it, the faults stay too; a reset omits it.
 */
function beginOn(
  { sequencer, snapshots, faults }: Core,
  first: Tip,
  toSettings?: (before: Settings) => Settings,
): Promise<void> {
  return sequencer.exclusive(async (writer) => {
    const { isRunning, blockTime } = sequencer.timer
    const { options, firstSettings } = first.base
    const slotEnd = options.clock.now() + (isRunning ? blockTime : 0)
    const before = writer.tip()
    const settings = toSettings?.(before.settings) ?? goBackTo(firstSettings(), before.settings)
    const attributes = nextAttributes(first.base, first.head.block, slotEnd, settings)
    const tip = await startTip(first, settings, attributes)
    const retraction = compareChains(before, tip)
    // Setting the block time starts a slot, which reads the clock. It precedes the swap: if the clock fails, the chain
    // stays on its base.
    sequencer.timer.blockTime = blockTime
    writer.begin(retraction, () => {
      const restore = toSettings && faults.capture()
      const drops = snapshots.begin()
      restore?.()
      return drops
    })
  })
}

/** The chain that a reset forks: by default the latest block of the currently forked node. */
export interface Forking {
  readonly url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly block?: bigint | undefined
}

/** The running chain, and the options from which a reset builds its next base. */
export interface ResetParts {
  readonly core: Core
  /** The options of the chain, without values that follow from a fork. */
  readonly options: CoreOptions
  readonly given: ChainOptions
  readonly parts: ChainParts
  /** Time of genesis in Unix seconds; undefined for a chain that began as a fork. */
  readonly started: bigint | undefined
  readonly onError: (error: Error) => void
}

/** Begins a chain again. @param turn - the turn of the request; undefined if it has begun. @throws PresealRpcError */
export async function beginAgain(
  from: ResetParts,
  forking: Forking | undefined,
  onOpen: OnOpen,
  turn: ChangeTurn | undefined,
): Promise<void> {
  const { core, options, parts, started, onError } = from
  if (options.database !== undefined) throw new StoredChainForkError()
  const fork = forking && (await withCode(() => connect(from, forking, onOpen)))
  const own = { ...(parts.source && { source: parts.source }), started }
  const before = core.sequencer.tip.base.fork
  let resume: (() => void) | undefined
  try {
    const next = await withCode(() => openBase(from, fork ? { fork } : own))
    // Requests to the previous node would delay the new tip, perhaps until they time out.
    resume = before?.suspend()
    await turn?.begin()
    await beginOn(core, next)
  } catch (error) {
    resume?.()
    await fork?.close().catch(() => {})
    throw error
  }
  // The chain has begun again even if the cache of the previous fork cannot be written.
  await before?.close().catch((error) => onError(toError(error)))
}

/** Reads a fork from the node at `url` from now on. @throws PresealRpcError */
export async function readFrom(fork: Fork | undefined, url: string, onOpen: OnOpen): Promise<void> {
  if (fork === undefined) throw new NotForkedError()
  await withCode(() => fork.readFrom(url, onOpen))
}

/** Opens the first tip on a new base. @param own - the parts that only the new base has. */
async function openBase({ core, options, parts, onError }: ResetParts, own: TipParts): Promise<Tip> {
  const { executor } = parts
  const { crypto } = core.sequencer.tip.base.config
  // Without the blocks of the start: a reset goes back to the genesis block.
  const resolved = own.fork?.options ?? { ...options, fork: undefined, blocks: undefined }
  const all = { ...(executor && { executor }), ...own }
  return (await openTip(resolved, crypto, new BlockStore(), all, onError)).tip
}

async function connect(
  { core, options, given, parts }: ResetParts,
  { url, headers, block }: Forking,
  onOpen: OnOpen,
): Promise<OpenedFork> {
  const node = url === undefined ? core.sequencer.tip.base.fork?.node : { url, ...(headers && { headers }) }
  if (node === undefined) {
    throw new InvalidParamsError('0.forking.jsonRpcUrl', 'a URL, since the chain is no fork')
  }
  const { provider: _, url: __, headers: ___, block: ____, ...rest } = given.fork ?? {}
  const fork: ResolvedFork = parseOption(forkOption, { ...rest, ...node, block: block ?? 'latest' }, 'fork')
  const { openFork } = await import('./fork/openFork.ts')
  const own = { ...options, genesis: undefined, blocks: undefined, fork }
  return openFork(own, given, { onOpen, clock: parts.nodeClock })
}

/** Wraps errors of `createChain` that have no code in an error that has one. */
async function withCode<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof PresealError) || error instanceof PresealRpcError) throw error
    throw new ForkFailedError(error)
  }
}

// The blocks of a state file:
//
//   states of the file ─► versions of a new world ─► blocks into a new ledger ─► genesis accounts that the file lacks

/**
 * Replaces the chain by the blocks of a file. Impersonated accounts, faults and settings stay; waiting transactions are
 * dropped, and snapshots removed.
 *
 * @throws LoadBlocksError if the chain is a fork, or has a database.
 * @throws InvalidStateFileError if a state of the file is malformed.
 */
export async function loadChain(from: ResetParts, file: ChainFile): Promise<void> {
  const { core, options, started } = from
  if (options.database !== undefined) throw new LoadBlocksError('a chain with a database')
  if (core.sequencer.tip.base.fork !== undefined) throw new LoadBlocksError('a fork')
  const next = await openBase(from, {
    started,
    beginning: { start: ({ changes }, replayed) => begin(file, changes, replayed), isLoaded: true },
  })
  const head = file.blocks.at(-1)!
  await beginOn(core, next, (before) => withTime(before, head, options.clock.now()))
}

/** Returns the settings with the time of the file's head, unless the chain's time is ahead of it. */
function withTime(settings: Settings, { timestamp }: Block, now: number): Settings {
  return { ...settings, timeOffset: Math.max(settings.timeOffset, 1000 * Number(timestamp) - now) }
}

async function begin(file: ChainFile, genesis: StateChanges, parts: StartParts): Promise<Started> {
  const { world, config } = parts
  const pause = createYielder(config.clock)
  const commit = createCommit(world, config.crypto, pause)
  let canonical = new Canonical([])
  let first: SealedEntry | undefined
  let head: SealedEntry | undefined
  for (const block of file.blocks) {
    const isHead = block === file.blocks.at(-1)
    const accounts = isHead ? file.accounts : await file.states.get(block.hash)?.()
    const state = accounts === undefined ? unavailable(world) : await commit(accounts)
    const entry: SealedEntry = { block, state, stateTrie: undefined }
    const added = isHead ? await completeHead(entry, file.accounts, genesis, parts, pause) : entry
    canonical = await addBlock(added, head, canonical, parts)
    first ??= added
    head = added
    await pause()
  }
  return { head: head!, canonical, genesis: first! }
}

/**
 * Returns the head with its trie, and with the genesis accounts that the file lacks. If the state root is not the
 * header's, the state was patched after the seal, as by a cheat.
 */
async function completeHead(
  { block, state }: SealedEntry,
  accounts: FileAccounts,
  genesis: StateChanges,
  parts: StartParts,
  pause: Pause,
): Promise<SealedEntry> {
  const { crypto } = parts.config
  const stateTrie = await updateStateTrieInParts(null, parts.world.everythingAt(state), crypto, pause)
  const patch = missingAccounts(genesis, accounts)
  if (patch.size > 0) return writePatch({ block, state, stateTrie }, patch, parts, pause)
  const isPatched = bytesToHex(stateRoot(stateTrie, crypto)) !== block.header.stateRoot
  return { block, state, stateTrie, patches: isPatched ? { last: patch, before: undefined } : undefined }
}

function missingAccounts({ accounts, slots, codes }: StateChanges, file: FileAccounts): StatePatch {
  const missing = new Map<Address, AccountPatch>()
  for (const [address, account] of accounts) {
    if (account === null || file.has(address)) continue
    const { nonce, balance, codeHash, storageId } = account
    const code = codes.get(codeHash) ?? NO_CODE
    const entries = [...(slots.get(storageId) ?? [])]
    const state = new Map(entries.map(([key, value]) => [key, toWord(value)]))
    missing.set(address, { nonce, balance, code, state })
  }
  return missing
}

function unavailable({ head: { position, lastStorageId } }: WorldState): StateVersion {
  const version = new StateVersion(NO_READS, position, lastStorageId)
  version.release()
  return version
}

/** Returns a function that commits a state to a world; it writes only the difference from the previous state. */
function createCommit(world: WorldState, crypto: Crypto, pause: Pause) {
  let last: FileAccounts = new Map()
  return async (accounts: FileAccounts): Promise<StateVersion> => {
    const patch = new Map<Address, AccountPatch>()
    for (const address of last.keys()) if (!accounts.has(address)) patch.set(address, NO_ACCOUNT)
    for (const [address, account] of accounts) {
      const before = last.get(address)
      const change = before === undefined ? account : differenceOf(before, account)
      if (change !== undefined) patch.set(address, change)
      await pause()
    }
    last = accounts
    return world.commit(patchChanges(world.head, patch, crypto))
  }
}

const NO_ACCOUNT: AccountPatch = { nonce: 0n, balance: 0n, code: NO_CODE, state: new Map() }

const NO_READS: VersionReads = {
  account: () => undefined,
  slot: () => 0n,
  code: () => NO_CODE,
  everything: () => ({ accounts: new Map(), slots: new Map(), codes: new Map() }),
}

function differenceOf(
  before: FileAccount,
  { nonce, balance, code, state }: FileAccount,
): AccountPatch | undefined {
  const stateDiff = new Map<Hash, Hash>()
  for (const [key, value] of state) if (before.state.get(key) !== value) stateDiff.set(key, value)
  for (const key of before.state.keys()) if (!state.has(key)) stateDiff.set(key, ZERO_HASH)
  const isSameCode = bytesToHex(before.code) === bytesToHex(code)
  const isSame = before.nonce === nonce && before.balance === balance && isSameCode && stateDiff.size === 0
  return isSame ? undefined : { nonce, balance, ...(!isSameCode && { code }), stateDiff }
}

/** Returns the retraction of pre-confirmed transactions, and of blocks in memory that the new chain does not keep. */
function compareChains(before: Tip, tip: Tip): TipRetraction {
  const { ledger } = before.base
  const blocks: Block[] = []
  let block = ledger.get(before.head.block.hash)?.block
  // The new chain may continue one of these blocks.
  while (block !== undefined && block.hash !== tip.head.block.hash) {
    blocks.push(block)
    block = ledger.get(block.header.parentHash)?.block
  }
  const pending = before.preconf.block
  const withdrawn = [pending, ...blocks].toReversed()
  const transactions = withdrawn.flatMap((one) => one.transactions.map(({ hash }) => hash))
  return { reason: 'reset', preconfBlocks: before.preconfBlocks, blocks, transactions, pending, kept: 0, tip }
}
