/** The call tree of the selected transaction, if it reverted. */
import type { RemoteChain } from 'preseal/worker'
import { Token } from '../../contracts/token.ts'
import { find, make, setText } from '../dom.ts'
import { short } from '../format.ts'
import type { Selection } from '../selection.ts'
import type { Transaction } from '../story.ts'

/** The contracts whose names, arguments and errors are decoded. */
const ARTIFACTS = { Token }

/** See the file's header. */
export class CallTree {
  readonly #selection: Selection
  readonly #explain: RemoteChain['explain']
  readonly #section = find('#tree', HTMLElement)
  readonly #title = find('#tree-title', HTMLElement)
  readonly #tree = find('#tree-frames', HTMLElement)
  /** The transaction whose tree is shown or being made. */
  #shown: Transaction | undefined

  constructor(selection: Selection, { explain }: Pick<RemoteChain, 'explain'>) {
    this.#selection = selection
    this.#explain = explain
    this.#tree.addEventListener('keydown', moveBetweenFrames)
  }

  /** Shows or hides the tree. @throws the errors of `chain.explain`. */
  async draw(): Promise<void> {
    const { subject } = this.#selection
    const failed =
      subject?.kind === 'transaction' && subject.transaction.reverted ? subject.transaction : undefined
    if (failed === this.#shown) return
    this.#shown = failed
    this.#section.hidden = failed === undefined
    if (failed === undefined) return
    setText(this.#title, `Why ${short(failed.hash)} failed`)
    this.#tree.replaceChildren(make('p', { className: 'note', textContent: 'Executing it again…' }))
    const [{ explanationToHtml }, explanation] = await Promise.all([
      import('preseal/explain'),
      this.#explain(failed.hash, { artifacts: ARTIFACTS }),
    ])
    // The selection may have changed meanwhile.
    if (this.#shown !== failed) return
    // This page's policy forbids the style and the script of the explanation's page, so only its tree and notes are parsed.
    const html = explanationToHtml(explanation)
    const main = html.slice(html.indexOf('<main>'), html.indexOf('</main>'))
    this.#tree.replaceChildren(
      ...find('main', HTMLElement, new DOMParser().parseFromString(main, 'text/html')).children,
    )
  }
}

/** Up and down move between the frames, left closes one or goes to its caller, right opens one or goes into it. */
function moveBetweenFrames(event: KeyboardEvent): void {
  const { target, key, altKey, ctrlKey, metaKey } = event
  if (!(target instanceof HTMLElement) || target.tagName !== 'SUMMARY') return
  if (altKey || ctrlKey || metaKey) return
  const tree = event.currentTarget as HTMLElement
  const frame = target.parentElement as HTMLDetailsElement
  const shown = [...tree.querySelectorAll('summary')].filter((summary) => summary.checkVisibility())
  const at = shown.indexOf(target)
  const moves: Readonly<Record<string, () => HTMLElement | null | undefined>> = {
    ArrowDown: () => shown[at + 1],
    ArrowUp: () => shown[at - 1],
    ArrowRight: () => (frame.open ? frame.querySelector<HTMLElement>('details > summary') : open(true)),
    ArrowLeft: () =>
      frame.open ? open(false) : frame.parentElement?.closest('details')?.querySelector('summary'),
  }
  const move = moves[key]
  if (move === undefined) return
  event.preventDefault()
  move()?.focus()

  function open(isOpen: boolean): undefined {
    frame.open = isOpen
  }
}
