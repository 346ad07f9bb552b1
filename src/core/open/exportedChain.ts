/** Exports a chain as plain data, and starts a chain from an export. Loaded on first use. */

import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import { check, option, parseOptions } from '../../base/options/option.ts'
import { isHexOf, uint64 } from '../../base/options/optionSchemas.ts'
import { isObject, scalar } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'
import { createYielder } from '../../base/waiting.ts'
import { encodeBlock } from '../../ethereum/blockEncoding.ts'
import type { ChainSpec } from '../../ethereum/chainSpec.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { hashHeader } from '../../ethereum/header.ts'
import { changesSince } from '../../ethereum/state/layer.ts'
import { mergePatches } from '../../ethereum/state/patch.ts'
import { SETTINGS, underOptions } from '../block/settings.ts'
import { ImportError, ReplayError } from '../import/errors.ts'
import { executeAgain } from '../import/executeAgain.ts'
import { toImportError } from '../import/importBlocks.ts'
import {
  addBlock,
  type Started,
  type StartParts,
  startAtGenesis,
  toParent,
  writePatch,
} from '../import/start.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import {
  patchFromJson,
  patchToJson,
  type StoredAccounts,
  valueFromText,
  valueToText,
} from '../ledger/patchEncoding.ts'
import type { ChainOptions, ChainSettings, ExportedChain } from '../options.ts'
import { sealedEntries } from '../sequencer/tip.ts'
import type { Core } from './core.ts'
import { ExportError } from './errors.ts'
import type { GenesisWithRules } from './genesis.ts'
import { keptOptions, overKept, readKeptOptions, requireSpec } from './kept.ts'
import type { Beginning } from './openTip.ts'

const SETTINGS_VERSION = 1

const list = scalar<readonly unknown[], object>('a list', (value) =>
  Array.isArray(value) ? value : undefined,
)
const text = scalar<string, string>('a string', (value) => (typeof value === 'string' ? value : undefined))
const object = scalar<object, object>('an object', (value) => (isObject(value) ? value : undefined))

const PARTS = {
  version: option(
    scalar<number, number>(
      `${SETTINGS_VERSION}, the version that chain.export() of this version writes`,
      (value) => (value === SETTINGS_VERSION ? SETTINGS_VERSION : undefined),
    ),
  ),
  options: option(object, { default: {} }),
  next: option(object, { default: {} }),
  blocks: option(list, { default: [] }),
  spec: option(text),
}

const NOTE = {
  number: option(
    scalar<number, number>('a block number', (value) =>
      Number.isSafeInteger(value) ? (value as number) : undefined,
    ),
  ),
  chainId: option(uint64),
  unsigned: option(list, { default: [] }),
  patch: option(list),
}

/** Values of a block that its RLP lacks. */
interface BlockNote {
  readonly chainId?: bigint | undefined
  /** The senders of unsigned transactions, by index. */
  readonly unsigned: ReadonlyMap<number, Address>
  /** The writes to the block's state after the seal, encoded by `patchEncoding.ts`. */
  readonly patch?: readonly unknown[] | undefined
}

/** Checks settings. @returns also the notes, by block number. @throws InvalidOptionError for the first invalid part. */
function parseSettings(given: ChainSettings) {
  const { version, options, next, blocks, spec } = parseOptions(PARTS, given)
  check(version !== undefined, 'settings.version', String(SETTINGS_VERSION))
  const kept = readKeptOptions(options, 'export')
  const notes = new Map<number, BlockNote>()
  for (const one of blocks) {
    const { number, unsigned, ...note } = parseOptions(NOTE, one)
    check(number !== undefined, 'settings.blocks', 'numbers of blocks')
    notes.set(number, { ...note, unsigned: new Map(unsigned.map(toSender)) })
    for (const account of note.patch ?? []) checkPatch(account)
  }
  return { kept, next: parseOptions(SETTINGS, next), notes, spec }
}

function toSender(pair: unknown): [index: number, sender: Address] {
  const [index, sender] = Array.isArray(pair) ? pair : []
  const isValid = Number.isSafeInteger(index) && isHexOf(sender, 20)
  check(isValid, 'settings.blocks', 'pairs of an index and a sender')
  return [index, sender]
}

const QUANTITY = /^0x[0-9a-f]{1,64}$/i

function checkPatch(account: unknown): void {
  const [of, fields] = Array.isArray(account) ? account : []
  const given = isObject(fields) ? fields : {}
  const { balance = '0x0', nonce = '0x0', code = '0x', state = [], stateDiff = [] } = given
  const slots = Array.isArray(state) && Array.isArray(stateDiff) ? [...state, ...stateDiff] : [undefined]
  const isValid =
    isHexOf(of, 20) &&
    isObject(fields) &&
    [balance, nonce].every((one) => QUANTITY.test(String(one))) &&
    /^0x([0-9a-f]{2})*$/i.test(String(code)) &&
    slots.every((slot) => Array.isArray(slot) && isHexOf(slot[0], 32) && isHexOf(slot[1], 32))
  check(isValid, 'settings.blocks', 'patches of accounts')
}

/**
 * Exports the sealed blocks of a chain, with the options and settings that an equal chain needs.
 *
 * @throws ExportError if the chain is a fork, if its blocks were loaded from a state file, or if its history does not
 *   reach genesis.
 * @throws DisconnectedError after `close`.
 */
export function exportChain({ sequencer }: Core): Promise<ExportedChain> {
  return sequencer.exclusive(async ({ tip }) => {
    const now = tip()
    const { fork, isLoaded, geth, options } = now.base
    if (fork !== undefined) throw new ExportError('it is a fork, whose state before its blocks is elsewhere')
    if (isLoaded) {
      throw new ExportError('its blocks come from a state file and cannot be executed; use anvil_dumpState')
    }
    const pause = createYielder(options.clock)
    const blocks: Uint8Array[] = []
    const notes: object[] = []
    const entries = await sealedEntries(now)
    if (typeof entries === 'bigint') {
      throw new ExportError(`its history does not reach back to block ${entries}; set history.blocks higher`)
    }
    for (const entry of entries) {
      const { block } = entry
      if (block.number > 0n) blocks.push(encodeBlock(block))
      const note = noteOf(entry, BigInt(geth.config.chainId))
      if (Object.keys(note).length > 0) notes.push({ number: Number(block.number), ...note })
      await pause()
    }
    const settings = {
      version: SETTINGS_VERSION,
      options: keptOptions(options, 'export'),
      next: now.settings,
      blocks: notes,
      ...(options.spec && { spec: options.spec.name }),
    }
    return { genesis: toPlain(geth), blocks: bytesToHex(concatBytes(...blocks)), settings: toPlain(settings) }
  })
}

function toPlain<Value>(value: Value): Value {
  return JSON.parse(valueToText(value))
}

function noteOf({ block, patches }: SealedEntry, genesisChainId: bigint): object {
  const { transactions, rules } = block
  const unsigned = transactions.flatMap((tx, index) => (tx.unsigned ? [[index, tx.from]] : []))
  const patch = patches && patchToJson(mergePatches(patches))
  return {
    ...(unsigned.length > 0 && { unsigned }),
    ...(rules.chainId !== genesisChainId && { chainId: rules.chainId }),
    ...(patch !== undefined && { patch }),
  }
}

/**
 * Reads the option `settings`. Returns the exported options, overridden by the given ones.
 *
 * @throws InvalidOptionError, also if the chain was exported under another spec
 */
export function readExport(
  given: ChainOptions,
  spec: ChainSpec | undefined,
): { options: ChainOptions; beginning: Beginning } {
  const isUsable = given.genesis !== undefined && given.database === undefined
  check(isUsable, 'settings', 'no value unless genesis is given, nor if database is')
  const settings = parseSettings(valueFromText(JSON.stringify(given.settings)))
  const { kept, next, notes } = settings
  requireSpec('settings', spec, settings.spec)
  return {
    options: overKept(kept, given),
    beginning: {
      start: (genesis, parts, blocks) => start(genesis, parts, blocks, notes),
      settings: underOptions(next, (name) => given[name] !== undefined),
    },
  }
}

/** Executes each block with the senders, chain id and state writes of its note. The hash must come out the same. */
async function start(
  genesis: GenesisWithRules,
  parts: StartParts,
  blocks: Iterator<Uint8Array, undefined>,
  notes: ReadonlyMap<number, BlockNote>,
): Promise<Started> {
  const { importer, world, config } = parts
  const pause = createYielder(config.clock)
  const begun = startAtGenesis(genesis, parts)
  let { canonical } = begun
  let head = await withPatch(begun.head, notes.get(0), parts)
  for (;;) {
    const number = head.block.number + 1n
    try {
      const item = blocks.next()
      if (item.done) return { head, canonical, genesis: begun.genesis }
      const { unsigned = new Map(), chainId } = notes.get(Number(number)) ?? {}
      const stored = { ...importer.decode(item.value), ...(chainId && { chainId }), unsigned }
      if (stored.header.number !== number)
        throw new InvalidBlockError(`its number is ${stored.header.number}`)
      const parent = toParent({ head, canonical })
      const { block, state, stateTrie } = await executeAgain(stored, hashHeader(stored.header), parent, parts)
      const sealed = { block, state: world.commit(changesSince(state, head.state)), stateTrie }
      canonical = await addBlock(sealed, head, canonical, parts)
      head = await withPatch(sealed, notes.get(Number(number)), parts)
    } catch (error) {
      if (error instanceof ReplayError) throw new ImportError(number, error.problem, { cause: error })
      throw toImportError(error, number)
    }
    await pause()
  }
}

async function withPatch(
  entry: SealedEntry,
  note: BlockNote | undefined,
  parts: StartParts,
): Promise<SealedEntry> {
  if (note?.patch === undefined) return entry
  const { config, ledger } = parts
  const patch = patchFromJson(note.patch as StoredAccounts)
  const patched = await writePatch(entry, patch, parts, createYielder(config.clock))
  const { hash, number } = entry.block
  await ledger.write({ head: hash, patched: { number, patches: patched.patches } })
  ledger.rewind([], patched)
  return patched
}
