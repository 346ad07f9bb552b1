/**
 * Imports external blocks: each is decoded, validated, executed by @ethereumjs' `runBlock`, and passed to the chain.
 *
 *   bytes ─► split ─► decode ─► header against parent ─► body, uncles ─► execute ─► adopted by the chain
 *
 * Owns: the cached total difficulty before the merge. An invalid block has no effect.
 */
import type { Crypto } from '../crypto/crypto.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PayloadParent } from '../payload/payload.ts'
import type { Clock } from '../primitives/clock.ts'
import { TransactionRejectedError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'
import { createYielder } from '../primitives/yielder.ts'
import type { Block, StoredBlock } from '../protocol/block.ts'
import { decodeBlock, splitBlocks } from '../protocol/decodeBlock.ts'
import { InvalidBlockError } from '../protocol/errors.ts'
import { type Header, hashHeader } from '../protocol/header.ts'
import type { ChainRules, Rules } from '../protocol/rules.ts'
import type { Transaction } from '../protocol/transaction.ts'
import { Layer } from '../state/layer.ts'
import type { StateTrie } from '../state/stateTrie.ts'
import { decodeTransaction } from './decodeTransaction.ts'
import { ImportError } from './errors.ts'
import type { Ancestor } from './validateBlock.ts'

/** The parts of a chain that importing uses. */
export interface ImportParts {
  readonly rules: ChainRules
  readonly crypto: Crypto
  readonly ledger: Ledger
  /** Whether receipts contain the revert data of transactions. */
  readonly revertReason: boolean
}

/** A block that was executed, with a layer over the state of its parent. */
export interface ImportedBlock {
  readonly block: Block
  readonly state: Layer
  readonly stateTrie: StateTrie
}

/** The chain that blocks are imported into. */
export interface ImportTarget {
  readonly clock: Clock
  /** The chain id of the blocks; undefined for that of the genesis block. */
  readonly chainId?: bigint
  /** The head, as the parent of the next block. */
  head(): PayloadParent
  /** Makes a block the head. */
  adopt(block: ImportedBlock): Promise<void>
}

/**
 * Imports blocks, given as concatenated RLP. Blocks that the chain already has are skipped.
 *
 * @throws ImportError for the first invalid block; those before it stay.
 */
export async function importBlocks(
  bytes: Uint8Array,
  importer: BlockImporter,
  { clock, chainId, head, adopt }: ImportTarget,
): Promise<void> {
  const items = splitBlocks(bytes)
  const pause = createYielder(clock)
  let expected = head().block.number + 1n
  for (;;) {
    const parent = head()
    let imported: ImportedBlock
    try {
      const item = items.next()
      if (item.done) return
      const decoded = importer.decode(item.value)
      const stored = chainId === undefined ? decoded : { ...decoded, chainId }
      const { number } = stored.header
      const canonical = number === parent.block.number ? parent.block.hash : parent.hashAt(number)
      if (canonical === hashHeader(stored.header)) {
        expected = number + 1n
        continue
      }
      expected = parent.block.number + 1n
      imported = await importer.execute(stored, parent)
    } catch (error) {
      throw error instanceof InvalidBlockError
        ? new ImportError(expected, error.message, { cause: error })
        : error
    }
    await adopt(imported)
    expected += 1n
    await pause()
  }
}

/** Whether a stored block can only be external: the sequencer's have no difficulty, uncles or withdrawals. */
export function isExternal({ header, uncles, withdrawals = [] }: StoredBlock): boolean {
  return header.difficulty > 0n || uncles.length > 0 || withdrawals.length > 0
}

/** Executes external blocks; see the file's header. */
export class BlockImporter {
  readonly #parts: ImportParts
  #loaded: ReturnType<typeof loadExecution> | undefined
  /** The total difficulty of a block, cached. */
  #total: { readonly hash: Hash; readonly difficulty: bigint } | undefined

  constructor(parts: ImportParts) {
    this.#parts = parts
  }

  /** @throws InvalidBlockError if the bytes are not a block. */
  decode(bytes: Uint8Array): StoredBlock {
    return decodeBlock(bytes, this.#parts.rules)
  }

  /** Whether the block after this one is after the merge. */
  async isMerged(block: Block): Promise<boolean> {
    const { rules } = this.#parts
    const { number, timestamp, header } = block
    const terminal = rules.terminalTotalDifficulty
    if (terminal !== undefined) {
      // Only blocks after the merge have no difficulty, so the sum over all ancestors is not needed.
      const isPast = number > 0n && header.difficulty === 0n
      return isPast || (await this.#totalDifficulty(block)) >= terminal
    }
    // By default the merge is at the first block without difficulty; genesis is before it even if it has none.
    return rules.at(number + 1n, timestamp + 1n, number === 0n ? 1n : header.difficulty).fork.paris
  }

  /** @throws InvalidBlockError if the block may not follow its parent. */
  async execute(stored: StoredBlock, parent: PayloadParent): Promise<ImportedBlock> {
    const { crypto } = this.#parts
    const { header } = stored
    const { number, timestamp } = header
    const rules = this.#rulesOf(header, stored.chainId)
    await this.#checkMerge(header, parent.block)
    this.#loaded ??= loadExecution(this.#parts)
    const { validateHeader, validateBody, validateUncles, runner } = await this.#loaded
    validateHeader(header, parent.block.header, rules, crypto)
    const transactions = stored.transactions.map((raw, i) => this.#decodeTransaction(raw, i, rules))
    validateBody(stored, transactions, rules, crypto)
    const ancestor = (hash: Hash) => this.#ancestor(hash)
    const rulesOf = (uncle: Header) => this.#rulesOf(uncle)
    await validateUncles(stored, rulesOf, ancestor, crypto)
    const hashAt = (at: bigint) => (at === parent.block.number ? parent.block.hash : parent.hashAt(at))
    const run = await runner.run(stored, transactions, rules, { ...parent, hashAt }, rulesOf)
    const { receipts, overlay, stateTrie } = run
    const hash = hashHeader(header)
    const block: Block = { ...stored, hash, number, timestamp, rules, transactions, receipts }
    return { block, state: new Layer(parent.state, overlay.changes()), stateTrie }
  }

  #rulesOf({ number, timestamp, difficulty }: Header, chainId?: bigint): Rules {
    return this.#parts.rules.withChainId(chainId).at(number, timestamp, difficulty)
  }

  #decodeTransaction(raw: Uint8Array, index: number, rules: Rules): Transaction {
    try {
      return decodeTransaction(raw, rules, this.#parts.crypto)
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
      throw new InvalidBlockError(`transaction ${index}: ${error.message}`, { cause: error })
    }
  }

  /** Checks a header's difficulty against the merge, since the header's rules depend on it. */
  async #checkMerge({ difficulty }: Header, parent: Block): Promise<void> {
    const merged = await this.isMerged(parent)
    const { terminalTotalDifficulty } = this.#parts.rules
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
      const hash = hashHeader(at.header)
      if (hash === this.#total?.hash) {
        difficulty += this.#total.difficulty
        break
      }
      difficulty += at.header.difficulty
      // The genesis block has no parent.
      const parent = at.header.number === 0n ? undefined : await this.#ancestor(at.header.parentHash)
      if (parent === undefined) break
      at = parent
    }
    this.#total = { hash: block.hash, difficulty }
    return difficulty
  }

  /** A block of the chain by its hash, even if it is pruned. */
  async #ancestor(hash: Hash): Promise<Ancestor | undefined> {
    return this.#parts.ledger.get(hash)?.block ?? this.#parts.ledger.getPruned(hash)
  }
}

/** Loads what executes external blocks, which most chains never have. */
async function loadExecution({ crypto, revertReason }: ImportParts) {
  const { validateHeader, validateBody, validateUncles } = await import('./validateBlock.ts')
  const { BlockRunner } = await import('./blockRunner.ts')
  return { validateHeader, validateBody, validateUncles, runner: new BlockRunner(crypto, revertReason) }
}
