/** Checks a database of format 1: each entry, what entries say of each other, and the execution of the blocks. */

import { bigintToBytes32, bytesToBigint, bytesToHex } from '../../../base/bytes.ts'
import { systemClock } from '../../../base/clock.ts'
import { PresealError } from '../../../base/errors.ts'
import { decodeRlp } from '../../../base/rlp.ts'
import type { Address } from '../../../base/types.ts'
import { createYielder, whenLoaded } from '../../../base/waiting.ts'
import type { Block, Receipt } from '../../../ethereum/block.ts'
import type { ChainRules } from '../../../ethereum/rules.ts'
import type { StateReader } from '../../../ethereum/state/account.ts'
import { patchChanges, type StatePatch } from '../../../ethereum/state/patch.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../../ethereum/state/stateTrie.ts'
import type { Executed, PayloadConfig, PayloadParent } from '../../block/payload.ts'
import { encodeReceipts, KIND, numberedKey } from '../../ledger/format/records.ts'
import { type Problem, type Scan, scanDatabase } from '../../ledger/format/scanDatabase.ts'
import { executeAgain } from '../executeAgain.ts'
import { BlockImporter } from '../importBlocks.ts'
import { type CheckedBlocks, type CheckParts, checkBlocks, ownFields, rulesAt } from './checkedBlocks.ts'
import { type CheckedState, type CheckedStates, checkStates } from './checkedStates.ts'

/** What is known of a database once it is checked. */
export interface CheckedDatabase {
  /** Empty if it is sound. */
  readonly problems: readonly Problem[]
  readonly scan: Scan
  readonly blocks: CheckedBlocks
  readonly states: CheckedStates
  readonly reexecution: Reexecution
  /** The number of blocks that were executed. */
  readonly executed: number
  /** The number of blocks whose parent's state is known, but not the rules by which they were executed. */
  readonly withoutRules: number
}

/** @throws DatabaseVersionError; and what the database throws */
export async function checkDatabase(parts: CheckParts): Promise<CheckedDatabase> {
  const scan = await scanDatabase(parts.db)
  const report = (problem: Problem) => void scan.problems.push(problem)
  const blocks = await checkBlocks(scan, parts, report)
  const states = await checkStates(scan, blocks, parts, report)
  for (const hash of scan.preconfirmed) {
    if (!scan.pool.has(hash)) report({ text: `the pre-confirmed transaction ${hash} is missing` })
  }
  const reexecution = new Reexecution(scan, blocks, parts)
  const pause = createYielder(parts.clock)
  let executed = 0
  let withoutRules = 0
  for (const [number, state] of states) {
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false) continue
    const { headers } = blocks
    if (!reexecution.canExecute(number)) {
      if (headers.has(number) && headers.has(number - 1)) withoutRules += 1
      continue
    }
    executed += 1
    await checkExecution(number, before, state, { scan, parts, reexecution, report })
    await pause()
  }
  return { problems: scan.problems, scan, blocks, states, reexecution, executed, withoutRules }
}

interface ExecutionParts {
  readonly scan: Scan
  readonly parts: CheckParts
  readonly reexecution: Reexecution
  readonly report: (problem: Problem) => void
}

async function checkExecution(
  block: number,
  before: CheckedState,
  after: CheckedState,
  { scan, parts, reexecution, report }: ExecutionParts,
): Promise<void> {
  let result: Executed
  try {
    result = await reexecution.execute(block, before)
  } catch (error) {
    if (!(error instanceof PresealError)) throw error
    report({ block, text: error.message })
    return
  }
  const receipts = scan.receipts.get(block)
  if (receipts !== undefined && !sameReceipts(receipts, result.block.receipts)) {
    const key = numberedKey(KIND.receipts, block)
    report({ block, key, text: `the receipts of block ${block} do not match its execution` })
  }
  const patch = scan.patches.get(block)
  if (patch === undefined || after.isSound === false) return
  const root = await patchedRoot(result, patch, parts)
  if (root === bytesToHex(stateRoot(after.trie, parts.crypto))) return
  const key = numberedKey(KIND.patch, block)
  report({ block, key, text: `the patch of block ${block} does not lead to its state` })
}

async function patchedRoot(
  { state, stateTrie }: Executed,
  patch: StatePatch,
  { crypto }: CheckParts,
): Promise<string> {
  const changes = await whenLoaded(() => patchChanges(state, patch, crypto))
  return bytesToHex(stateRoot(updateStateTrie(stateTrie, changes, crypto), crypto))
}

/** Whether receipts are equal, apart from revert data, which is stored only if the chain is asked to. */
export function sameReceipts(a: readonly Receipt[], b: readonly Receipt[]): boolean {
  const encoded = (receipts: readonly Receipt[]) =>
    bytesToHex(encodeReceipts(receipts.map(({ revertReason: _, ...receipt }) => receipt)))
  return encoded(a) === encoded(b)
}

// Blocks of a database that are executed again, on the states that it has.

/** A state that a block is executed on. */
export interface ParentState {
  readonly version: StateReader
  readonly trie: StateTrie
}

/** Executes blocks of a database. Loaded only to check one. */
export class Reexecution {
  readonly #scan: Scan
  readonly #blocks: CheckedBlocks
  readonly #parts: CheckParts
  readonly #configs = new Map<ChainRules, { config: PayloadConfig; importer: BlockImporter }>()

  constructor(scan: Scan, blocks: CheckedBlocks, parts: CheckParts) {
    this.#scan = scan
    this.#blocks = blocks
    this.#parts = parts
  }

  /** Whether a block can be executed: it and its parent are sound, and its rules are known. */
  canExecute(number: number): boolean {
    const { headers } = this.#blocks
    return headers.has(number) && headers.has(number - 1) && rulesAt(this.#scan, number) !== undefined
  }

  /** Executes a block on the state of the one before it. @throws ReplayError if it differs from the stored block. */
  async execute(number: number, { version, trie }: ParentState): Promise<Executed> {
    const { hashes, indices, read } = this.#blocks
    const rules = rulesAt(this.#scan, number)!
    const stored = { ...(await read(number)), ...ownFields(indices.get(number)!) }
    const parent: PayloadParent = {
      block: await this.#parent(number - 1, rules),
      state: version,
      stateTrie: trie,
      hashAt: (at) => hashes.get(Number(at)),
    }
    const { config, importer } = this.#partsOf(rules)
    return executeAgain(stored, hashes.get(number)!, parent, { config, importer, decode: this.#parts.decode })
  }

  async #parent(number: number, rules: ChainRules): Promise<Block> {
    const { hashes, read } = this.#blocks
    const stored = await read(number)
    const { timestamp, difficulty } = stored.header
    const at = BigInt(number)
    return {
      ...stored,
      hash: hashes.get(number)!,
      number: at,
      timestamp,
      rules: rules.at(at, timestamp, difficulty),
      transactions: [],
      receipts: [],
    }
  }

  #partsOf(rules: ChainRules): { config: PayloadConfig; importer: BlockImporter } {
    let found = this.#configs.get(rules)
    if (found === undefined) {
      const { executor, crypto, clock, decode } = this.#parts
      const { depositContract } = rules.at(0n, 0n).schedule
      const config: PayloadConfig = {
        executor,
        crypto,
        rules,
        depositContract: depositContract.toLowerCase() as Address,
        revertReason: true,
        clock,
      }
      const ledger = {
        get: () => undefined,
        getPruned: async (hash: string) => {
          const number = [...this.#blocks.hashes].find(([, one]) => one === hash)?.[0]
          return number === undefined ? undefined : this.#parent(number, rules)
        },
      }
      found = {
        config,
        importer: new BlockImporter({ config, engine: 'preseal', decode, ledger, clock: systemClock }),
      }
      this.#configs.set(rules, found)
    }
    return found
  }
}

/**
 * The sender of an unsigned transaction, which stands in the place of `r` of a signature with an `s` of 1; undefined if
 * the transaction is signed. See `toUnsignedTransaction`.
 */
export function unsignedSenderOf(raw: Uint8Array): Address | undefined {
  const fields = decodeRlp(raw[0]! >= 0xc0 ? raw : raw.subarray(1)) as readonly unknown[]
  const [r, s] = fields.slice(-2)
  if (!(r instanceof Uint8Array && s instanceof Uint8Array) || bytesToBigint(s) !== 1n) return undefined
  const value = bytesToBigint(r)
  if (value > 1n << 160n) return undefined
  // For the zero address r is 2^160.
  return bytesToHex(bigintToBytes32(value).subarray(12))
}
