/** The gas of contracts and methods in numbers. */
import { cached } from '../../base/collections.ts'
import { loadCrypto } from '../../base/crypto/crypto.ts'
import { readArtifacts } from '../../inspect/explain/artifacts.ts'
import { type Attributed, Attributor, compareTexts, type NamedContract, nameContracts } from './attribute.ts'
import type { GasRecord } from './record.ts'

/** Numbers of transactions, in gas as their receipts state it; `mean` and `median` are rounded to whole numbers. */
export interface GasStatistics {
  /** How many transactions there were. */
  readonly count: number
  readonly min: number
  readonly mean: number
  readonly median: number
  readonly max: number
}

/** A method of a contract. */
export interface GasMethod extends GasStatistics {
  /** Its signature, `receive()` or `fallback()`; its selector if the contract does not have it. */
  readonly signature: string
}

/** The deployments of a contract by transactions of their own. */
export interface GasDeployments extends GasStatistics {
  /** The size of the deployed code in bytes; of several the largest. */
  readonly size: number
}

/** A contract that transactions called or created. */
export interface GasContract {
  /** Its name, with the source if it is ambiguous, and `(via Proxy)` for calls through proxies; without an artifact, its address. */
  readonly name: string
  /** Absent if no recorded transaction created it. */
  readonly deployments?: GasDeployments
  /** In the order of their signatures. */
  readonly methods: readonly GasMethod[]
}

/** The gas of all recorded transactions. */
export interface GasReport {
  /** In the order of their names. */
  readonly contracts: readonly GasContract[]
  /** What could not be read or attributed, as sentences. */
  readonly notes: readonly string[]
}

/** The options of {@link createGasReport}. */
export interface GasReportOptions {
  /**
   * Artifacts by name: with `abi`, and `bytecode` or `deployedBytecode`, as Hardhat, Foundry and viem have them, or build
   * info. An artifact's own name takes precedence. By default none: contracts are then listed by address.
   */
  readonly artifacts?: Readonly<Record<string, unknown>> | undefined
}

/** Computes a report of records in any order. Malformed artifacts, and code that no artifact has, are notes of the report. */
export async function createGasReport(
  records: readonly GasRecord[],
  { artifacts = {} }: GasReportOptions = {},
): Promise<GasReport> {
  const read = readArtifacts(artifacts)
  const notes = [...read.notes]
  const contracts = nameContracts(read.contracts)
  const attributor = new Attributor(contracts, await loadCrypto())
  const attributed = records.flatMap((record) => attributor.attribute(record))
  const toName = createNaming(contracts)
  const inexact = [...attributor.inexact].map((one) => toName(one)).sort(compareTexts)
  for (const name of inexact) notes.push(`the code of ${name} is not exactly that of its artifact`)
  const isUnknown = attributed.some(({ contract }) => contract === undefined)
  if (isUnknown) notes.push('contracts that no artifact has the code of are listed by address')
  return { contracts: summarize(attributed, toName), notes }
}

type Naming = (contract: NamedContract) => string

/** Names a contract by its name alone if no other contract has it. */
function createNaming(contracts: readonly NamedContract[]): Naming {
  const counts = new Map<string, number>()
  for (const { contract } of contracts) counts.set(contract.name, (counts.get(contract.name) ?? 0) + 1)
  return ({ contract, qualifiedName }) => (counts.get(contract.name) === 1 ? contract.name : qualifiedName)
}

interface Group {
  readonly deployments: Attributed[]
  readonly methods: Map<string, Attributed[]>
}

function summarize(attributed: readonly Attributed[], toName: Naming): GasContract[] {
  const groups = new Map<string, Group>()
  for (const one of attributed) {
    const { contract, via, address, method } = one
    const own = contract === undefined ? address : toName(contract)
    const proxies = via.map((proxy) => (typeof proxy === 'string' ? proxy : toName(proxy)))
    const name = proxies.length === 0 ? own : `${own} (via ${proxies.join(', ')})`
    const { deployments, methods } = cached(groups, name, () => ({ deployments: [], methods: new Map() }))
    const samples = method === undefined ? deployments : cached(methods, method, () => [])
    samples.push(one)
  }
  return sorted(groups).map(([name, { deployments, methods }]) => ({
    name,
    ...(deployments.length > 0 && {
      deployments: { ...toStatistics(deployments), size: Math.max(...deployments.map(({ size }) => size)) },
    }),
    methods: sorted(methods).map(([signature, samples]) => ({ signature, ...toStatistics(samples) })),
  }))
}

function sorted<Value>(entries: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => compareTexts(a, b))
}

function toStatistics(samples: readonly Attributed[]): GasStatistics {
  const byGas = [...samples].sort((a, b) => a.gas - b.gas)
  const count = byGas.reduce((sum, sample) => sum + sample.count, 0)
  const total = byGas.reduce((sum, sample) => sum + sample.gas * sample.count, 0)
  /** The gas of the transaction with this index among all, in the order of their gas. */
  const at = (index: number): number => {
    let end = 0
    for (const { gas, count } of byGas) {
      end += count
      if (end > index) return gas
    }
    return 0
  }
  return {
    count,
    min: byGas[0]!.gas,
    mean: Math.round(total / count),
    median: Math.round((at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2),
    max: byGas.at(-1)!.gas,
  }
}

/** Formats a text, as `styleText` of `node:util` does. */
export type TextStyle = (format: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string

/** No colours. */
export const PLAIN: TextStyle = (_format, text) => text

const HEAD = ['Gas of transactions', 'count', 'min', 'mean', 'median', 'max', 'size']

interface Row {
  readonly cells: readonly string[]
  readonly format?: 'bold' | 'cyan'
}

/** A report as a table of deployments and methods. @param style - adds colours, such as `styleText` of `node:util`; by default none. */
export function formatGasReport({ contracts, notes }: GasReport, style: TextStyle = PLAIN): string {
  const rows: readonly Row[] = [{ cells: HEAD, format: 'bold' }, ...contracts.flatMap(toRows)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  const lines = rows.map(({ cells, format }) => {
    const line = align(cells, widths)
    return format === undefined ? line : style(format, line)
  })
  if (contracts.length === 0) lines.push('  no transaction called or created a contract')
  return [...lines, ...notes.map((note) => style('yellow', `note: ${note}`)), ''].join('\n')
}

function toRows({ name, deployments, methods }: GasContract): Row[] {
  return [
    { cells: [name], format: 'cyan' },
    ...(deployments === undefined
      ? []
      : [{ cells: [...toCells('constructor', deployments), `${deployments.size}`] }]),
    ...methods.map((method) => ({ cells: toCells(toShort(method, methods), method) })),
  ]
}

/** The name of a method without the types of its parameters, unless it is overloaded. */
function toShort({ signature }: GasMethod, methods: readonly GasMethod[]): string {
  const nameOf = (one: string): string => one.split('(')[0]!
  const isOverloaded = methods.filter((other) => nameOf(other.signature) === nameOf(signature)).length > 1
  return isOverloaded ? signature : nameOf(signature)
}

function toCells(name: string, { count, min, mean, median, max }: GasStatistics): string[] {
  return [`  ${name}`, ...[count, min, mean, median, max].map(String)]
}

/** The first column to the left, the others to the right. */
function align(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    .join('  ')
    .trimEnd()
}
