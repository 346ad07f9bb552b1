/**
 * The same request to both endpoints, sent again after every event; differences are marked.
 *
 * Owns: the chosen request, and the one in flight.
 */
import type { Provider } from 'preseal'
import { find, make, setText } from '../dom.ts'
import { QUESTIONS, type Question, type Topic } from '../questions.ts'

type Cells = Readonly<Record<string, HTMLElement>>

/** See the file's header. */
export class Panes {
  readonly #lists = ['standard', 'preconf'].map((view) => find(`[data-view=${view}] dl`, HTMLElement))
  readonly #request = find('#request', HTMLElement)
  readonly #verdict = find('#verdict', HTMLElement)
  #providers: readonly Provider[] = []
  #topic: Topic | undefined
  #question: Question = QUESTIONS[0]!
  #cells: readonly Cells[] = []
  #asking = false
  #asked: Promise<void> = Promise.resolve()
  #outdated = false

  constructor() {
    const select = find('#question', HTMLSelectElement)
    select.append(...QUESTIONS.map(({ title }) => make('option', { textContent: title })))
    select.addEventListener('change', () => this.#choose(QUESTIONS[select.selectedIndex]!))
    this.#choose(QUESTIONS[select.selectedIndex]!)
  }

  /** Sets the providers. @param topic - the values for params; read at every request. */
  connect(standard: Provider, preconf: Provider, topic: Topic): void {
    this.#providers = [standard, preconf]
    this.#topic = topic
  }

  /** Sends the request again. While one is in flight, at most one more is scheduled after it. */
  ask(): Promise<void> {
    this.#outdated = true
    if (!this.#asking) this.#asked = this.#askWhileOutdated()
    return this.#asked
  }

  /** Sends no further request; resolves once the one in flight is answered. */
  disconnect(): Promise<void> {
    this.#topic = undefined
    return this.#asked
  }

  async #askWhileOutdated(): Promise<void> {
    this.#asking = true
    try {
      while (this.#outdated && this.#topic !== undefined) {
        this.#outdated = false
        await this.#askBoth(this.#question, this.#topic)
      }
    } finally {
      this.#asking = false
    }
  }

  async #askBoth(question: Question, topic: Topic): Promise<void> {
    const { method } = question
    const params = question.params(topic)
    setText(this.#request, `${method}(${params.map((param) => JSON.stringify(param)).join(', ')})`)
    const answers = await Promise.all(this.#providers.map((provider) => provider.request({ method, params })))
    if (question === this.#question) this.#show(answers)
  }

  #choose(question: Question): void {
    this.#question = question
    this.#cells = this.#lists.map((list) => {
      const cells = Object.keys(question.rows).map((name) => [name, make('dd', {}, '–')] as const)
      list.replaceChildren(
        ...cells.map(([name, cell]) =>
          make('div', { className: 'answer' }, make('dt', { textContent: name }), cell),
        ),
      )
      return Object.fromEntries(cells)
    })
    void this.ask()
  }

  #show(answers: readonly unknown[]): void {
    const { rows } = this.#question
    let different = 0
    for (const [name, read] of Object.entries(rows)) {
      const values = answers.map((answer) => (answer === null ? undefined : read(answer as never)) ?? 'null')
      const differs = values[0] !== values[1]
      if (differs) different += 1
      for (const [i, value] of values.entries()) {
        const cell = this.#cells[i]![name]!
        setText(cell, value)
        cell.parentElement!.toggleAttribute('data-differs', differs)
      }
    }
    this.#verdict.toggleAttribute('data-differs', different > 0)
    setText(this.#verdict, different > 0 ? 'The answers differ.' : 'Both give the same answer.')
  }
}
