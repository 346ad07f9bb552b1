/** The newest blocks and transactions as tables: the timeline in words. Drawn only while they are open. */
import { find, make, setText } from '../dom.ts'
import { count, duration, short } from '../format.ts'
import type { Selection, Subject } from '../selection.ts'
import type { Block, Story, Transaction } from '../story.ts'

const ROWS = 10

/** See the file's header. */
export class Tables {
  readonly #story: Story
  readonly #root = find('#tables', HTMLDetailsElement)
  readonly #blocks: Table<Block>
  readonly #transactions: Table<Transaction>

  constructor(story: Story, selection: Selection) {
    this.#story = story
    const choose = (subject: Subject) => selection.choose(subject)
    this.#blocks = new Table(find('#blocks', HTMLElement), blockCells, (block) =>
      choose({ kind: 'block', block }),
    )
    this.#transactions = new Table(find('#transactions', HTMLElement), transactionCells, (transaction) =>
      choose({ kind: 'transaction', transaction }),
    )
    this.#root.addEventListener('toggle', () => this.draw())
  }

  /** Draws the newest ones. */
  draw(): void {
    if (!this.#root.open) return
    this.#blocks.draw(this.#story.blocks.slice(-ROWS))
    this.#transactions.draw([...this.#story.transactions].slice(-ROWS))
  }
}

/** A table, the newest row first; a row keeps its element, so that focus is kept. */
class Table<Item> {
  readonly #body: HTMLElement
  readonly #cells: (item: Item) => readonly string[]
  readonly #choose: (item: Item) => void
  readonly #rows = new Map<Item, HTMLElement>()

  constructor(body: HTMLElement, cells: (item: Item) => readonly string[], choose: (item: Item) => void) {
    this.#body = body
    this.#cells = cells
    this.#choose = choose
  }

  /** @param items - the oldest first. */
  draw(items: readonly Item[]): void {
    for (const [item, row] of this.#rows) {
      if (items.includes(item)) continue
      row.remove()
      this.#rows.delete(item)
    }
    for (const item of items) {
      const cells = this.#cells(item)
      const row = this.#rows.get(item) ?? this.#add(item, cells.length)
      for (const [i, text] of cells.entries())
        setText(row.children[i]!.firstElementChild ?? row.children[i]!, text)
    }
  }

  #add(item: Item, cells: number): HTMLElement {
    const button = make('button', { type: 'button', className: 'link' })
    button.addEventListener('click', () => this.#choose(item))
    const rest = Array.from({ length: cells - 1 }, () => make('td'))
    const row = make('tr', {}, make('th', { scope: 'row' }, button), ...rest)
    this.#body.prepend(row)
    this.#rows.set(item, row)
    return row
  }
}

function blockCells({ number, sealed, preconfIndex, transactions }: Block): readonly string[] {
  return [count(number), sealed ? 'sealed' : 'being built', count(preconfIndex), count(transactions)]
}

function transactionCells({
  hash,
  stage,
  block,
  sentAt,
  preconfirmedAt,
  sealedAt,
}: Transaction): readonly string[] {
  return [
    short(hash),
    stage === 'preconfirmed' ? 'pre-confirmed' : stage,
    block === undefined ? '–' : count(block),
    duration(preconfirmedAt && preconfirmedAt - sentAt),
    duration(sealedAt && sealedAt - sentAt),
  ]
}
