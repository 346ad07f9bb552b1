/**
 * The selected block or transaction: the newest block, until the user chooses one.
 *
 * Owns: the choice.
 */
import type { Block, Story, Transaction } from './story.ts'

/** A block, or a transaction. */
export type Subject =
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'transaction'; readonly transaction: Transaction }

/** See the file's header. */
export class Selection {
  /** Incremented by every choice. */
  version = 0
  readonly #story: Story
  #chosen: Subject | undefined

  constructor(story: Story) {
    this.#story = story
  }

  /** The choice; undefined while the selection follows the newest block. */
  get chosen(): Subject | undefined {
    return this.#chosen
  }

  /** The selection; undefined before the first block. */
  get subject(): Subject | undefined {
    const block = this.#story.newest
    return this.#chosen ?? (block && { kind: 'block', block })
  }

  /** Selects a block or transaction, or without an argument the newest block. */
  choose(subject?: Subject): void {
    this.#chosen = subject
    this.version += 1
  }

  /** Moves to an older (-1) or newer (1) block. */
  moveToBlock(step: -1 | 1): void {
    const { blocks } = this.#story
    const at = blocks.findIndex(({ number }) => number === this.#blockNumber())
    // If the chosen block is no longer recorded (-1), the oldest one is next.
    const block = blocks[Math.min(Math.max(at + step, 0), blocks.length - 1)]
    if (block !== undefined) this.choose({ kind: 'block', block })
  }

  /** Moves to the next (1) or previous (-1) transaction of the block; before the first is the block itself. */
  moveWithinBlock(step: -1 | 1): void {
    const { subject } = this
    const block = this.#story.blocks.find(({ number }) => number === this.#blockNumber())
    if (subject === undefined || block === undefined) return
    const { newest, waiting } = this.#story
    const transactions = [...block.columns.flat(), ...(block === newest ? waiting : [])]
    const at = subject.kind === 'transaction' ? transactions.indexOf(subject.transaction) : -1
    const transaction = transactions[Math.min(at + step, transactions.length - 1)]
    this.choose(transaction === undefined ? { kind: 'block', block } : { kind: 'transaction', transaction })
  }

  #blockNumber(): number | undefined {
    const { subject } = this
    if (subject?.kind === 'transaction') return subject.transaction.block ?? this.#story.newest?.number
    return subject?.block.number
  }
}
