/**
 * The timeline: time runs to the right, a column is a preconf block, and waiting transactions are in the next column. The
 * newest column stays at `now`, and older ones move to the left.
 *
 * Owns: the elements of the visible blocks, and the camera.
 */
import { find, make, setText } from '../dom.ts'
import { duration, plural, short } from '../format.ts'
import type { Selection, Subject } from '../selection.ts'
import type { Block, Story, Transaction } from '../story.ts'

/** The time constant, in milliseconds, with which the camera catches up after an early or late preconf block. */
const CAMERA_MS = 90

/** The minimum width of a block in columns: a block that is sealed early needs room for its label. */
const NARROWEST = 8

/** The chain's intervals, in milliseconds. */
export interface Pace {
  readonly blockTime: number
  readonly preconfInterval: number
}

/** The elements of a block. */
interface Shown {
  readonly block: Block
  readonly group: HTMLElement
  readonly tray: HTMLElement
  readonly label: HTMLElement
  readonly columns: HTMLElement[]
  /** Blocks and columns to its left since the page was opened, which determine its position. */
  readonly blocksBefore: number
  readonly columnsBefore: number
  /** Its width in columns. */
  width: number
}

/** Lengths of the style sheet, in pixels, and values derived from them. */
interface Measures {
  readonly column: number
  readonly gap: number
  /** The position of `now`. */
  readonly now: number
  /** How many transactions a column has room for, by how many are side by side. */
  readonly room: ReadonlyMap<number, number>
}

/** See the file's header. */
export class Timeline {
  readonly #root = find('#timeline', HTMLElement)
  readonly #track = find('.track', HTMLElement, this.#root)
  readonly #story: Story
  readonly #selection: Selection
  readonly #pace: Pace
  readonly #still = matchMedia('(prefers-reduced-motion: reduce)')
  readonly #slots: number
  #shown: Shown[] = []
  readonly #dots = new Map<Transaction, HTMLElement>()
  #measures!: Measures
  /** The point of the track that is at `now`, in pixels from its left end. */
  #camera: number | undefined
  /** The distance of the camera from its goal, in pixels, and when it was last updated. */
  #offset = 0
  #movedAt = 0
  #preconfAt = 0
  #target: Element | undefined

  constructor(story: Story, selection: Selection, pace: Pace) {
    this.#story = story
    this.#selection = selection
    this.#pace = pace
    this.#slots = Math.ceil(pace.blockTime / pace.preconfInterval)
    this.#measure()
    new ResizeObserver(() => this.#measure()).observe(this.#root)
    this.#root.addEventListener('click', (event) => this.#click(event))
    this.#root.addEventListener('keydown', (event) => this.#press(event))
  }

  /** Draws all changes since the last call. @param running - whether the chain's timer runs. */
  draw(running: boolean): void {
    const { blocks, waiting } = this.#story
    const known = this.#shown.at(-1)?.block.number ?? Number.NEGATIVE_INFINITY
    for (const shown of this.#shown) {
      if (shown.group.dataset['state'] !== 'sealed') this.#drawBlock(shown, running)
    }
    for (const block of blocks) {
      if (block.number <= known) continue
      // Its position depends on the width of the blocks before it.
      const shown = this.#addBlock(block)
      this.#shown.push(shown)
      this.#drawBlock(shown, running)
    }
    const open = this.#shown.at(-1)
    // Between a block's seal and the next block's first preconf block there is no column for waiting transactions.
    if (open !== undefined && !open.block.sealed) this.#fill(open.columns.at(-1)!, [...waiting])
    this.#forget()
    this.#mark()
  }

  /** Moves the camera to its position at a time. @param running - whether the chain's timer runs. */
  move(now: number, running: boolean): void {
    const open = this.#shown.at(-1)
    if (open === undefined) return
    const { column, gap } = this.#measures
    const { preconfAt } = this.#story
    const passed = Math.min((now - preconfAt) / this.#pace.preconfInterval, 1)
    // Without movement, the next column is centred at `now`.
    const progress = running && !this.#still.matches ? passed : 0.5
    const within = open.block.sealed
      ? open.width * column + gap
      : (open.columns.length - 1 + progress) * column
    const goal = open.columnsBefore * column + open.blocksBefore * gap + within
    if (preconfAt !== this.#preconfAt) this.#offset = (this.#camera ?? goal) - goal
    this.#offset *= this.#still.matches ? 0 : Math.exp((this.#movedAt - now) / CAMERA_MS)
    this.#preconfAt = preconfAt
    this.#movedAt = now
    this.#camera = goal + this.#offset
    this.#track.style.transform = `translateX(${(this.#measures.now - this.#camera).toFixed(2)}px)`
  }

  #addBlock(block: Block): Shown {
    const tray = make('div', { className: 'tray' })
    const label = make('div', { className: 'label', id: `block-${block.number}`, role: 'option' })
    label.append(make('strong', { textContent: `Block ${block.number}` }), make('span'))
    const group = make(
      'div',
      { className: 'block', role: 'group', ariaLabel: `Block ${block.number}` },
      tray,
      label,
    )
    this.#track.append(group)
    const previous = this.#shown.at(-1)
    const blocksBefore = previous === undefined ? 0 : previous.blocksBefore + 1
    const columnsBefore = previous === undefined ? 0 : previous.columnsBefore + previous.width
    group.style.setProperty('--blocks-before', `${blocksBefore}`)
    group.style.setProperty('--columns-before', `${columnsBefore}`)
    return { block, group, tray, label, columns: [], blocksBefore, columnsBefore, width: 0 }
  }

  #drawBlock(shown: Shown, running: boolean): void {
    const { block, group, tray, label, columns } = shown
    // The next preconf block has a column too, unless the block was sealed without it.
    const last = block.columns.length
    const open = !block.sealed || (running && last < this.#slots)
    const wanted = last + (open ? 1 : 0)
    while (columns.length < wanted) columns.push(tray.appendChild(make('div', { className: 'column' })))
    while (columns.length > wanted) columns.pop()!.remove()
    for (const [i, transactions] of block.columns.entries()) {
      const column = columns[i]!
      column.style.setProperty('--i', `${i}`)
      column.toggleAttribute('data-published', true)
      this.#fill(column, transactions)
    }
    shown.width = Math.max(wanted, block.sealed ? NARROWEST : this.#slots)
    group.style.setProperty('--columns', `${shown.width}`)
    group.dataset['state'] = block.sealed ? 'sealed' : 'growing'
    const size = plural(block.transactions, 'transaction')
    setText(
      label.lastElementChild!,
      block.sealed ? `sealed · ${size}` : `preconf ${block.preconfIndex} · ${size}`,
    )
  }

  #fill(column: HTMLElement, transactions: readonly Transaction[]): void {
    const fits = [...this.#measures.room].find(([, room]) => transactions.length <= room)
    const [across, room] = fits ?? [...this.#measures.room].at(-1)!
    column.style.setProperty('--across', `${across}`)
    const drawn = transactions.slice(0, room)
    for (const [i, transaction] of drawn.entries()) {
      const dot = this.#dotOf(transaction)
      if (dot.parentElement !== column) column.append(dot)
      dot.style.setProperty('--x', `${i % across}`)
      dot.style.setProperty('--y', `${Math.floor(i / across)}`)
      // The mark changes only with the stage: a retracted transaction waits again.
      if (dot.dataset['stage'] === transaction.stage) continue
      dot.toggleAttribute('data-retracted', transaction.retracted === true)
      dot.dataset['stage'] = transaction.stage
      dot.ariaLabel = describe(transaction)
    }
    const more = transactions.length - drawn.length
    if (more > 0) column.dataset['more'] = `+${more}`
    else delete column.dataset['more']
  }

  #dotOf(transaction: Transaction): HTMLElement {
    let dot = this.#dots.get(transaction)
    if (dot === undefined) {
      dot = make('i', { className: 'dot', id: `transaction-${transaction.hash}`, role: 'option' })
      this.#dots.set(transaction, dot)
    }
    return dot
  }

  /** Removes the elements that are no longer visible. */
  #forget(): void {
    const { column, gap, now } = this.#measures
    for (const { blocksBefore, columnsBefore, width, group } of [...this.#shown]) {
      const end = (columnsBefore + width) * column + blocksBefore * gap
      if (this.#camera === undefined || this.#camera - end < now) break
      this.#shown.shift()
      group.remove()
    }
    for (const [transaction, dot] of this.#dots) {
      if (transaction.stage === 'dropped') dot.remove()
      if (!dot.isConnected) this.#dots.delete(transaction)
    }
  }

  /** Marks the selection. */
  #mark(): void {
    const { chosen } = this.#selection
    const target = chosen && (document.getElementById(idOf(chosen)) ?? undefined)
    if (target === this.#target) return
    this.#target?.removeAttribute('aria-selected')
    target?.setAttribute('aria-selected', 'true')
    if (target === undefined) this.#root.removeAttribute('aria-activedescendant')
    else this.#root.setAttribute('aria-activedescendant', target.id)
    this.#target = target
  }

  #click(event: MouseEvent): void {
    const clicked = event.target as Element
    const dot = clicked.closest('.dot')
    const group = clicked.closest('.block')
    const transaction = [...this.#dots].find(([, element]) => element === dot)?.[0]
    const block = this.#shown.find((shown) => shown.group === group)?.block
    if (transaction !== undefined) this.#selection.choose({ kind: 'transaction', transaction })
    else if (block !== undefined) this.#selection.choose({ kind: 'block', block })
  }

  #press(event: KeyboardEvent): void {
    const selection = this.#selection
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => selection.moveToBlock(-1),
      ArrowRight: () => selection.moveToBlock(1),
      ArrowUp: () => selection.moveWithinBlock(1),
      ArrowDown: () => selection.moveWithinBlock(-1),
      Escape: () => selection.choose(),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }

  #measure(): void {
    const style = getComputedStyle(this.#root)
    const length = (name: string) => Number.parseFloat(style.getPropertyValue(name))
    const [column, height] = [length('--column'), length('--tray')]
    this.#measures = {
      column,
      gap: length('--gap'),
      now: (this.#root.clientWidth * length('--now')) / 100,
      // The number of transactions without room is shown above the column.
      room: new Map(
        [2, 3, 4].map((across) => [across, across * Math.floor((height - 24) / (column / across))]),
      ),
    }
  }
}

function idOf(subject: Subject): string {
  return subject.kind === 'block'
    ? `block-${subject.block.number}`
    : `transaction-${subject.transaction.hash}`
}

function describe({ hash, stage, block, sentAt, preconfirmedAt, sealedAt, retracted }: Transaction): string {
  const at =
    preconfirmedAt === undefined ? '' : ` in block ${block} after ${duration(preconfirmedAt - sentAt)}`
  const end = sealedAt === undefined ? '' : `, sealed after ${duration(sealedAt - sentAt)}`
  const before = retracted ? ', retracted before' : ''
  return `Transaction ${short(hash)}: ${preconfirmedAt === undefined ? stage : `pre-confirmed${at}${end}`}${before}`
}
