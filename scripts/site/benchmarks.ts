/** The benchmarks as plots, one of each row, from the figures of a run. */
import { readFileSync } from 'node:fs'
import type { Report } from '../../bench/report.ts'
import { formatValue, ratioOf } from '../../bench/table.ts'
import { type Page, page, table } from './markdown.ts'

const ENGINES = { preseal: 'preseal', ganache: 'ganache', edr: 'EDR', anvil: 'anvil' } as const
type Engine = keyof typeof ENGINES

type Row = Report['rows'][number]

/** The rows that README and the home page show. */
const SHOWN = [
  'create, first answer, close',
  '1,000 ERC-20 transfers: send, mine',
  'mined when it is sent: one transfer, send to receipt',
  'eth_call balanceOf',
  'snapshot and revert, 50,000 accounts: nothing between',
]

const UNITS = { ms: 'ms', 'ops/s': 'per second', MiB: 'MiB' } as const

/** The page of the benchmarks. */
export function benchmarksPage(): Page {
  const { measured, rows } = readReport()
  const peers = JSON.parse(readFileSync('bench/package.json', 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const versions = [
    `ganache ${peers.dependencies['ganache']}`,
    `EDR ${peers.dependencies['@nomicfoundation/edr']} (Hardhat's engine)`,
    `anvil ${peers.devDependencies['@foundry-rs/anvil']}`,
  ].join(', ')
  return page(
    'internals/benchmarks.md',
    'Benchmarks',
    [
      `\`npm run bench\` compares preseal with ${versions}, each in its own process, in one run, in turns; of three runs the ` +
        'median counts. anvil is called over HTTP on loopback, the others from within their process. `bench/README.md` in the ' +
        'repository describes each row and how it is checked.',
      `These figures are of ${measured.date}, on ${measured.machine}, with Node ${measured.node}. The ratios matter more than ` +
        'the figures: machines are noisy.',
      'A ratio is the factor by which preseal is better: ×2 is twice as many operations in a second, or half the time. – means ' +
        'that an engine does not have the method, or that the row does not apply to it.',
      '## Ratios',
      ratioTable(rows),
      '## Plots',
      ...rows.flatMap((row) => [`### ${row.label}`, plot(row)]),
    ],
    { order: 60 },
  )
}

/** The table of some rows. @throws Error if the figures lack one of them. */
export function speedTable(): string {
  const { rows } = readReport()
  return ratioTable(
    SHOWN.map((label) => {
      const row = rows.find((one) => one.label === label)
      if (row === undefined) throw new Error(`the benchmarks have no row "${label}"`)
      return row
    }),
  )
}

function readReport(): Report {
  return JSON.parse(readFileSync('docs/internals/benchmarks.json', 'utf8')) as Report
}

function ratioTable(rows: readonly Row[]): string {
  return table(
    ['measurement', 'preseal', ...peersOf().map((peer) => `ratio to ${ENGINES[peer]}`)],
    rows.map((row) => [
      row.label,
      `${formatValue(row.values['preseal'])} ${UNITS[row.unit]}`,
      ...peersOf().map((peer) => ratioText(row, peer)),
    ]),
  )
}

const peersOf = (): readonly Engine[] =>
  (Object.keys(ENGINES) as Engine[]).filter((name) => name !== 'preseal')

function ratioText(row: Row, peer: Engine): string {
  // Two digits, as precise as runs on one machine agree.
  const ratio = ratioOf(row, row.values['preseal'], row.values[peer])
  if (ratio === undefined) return '–'
  const rounded = Number(ratio.toPrecision(2))
  return `×${rounded >= 1000 ? rounded.toLocaleString('en') : rounded}`
}

const WIDTH = 420
const LABEL = 76
const VALUE = 120
const BAR = 18
const STEP = 28

/** A bar for each engine; the length is the value, so that the longest is the slowest, or with `ops/s` the fastest. */
function plot(row: Row): string {
  const engines = (Object.keys(ENGINES) as Engine[]).filter((name) => row.values[name] !== undefined)
  const most = Math.max(...engines.map((name) => row.values[name]!))
  const height = engines.length * STEP
  const bars = engines.map((name, at) => {
    const value = row.values[name]!
    const width = Math.max(2, Math.round((value / most) * (WIDTH - LABEL - VALUE)))
    const y = at * STEP + 4
    const fill = name === 'preseal' ? 'var(--vp-c-brand-1)' : 'var(--vp-c-text-3)'
    return [
      `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${ENGINES[name]}</text>`,
      `<rect x="${LABEL}" y="${y}" width="${width}" height="${BAR}" rx="3" style="fill:${fill}"/>`,
      `<text x="${LABEL + width + 8}" y="${y + 13}">${formatValue(value)} ${UNITS[row.unit]}</text>`,
    ].join('')
  })
  const better = row.unit === 'ops/s' ? 'longer is better' : 'shorter is better'
  const spoken = engines.map((name) => `${ENGINES[name]} ${formatValue(row.values[name])}`).join(', ')
  return [
    `<figure class="plot" style="margin:8px 0">`,
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${attribute(`${row.label}, in ${UNITS[row.unit]}: ${spoken}; ${better}`)}" style="width:100%;max-width:${WIDTH + 40}px;font:13px var(--vp-font-family-base);fill:var(--vp-c-text-1)">${bars.join('')}</svg>`,
    `<figcaption style="font-size:13px;color:var(--vp-c-text-2)">${UNITS[row.unit]}, ${better}</figcaption>`,
    '</figure>',
  ].join('\n')
}

/** A text in an attribute. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('`', '')
}
