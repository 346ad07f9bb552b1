/**
 * A chain begins again on the blocks of a state file. Loaded only then.
 *
 *   states of the file ─► versions of a new world ─► blocks into a new ledger ─► the accounts of the chain's own genesis that
 *   the file does not have ─► in turn among the writers: the new tip, with all that it is built on
 *
 * Until the new tip is there, the chain goes on as before, and a failure changes nothing.
 */

import { bytesToHex, toWord, ZERO_HASH } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash } from '../../base/types.ts'
import { createYielder, type Pause } from '../../base/waiting.ts'
import type { Block } from '../../ethereum/block.ts'
import { NO_CODE, type StateChanges } from '../../ethereum/state/account.ts'
import { type AccountPatch, patchChanges, type StatePatch } from '../../ethereum/state/patch.ts'
import { stateRoot, updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import { StateVersion, type VersionReads, type WorldState } from '../../ethereum/state/worldState.ts'
import type { BlockSettings } from '../block/attributes.ts'
import type { ChainFile } from '../cheats/stateFile/chainFile.ts'
import type { FileAccount, FileAccounts } from '../cheats/stateFile/fields.ts'
import type { ReplayParts } from '../import/executeAgain.ts'
import type { Resumed } from '../import/resume.ts'
import { Canonical } from '../ledger/canonical.ts'
import { BlockStore } from '../ledger/ethereumjs/blockStore.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import { beginOn } from './beginOn.ts'
import { LoadBlocksError } from './errors.ts'
import type { ResetParts } from './fork/beginAgain.ts'
import { openTip } from './openTip.ts'

/**
 * Makes the blocks of a file the chain. Impersonated accounts, faults and settings stay; what waits is dropped, and
 * snapshots are removed.
 *
 * @throws LoadBlocksError if the chain is a fork, or has a database.
 * @throws InvalidStateFileError if a state of the file is malformed.
 */
export async function loadChain(
  { core, options, parts, started, onError }: ResetParts,
  file: ChainFile,
): Promise<void> {
  if (options.database !== undefined) throw new LoadBlocksError('a chain with a database')
  if (core.base.fork !== undefined) throw new LoadBlocksError('a fork')
  const { executor, recoveryScript } = parts
  const next = await openTip(
    { ...options, fork: undefined },
    core.config.crypto,
    await BlockStore.open(undefined),
    {
      ...(executor && { executor }),
      ...(recoveryScript && { recoveryScript }),
      started,
      beginning: {
        start: ({ changes }, replayed) => begin(file, changes, replayed),
        isLoaded: true,
      },
    },
    onError,
  )
  const head = file.blocks.at(-1)!
  await beginOn(core, next, {
    settings: (before) => withTime(before, head, options.clock.now()),
    capture() {
      const restored = [core.signers.capture(), core.faults.capture()]
      return () => {
        for (const restore of restored) restore()
      }
    },
  })
}

/** Time continues from the head of the file, if the chain's is behind it. */
function withTime(settings: BlockSettings, { timestamp }: Block, now: number): BlockSettings {
  const timeOffset = Math.max(settings.timeOffset, 1000 * Number(timestamp) - now)
  return { ...settings, timeOffset }
}

/** The blocks of a file with their states, as the entries of a new ledger. */
async function begin(file: ChainFile, genesis: StateChanges, parts: ReplayParts): Promise<Resumed> {
  const { world, ledger, config } = parts
  const pause = createYielder(config.clock)
  const states = new FileStates(world, config.crypto, pause)
  let canonical = new Canonical([])
  let first: SealedEntry | undefined
  let head: SealedEntry | undefined
  for (const block of file.blocks) {
    const isHead = block === file.blocks.at(-1)
    const accounts = isHead ? file.accounts : await file.states.get(block.hash)?.()
    const state = accounts === undefined ? states.unavailable() : await states.commit(accounts)
    const entry: SealedEntry = { block, state, stateTrie: undefined }
    head = isHead ? await completeHead(entry, file.accounts, genesis, parts, pause) : entry
    first ??= head
    canonical = canonical.append(block.hash)
    const chain = canonical
    await ledger.write({ head: block.hash, added: block })
    const oldest = ledger.append(head, (number) => chain.at(number))
    if (oldest !== undefined) world.prune(oldest)
    await pause()
  }
  return { head: head!, canonical, genesis: first! }
}

/**
 * The entry of the head with its tries, and with the accounts of the chain's own genesis that the file does not have. If the
 * root of its state is not the header's, the state was written to since, as by a cheat.
 */
async function completeHead(
  { block, state }: SealedEntry,
  accounts: FileAccounts,
  genesis: StateChanges,
  { world, config }: ReplayParts,
  pause: Pause,
): Promise<SealedEntry> {
  const { crypto } = config
  const trie = await updateStateTrieInParts(null, world.everythingAt(state), crypto, pause)
  const isPatched = bytesToHex(stateRoot(trie, crypto)) !== block.header.stateRoot
  const patch = missingAccounts(genesis, accounts)
  if (patch.size === 0) {
    const patches = isPatched ? { last: patch, before: undefined } : undefined
    return { block, state, stateTrie: trie, patches }
  }
  const changes = patchChanges(state, patch, crypto)
  const stateTrie = await updateStateTrieInParts(trie, changes, crypto, pause)
  const patches = { last: patch, before: undefined }
  return { block, state: world.commit(changes), stateTrie, patches, unpatched: state }
}

/** The accounts of a genesis that a file does not have. */
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

/** The states of a file, one after the other, as versions of a world. */
class FileStates {
  readonly #world: WorldState
  readonly #crypto: Crypto
  readonly #pause: Pause
  #last: FileAccounts = new Map()

  constructor(world: WorldState, crypto: Crypto, pause: Pause) {
    this.#world = world
    this.#crypto = crypto
    this.#pause = pause
  }

  /** The version of a block whose state the file does not have: it was never retained. */
  unavailable(): StateVersion {
    const { position, lastStorageId } = this.#world.head
    const version = new StateVersion(NO_READS, position, lastStorageId)
    version.release()
    return version
  }

  /** Makes a state the newest version; only what differs from the one before is written. */
  async commit(accounts: FileAccounts): Promise<StateVersion> {
    const patch = new Map<Address, AccountPatch>()
    for (const address of this.#last.keys()) if (!accounts.has(address)) patch.set(address, NO_ACCOUNT)
    for (const [address, account] of accounts) {
      const before = this.#last.get(address)
      const change = before === undefined ? account : differenceOf(before, account)
      if (change !== undefined) patch.set(address, change)
      const wait = this.#pause()
      if (wait) await wait
    }
    this.#last = accounts
    return this.#world.commit(patchChanges(this.#world.head, patch, this.#crypto))
  }
}

const NO_ACCOUNT: AccountPatch = { nonce: 0n, balance: 0n, code: NO_CODE, state: new Map() }

const NO_READS: VersionReads = {
  account: () => undefined,
  slot: () => 0n,
  code: () => NO_CODE,
  everything: () => ({ accounts: new Map(), slots: new Map(), codes: new Map() }),
}

/** What makes an account another one; undefined if they are the same. */
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
