/** The details of the selected block or transaction. */
import { find, make, setText } from '../dom.ts'
import { count, duration, plural, short, toEther } from '../format.ts'
import type { Selection } from '../selection.ts'
import type { Block, Stage, Transaction } from '../story.ts'

const STAGES: Readonly<Record<Stage, string>> = {
  waiting: 'waiting',
  preconfirmed: 'pre-confirmed',
  sealed: 'sealed',
  dropped: 'dropped',
}

/** Names of addresses. */
export type Names = ReadonlyMap<string, string>

type Rows = readonly (readonly [name: string, value: string])[]

/** See the file's header. */
export class Inspector {
  readonly #selection: Selection
  readonly #names: Names
  readonly #title = find('#inspected', HTMLElement)
  readonly #list = find('#details', HTMLElement)
  readonly #follow = find('#follow', HTMLButtonElement)

  constructor(selection: Selection, names: Names) {
    this.#selection = selection
    this.#names = names
    this.#follow.addEventListener('click', () => selection.choose())
  }

  /** Draws the selection in its current state. */
  draw(): void {
    const { subject, chosen } = this.#selection
    this.#follow.disabled = chosen === undefined
    if (subject === undefined) return
    if (subject.kind === 'block') {
      const { block } = subject
      this.#show(`Block ${block.number}`, block.sealed ? 'sealed' : 'preconfirmed', blockRows(block))
    } else {
      const { transaction } = subject
      const title = `Transaction ${short(transaction.hash)}`
      this.#show(title, transaction.stage, transactionRows(transaction, this.#names))
    }
  }

  #show(title: string, stage: Stage, rows: Rows): void {
    setText(this.#title, title)
    this.#title.dataset['stage'] = stage
    while (this.#list.children.length > rows.length) this.#list.lastElementChild!.remove()
    while (this.#list.children.length < rows.length)
      this.#list.append(make('div', { className: 'detail' }, make('dt'), make('dd')))
    for (const [i, row] of rows.entries()) {
      const [name, value] = this.#list.children[i]!.children
      setText(name!, row[0])
      setText(value!, row[1])
    }
  }
}

function blockRows({ sealed, kept, retracted, preconfIndex, hash, transactions, gasUsed }: Block): Rows {
  const outcome = kept
    ? 'kept: the hash is that of its last preconf block'
    : 'the hash differs from that of its last preconf block'
  return [
    ['status', sealed ? 'sealed' : `being built, preconf block ${preconfIndex}`],
    [
      'pre-confirmation',
      `${sealed ? outcome : 'its transactions stay'}${retracted === 0 ? '' : `; ${retracted} retracted before`}`,
    ],
    ['transactions', count(transactions)],
    ['gas used', count(gasUsed)],
    ['hash', hash],
  ]
}

function transactionRows(transaction: Transaction, names: Names): Rows {
  const { sentAt, preconfirmedAt, sealedAt, block, preconfIndex, position, gasUsed, hash } = transaction
  const place = block === undefined ? '–' : `block ${block}, preconf block ${preconfIndex}, index ${position}`
  const gas = gasUsed === undefined ? '–' : plural(gasUsed, 'unit')
  return [
    ['status', statusOf(transaction)],
    ['what', whatOf(transaction, names)],
    ['pre-confirmed', preconfirmedAt === undefined ? '–' : `after ${duration(preconfirmedAt - sentAt)}`],
    ['sealed', sealedAt === undefined ? '–' : `after ${duration(sealedAt - sentAt)}`],
    ['position', place],
    ['gas used', gas],
    ['hash', hash],
  ]
}

function statusOf({ stage, reverted, retracted }: Transaction): string {
  return `${STAGES[stage]}${reverted ? ', reverted' : ''}${retracted ? ', retracted before' : ''}`
}

function whatOf({ from, to, value, input }: Transaction, names: Names): string {
  const name = (address: string) => names.get(address) ?? short(address)
  if (to === null) return `${name(from)} deploys a token`
  if (input !== '0x') return `${name(from)} transfers a token`
  return `${name(from)} pays ${name(to)} ${toEther(value)} ether`
}
