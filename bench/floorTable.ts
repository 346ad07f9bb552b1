/** The table of `bench/floors.ts`: medians, quartiles, and which floors are missed. */
import { quantile } from './measure.ts'
import type { Floor } from './rows/floors.ts'
import type { Row } from './rows/row.ts'
import { alignColumns, formatValue } from './table.ts'

/** The engines of the table, in the order of its columns. */
export const ENGINES = ['preseal', 'edr', 'anvil'] as const
export type EngineName = (typeof ENGINES)[number]

const NAMES: Readonly<Record<EngineName, string>> = { preseal: 'preseal', edr: 'EDR', anvil: 'anvil' }

/** One line of the table: a row, measured on all cores or on one. */
export interface FloorLine {
  readonly label: string
  readonly unit: Row['unit'] | 'kB'
  /** Whether the processes were pinned to one core; undefined if that makes no difference. */
  readonly pinned?: boolean
  readonly floor: Floor
  /** The value of each run; undefined if the run failed, or the engine does not have what is measured. */
  readonly values: Readonly<Partial<Record<EngineName, readonly (number | undefined)[]>>>
  /** Where the time goes, printed if the floor is missed. */
  readonly spent?: string | undefined
}

/** Medians with the quartiles in brackets. */
export function formatFloors(lines: readonly FloorLine[]): string {
  const head = ['', 'cores', 'unit', ...ENGINES.map((engine) => NAMES[engine]), 'ratio', 'floor', '']
  const body = lines.map((line) => [
    line.label,
    coresOf(line) ?? '–',
    line.unit,
    ...ENGINES.map((engine) =>
      formatSpread(line.values[engine]?.filter((value) => value !== undefined) ?? []),
    ),
    'of' in line.floor ? formatSpread(judgedValues(line)) : '–',
    formatFloor(line),
    judge(line),
  ])
  return alignColumns([head, ...body])
}

/** The lines that miss their floor, with an explanation if there is one. */
export function missedFloors(lines: readonly FloorLine[]): string[] {
  return lines
    .filter((line) => judge(line) === 'missed')
    .map((line) => {
      const cores = coresOf(line)
      const label = cores === undefined ? line.label : `${line.label} (cores: ${cores})`
      const found = `${label}: ${formatValue(worseQuartile(line))}, floor ${formatFloor(line)}`
      return line.spent === undefined ? found : `${found}; ${line.spent}`
    })
}

/**
 * By the quartile on the worse side: of the ratios, or of preseal's values if the floor is not relative to a peer.
 * A line is only judged if every run gave what the floor is compared with.
 */
function judge(line: FloorLine): 'met' | 'missed' | 'not measured' {
  const judged = judgedValues(line).length
  if (judged === 0 || judged < (line.values.preseal?.length ?? 0)) return 'not measured'
  const worse = worseQuartile(line)
  const holds = isLowerBound(line.floor) ? worse >= boundOf(line) : worse <= boundOf(line)
  return holds ? 'met' : 'missed'
}

function coresOf({ pinned }: FloorLine): 'all' | 'one' | undefined {
  if (pinned === undefined) return undefined
  return pinned ? 'one' : 'all'
}

function worseQuartile(line: FloorLine): number {
  return quantile(judgedValues(line), isLowerBound(line.floor) ? 0.25 : 0.75)
}

/** What the floor is compared with: the ratio of each run, or its value. */
function judgedValues({ floor, unit, values }: FloorLine): number[] {
  const ours = values.preseal ?? []
  return ours.flatMap((value, run) => {
    if (value === undefined) return []
    if (!('of' in floor)) return [value]
    const peer = values[floor.of]?.[run]
    // A ratio to nothing has no meaning: an engine's memory may have shrunk.
    if (peer === undefined || peer <= 0) return []
    const isSpeed = unit === 'ops/s'
    return [isSpeed === isLowerBound(floor) ? value / peer : peer / value]
  })
}

function isLowerBound(floor: Floor): boolean {
  return 'atLeast' in floor
}

function boundOf({ floor, pinned }: FloorLine): number {
  if ('limit' in floor) return floor.limit
  if ('atMost' in floor) return floor.atMost
  return pinned ? floor.atLeast : (floor.unpinned ?? floor.atLeast)
}

function formatFloor(line: FloorLine): string {
  const { floor, unit } = line
  const bound = `${isLowerBound(floor) ? '≥' : '≤'} ${boundOf(line)}`
  return 'of' in floor ? `${bound} × ${NAMES[floor.of]}` : `${bound} ${unit}`
}

function formatSpread(values: readonly number[]): string {
  if (values.length === 0) return '–'
  const [lower, middle, upper] = [0.25, 0.5, 0.75].map((fraction) => formatValue(quantile(values, fraction)))
  return values.length === 1 ? `${middle}` : `${middle} (${lower}–${upper})`
}
