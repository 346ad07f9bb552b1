/**
 * A chain begins with the blocks of an exported one. Each is executed as it was executed there, with the senders, the chain id and
 * the writes to its state that its RLP does not have, and must give the same block. Loaded for such a chain only.
 */

import { check } from '../../base/options/option.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import { createYielder } from '../../base/waiting.ts'
import { splitBlocks } from '../../ethereum/blockEncoding.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { hashHeader } from '../../ethereum/header.ts'
import { changesSince } from '../../ethereum/state/layer.ts'
import { patchChanges } from '../../ethereum/state/patch.ts'
import { updateStateTrieInParts } from '../../ethereum/state/stateTrie.ts'
import type { Impersonation } from '../accounts/signers.ts'
import type { BlockSettings } from '../block/attributes.ts'
import { ImportError, ReplayError } from '../import/errors.ts'
import { executeAgain, type ReplayParts } from '../import/executeAgain.ts'
import type { Resumed } from '../import/resume.ts'
import { startAtGenesis } from '../import/startAtGenesis.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import { decodePatch } from '../ledger/patchEncoding.ts'
import { type BlockNote, parseSettings } from './exportedSettings.ts'
import type { GenesisWithRules } from './genesis.ts'
import type { Beginning } from './openTip.ts'
import { decodeValue } from './storedValues.ts'

/** What a chain with exported settings starts with. */
export interface ReadExport {
  /** Those of the settings, under those that are given. */
  readonly options: ChainOptions
  readonly beginning: Beginning
  readonly impersonation: Impersonation | undefined
}

/** Reads the option `settings`. @throws InvalidOptionError */
export function readExport(given: ChainOptions): ReadExport {
  const isUsable = given.genesis !== undefined && given.database === undefined
  check(isUsable, 'settings', 'no value unless genesis is given, nor if database is')
  const text = JSON.stringify(given.settings)
  const { options, next, modes, impersonation, notes } = parseSettings(
    decodeValue(new TextEncoder().encode(text)),
  )
  const own = Object.entries(given).filter(([, value]) => value !== undefined)
  const isMiningGiven = given.mining !== undefined || given.blockTime !== undefined
  return {
    options: { ...options, ...Object.fromEntries(own) },
    beginning: {
      start: (genesis, parts, blocks = new Uint8Array(0)) => start(genesis, parts, blocks, notes),
      settings: next as BlockSettings,
      modes: isMiningGiven ? undefined : modes,
    },
    impersonation:
      impersonation && given.autoImpersonate !== undefined
        ? { ...impersonation, everyone: undefined }
        : impersonation,
  }
}

async function start(
  genesis: GenesisWithRules,
  parts: ReplayParts,
  blocks: Uint8Array,
  notes: ReadonlyMap<number, BlockNote>,
): Promise<Resumed> {
  const { importer, ledger, world, config } = parts
  const pause = createYielder(config.clock)
  const begun = startAtGenesis(genesis, { ledger, world })
  let { canonical } = begun
  let head = await withPatch(begun.head, notes.get(0), parts)
  const items = splitBlocks(blocks)
  for (;;) {
    const number = head.block.number + 1n
    try {
      const item = items.next()
      if (item.done) return { head, canonical, genesis: begun.genesis }
      const { unsigned = new Map(), chainId } = notes.get(Number(number)) ?? {}
      const stored = { ...importer.decode(item.value), ...(chainId && { chainId }), unsigned }
      if (stored.header.number !== number)
        throw new InvalidBlockError(`its number is ${stored.header.number}`)
      const chain = canonical
      const parent = { ...head, stateTrie: head.stateTrie ?? null, hashAt: (at: bigint) => chain.at(at) }
      const { block, state, stateTrie } = await executeAgain(stored, hashHeader(stored.header), parent, parts)
      const sealed = { block, state: world.commit(changesSince(state, head.state)), stateTrie }
      canonical = canonical.append(block.hash)
      await ledger.write({ head: block.hash, added: block })
      const appended = canonical
      const oldest = ledger.append(sealed, (at) => appended.at(at))
      head = await withPatch(sealed, notes.get(Number(number)), parts)
      if (oldest !== undefined) world.prune(oldest)
    } catch (error) {
      if (error instanceof ReplayError) throw new ImportError(number, error.problem, { cause: error })
      throw error instanceof InvalidBlockError
        ? new ImportError(number, error.message, { cause: error })
        : error
    }
    await pause()
  }
}

/** The block after everything that was written to its state. */
async function withPatch(
  entry: SealedEntry,
  note: BlockNote | undefined,
  { config, ledger, world }: ReplayParts,
): Promise<SealedEntry> {
  if (note?.patch === undefined) return entry
  const { crypto, clock } = config
  const last = decodePatch(new TextEncoder().encode(JSON.stringify(note.patch)))
  const changes = patchChanges(entry.state, last, crypto)
  const stateTrie = await updateStateTrieInParts(
    entry.stateTrie ?? null,
    changes,
    crypto,
    createYielder(clock),
  )
  const patches = { last, before: undefined }
  const patched = { ...entry, state: world.commit(changes), stateTrie, patches, unpatched: entry.state }
  const { hash, number } = entry.block
  await ledger.write({ head: hash, patched: { number, patches } })
  ledger.rewind([], patched)
  return patched
}
