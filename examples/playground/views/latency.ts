/** How long transactions took to be pre-confirmed and to be sealed: two distributions on one axis. */
import { find, setText } from '../dom.ts'
import { duration, plural } from '../format.ts'
import type { Story } from '../story.ts'

/** How many of the newest transactions are shown. */
const SAMPLE = 500
/** The width of a bar in milliseconds. */
const BIN = 50
/** The length of the axis in milliseconds; longer times are counted in the last bar. */
const LONGEST = 2400
const BINS = LONGEST / BIN
/** The height of the view box, which is one unit wide per bar. */
const HEIGHT = 40
const SVG = 'http://www.w3.org/2000/svg'

interface Row {
  readonly name: string
  /** The elements with the text of p50 and p95. */
  readonly figures: readonly Element[]
  readonly plot: SVGElement
  readonly bars: readonly SVGElement[]
  /** The marks at p50 and p95. */
  readonly marks: readonly SVGElement[]
}

/** See the file's header. */
export class Latency {
  readonly #story: Story
  readonly #sample = find('#sample', HTMLElement)
  readonly #rows: readonly [Row, Row]

  constructor(story: Story) {
    this.#story = story
    this.#rows = [toRow('preconfirmed'), toRow('sealed')]
  }

  /** Draws the newest transactions. */
  draw(): void {
    const newest = [...this.#story.transactions].slice(-SAMPLE)
    const preconfirmed = newest.flatMap(({ sentAt, preconfirmedAt: at }) => (at ? [at - sentAt] : []))
    const sealed = newest.flatMap(({ sentAt, sealedAt: at }) => (at ? [at - sentAt] : []))
    drawRow(this.#rows[0], preconfirmed)
    drawRow(this.#rows[1], sealed)
    setText(
      this.#sample,
      `The newest ${plural(preconfirmed.length, 'transaction')}, from sending to the event`,
    )
  }
}

/** The row for a stage, with bars added. */
function toRow(stage: string): Row {
  const root = find(`.latency[data-stage=${stage}]`, HTMLElement)
  const plot = find('svg', SVGElement, root)
  const bars = Array.from({ length: BINS }, (_, x) => makeSVG('rect', { x: x + 0.1, width: 0.8 }))
  const marks = [0, 1].map(() => makeSVG('line', { y1: 0, y2: HEIGHT, visibility: 'hidden' }))
  plot.append(...bars, ...marks)
  return {
    name: find('h3', HTMLElement, root).textContent,
    figures: [...root.querySelectorAll('dd')],
    plot,
    bars,
    marks,
  }
}

function drawRow({ name, figures, plot, bars, marks }: Row, values: number[]): void {
  const sorted = values.sort((a, b) => a - b)
  const counts = new Array<number>(BINS).fill(0)
  for (const value of sorted) counts[Math.min(Math.floor(value / BIN), BINS - 1)]! += 1
  const highest = Math.max(...counts, 1)
  for (const [i, bar] of bars.entries()) {
    // A single transaction stays visible.
    const height = counts[i]! === 0 ? 0 : Math.max((counts[i]! / highest) * HEIGHT, 1.5)
    bar.setAttribute('height', `${height}`)
    bar.setAttribute('y', `${HEIGHT - height}`)
  }
  const [half, most] = [percentile(sorted, 50), percentile(sorted, 95)]
  for (const [i, value] of [half, most].entries()) {
    const x = `${Math.min((value ?? 0) / BIN, BINS)}`
    marks[i]!.setAttribute('visibility', value === undefined ? 'hidden' : 'visible')
    marks[i]!.setAttribute('x1', x)
    marks[i]!.setAttribute('x2', x)
    setText(figures[i]!, duration(value))
  }
  const size = plural(values.length, 'transaction')
  plot.ariaLabel = `${name}: ${size}, half within ${duration(half)}, 95 % within ${duration(most)}`
}

function makeSVG(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`)
  return element
}

/** The percentile by the nearest-rank method. */
function percentile(sorted: readonly number[], rank: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)]
}
