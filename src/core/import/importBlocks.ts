/**
 * Imports external blocks: decodes, validates and executes each, and passes it to the chain.
 *
 *   RLP ─► decode ─► header against parent ─► body, uncles ─► execute ─► adopted by the chain
 *
 * Owns: the cached total difficulty before the merge, and the second implementation that verifies. An invalid block
 * changes nothing.
 */

import type { Clock } from '../../base/clock.ts'
import type { ResolvedImportOptions } from '../../base/options/requests.ts'
import type { Hash } from '../../base/types.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import type { Block, StoredBlock } from '../../ethereum/block.ts'
import { decodeBlock } from '../../ethereum/blockEncoding.ts'
import type { DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { type Header, hashHeader } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { hashesUpTo } from '../block/attributes.ts'
import { type Executed, type PayloadConfig, type PayloadParent, toExecuted } from '../block/payload.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { ImportError, toBlockError } from './errors.ts'
import type { EthereumjsBlockRunner } from './ethereumjsBlockRunner.ts'
import type { Ancestor } from './executeBlock.ts'

interface ImportParts {
  readonly config: PayloadConfig
  readonly decode: DecodeTransaction
  readonly ledger: Pick<Ledger, 'get' | 'getPruned'>
}

/** The chain to import into. */
interface ImportTarget {
  readonly clock: Pick<Clock, 'yield'>
  /** The chain id of the blocks; the genesis block's by default. */
  readonly chainId?: bigint
  head(): PayloadParent
  adopt(block: Executed): Promise<void>
}

/**
 * Imports blocks, each as RLP. Skips blocks that the chain has. If one fails, earlier blocks stay imported.
 *
 * @throws ImportError for the first invalid block
 * @throws VerificationError for the first block that @ethereumjs executes differently
 */
export async function importBlocks(
  blocks: Iterator<Uint8Array, undefined>,
  options: ResolvedImportOptions,
  importer: BlockImporter,
  { clock, chainId, head, adopt }: ImportTarget,
): Promise<void> {
  const pause = createYielder(clock)
  let expected = head().block.number + 1n
  for (;;) {
    const parent = head()
    let imported: Executed
    try {
      const item = blocks.next()
      if (item.done) return
      const decoded = importer.decode(item.value)
      const stored = chainId === undefined ? decoded : { ...decoded, chainId }
      const { number } = stored.header
      const canonical = await whenLoaded(() => hashesUpTo(parent)(number))
      if (canonical === hashHeader(stored.header)) {
        expected = number + 1n
        continue
      }
      expected = parent.block.number + 1n
      imported = await importer.execute(stored, parent, options)
    } catch (error) {
      throw toImportError(error, expected)
    }
    await adopt(imported)
    expected += 1n
    await pause()
  }
}

/** Converts the error of an invalid block, and no other. @param number - the number that a valid block would have. */
export function toImportError(error: unknown, number: bigint): unknown {
  if (!(error instanceof InvalidBlockError)) return error
  return new ImportError(number, error.message, { cause: error })
}

/** Whether a block must be external: blocks of the sequencer have no difficulty, uncles or withdrawals. */
export function isExternal({ header, uncles, withdrawals = [] }: StoredBlock): boolean {
  return header.difficulty > 0n || uncles.length > 0 || withdrawals.length > 0
}

/** See the file's header. */
export class BlockImporter {
  readonly #parts: ImportParts
  #runner: EthereumjsBlockRunner | undefined
  #total: { readonly hash: Hash; readonly difficulty: bigint } | undefined

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  decode(bytes: Uint8Array): StoredBlock {
    return decodeBlock(bytes, this.#parts.config.rules)
  }

  async isMerged(block: Block): Promise<boolean> {
    const { rules } = this.#parts.config
    const { number, timestamp, header } = block
    const terminal = rules.terminalTotalDifficulty
    if (terminal !== undefined) {
      // Only blocks after the merge have no difficulty, so the ancestors need not be summed up.
      const isPast = number > 0n && header.difficulty === 0n
      return isPast || (await this.#totalDifficulty(block)) >= terminal
    }
    // By default the first block without difficulty is the merge, genesis excepted.
    return rules.at(number + 1n, timestamp + 1n, number === 0n ? 1n : header.difficulty).fork.paris
  }

  /** Executes a block. @throws InvalidBlockError if it is invalid as the child of `parent`; VerificationError */
  async execute(
    stored: StoredBlock,
    parent: PayloadParent,
    { verify }: ResolvedImportOptions = {},
  ): Promise<Executed> {
    const { config } = this.#parts
    const { crypto, clock } = config
    const { header } = stored
    const { number, timestamp } = header
    const rules = this.#rulesOf(header, stored.chainId)
    await this.#checkMerge(header, parent.block)
    const { validateHeader, validateBody, validateUncles, executeBlock } = await import('./executeBlock.ts')
    validateHeader(header, parent.block.header, rules, crypto)
    const rulesOf = (uncle: Header) => this.#rulesOf(uncle)
    // Stock @ethereumjs has Ethereum's rules only.
    const runner = verify && rules.spec === undefined ? await this.#openRunner() : undefined
    const confirmInvalid = async (error: unknown): Promise<never> => {
      if (error instanceof InvalidBlockError) await runner?.verify(stored, rules, parent, rulesOf, error)
      throw error
    }
    const transactions = await this.#decodeTransactions(stored, rules).catch(confirmInvalid)
    validateBody(stored, transactions, rules, crypto)
    await validateUncles(stored, rulesOf, (hash) => this.#ancestor(hash), crypto)
    const pause = createYielder(clock)
    const execution = executeBlock(config, stored, transactions, rules, parent, pause)
    const payload = await execution.catch(confirmInvalid)
    const { receipts } = payload.block
    await runner?.verify(stored, rules, parent, rulesOf, receipts)
    const hash = hashHeader(header)
    const block: Block = { ...stored, hash, number, timestamp, rules, transactions, receipts }
    return { ...toExecuted(payload), block }
  }

  async #openRunner(): Promise<EthereumjsBlockRunner> {
    const { EthereumjsBlockRunner } = await import('./ethereumjsBlockRunner.ts')
    const { crypto, options, clock } = this.#parts.config
    this.#runner ??= new EthereumjsBlockRunner(crypto, options.revertReason, createYielder(clock))
    return this.#runner
  }

  #rulesOf({ number, timestamp, difficulty }: Header, chainId?: bigint): Rules {
    return this.#parts.config.rules.withChainId(chainId).at(number, timestamp, difficulty)
  }

  async #decodeTransactions({ transactions }: StoredBlock, rules: Rules): Promise<Transaction[]> {
    return transactions.map((raw, index) => {
      try {
        return this.#parts.decode(raw, rules, this.#parts.config.crypto)
      } catch (error) {
        throw toBlockError(error, index)
      }
    })
  }

  /** Checks the difficulty against the merge, since the header's rules depend on it. */
  async #checkMerge({ difficulty }: Header, parent: Block): Promise<void> {
    const merged = await this.isMerged(parent)
    const { terminalTotalDifficulty } = this.#parts.config.rules
    if (merged && difficulty > 0n) {
      throw new InvalidBlockError(`its difficulty is ${difficulty}, expected 0 after the merge`)
    }
    if (!merged && difficulty === 0n && terminalTotalDifficulty !== undefined) {
      throw new InvalidBlockError('its difficulty is 0, expected more before the merge')
    }
  }

  async #totalDifficulty(block: Block): Promise<bigint> {
    let difficulty = 0n
    for (let at: Ancestor = block; ; ) {
      if (hashHeader(at.header) === this.#total?.hash) {
        difficulty += this.#total.difficulty
        break
      }
      difficulty += at.header.difficulty
      const parent = at.header.number === 0n ? undefined : await this.#ancestor(at.header.parentHash)
      if (parent === undefined) break
      at = parent
    }
    this.#total = { hash: block.hash, difficulty }
    return difficulty
  }

  async #ancestor(hash: Hash): Promise<Ancestor | undefined> {
    return this.#parts.ledger.get(hash)?.block ?? this.#parts.ledger.getPruned(hash)
  }
}
