/** Reports of gas: statistics by contract and method, and their table. */
import { getOrInsert } from '../../base/collections.ts'
import { loadCrypto } from '../../base/crypto/crypto.ts'
import { type Contract, readArtifacts } from '../../inspect/explain/artifacts.ts'
import { type Attributed, Attributor, compareTexts, qualifiedNameOf } from './attribute.ts'
import type { GasRecord } from './record.ts'

/** The gas of transactions, as in their receipts; `mean` and `median` are rounded to whole numbers. */
export interface GasStatistics {
  /** The number of transactions. */
  readonly count: number
  readonly min: number
  readonly mean: number
  readonly median: number
  readonly max: number
}

/** The calls of a contract's method. */
export interface GasMethod extends GasStatistics {
  /** The signature, `receive()` or `fallback()`; the selector if none is known. */
  readonly signature: string
}

/** The deployments of a contract by transactions that create it. */
export interface GasDeployments extends GasStatistics {
  /** The size of the deployed code in bytes; the largest, if they differ. */
  readonly size: number
}

/** A contract that transactions called or created. */
export interface GasContract {
  /** The name, with the source path if ambiguous, or the address. If called through a proxy: `Token (via Proxy)`. */
  readonly name: string
  /** Absent if no recorded transaction created it. */
  readonly deployments?: GasDeployments
  /** Sorted by signature. */
  readonly methods: readonly GasMethod[]
}

/** The gas of all recorded transactions. */
export interface GasReport {
  /** Sorted by name. */
  readonly contracts: readonly GasContract[]
  /** Sentences about artifacts that cannot be read, and about code that cannot be attributed. */
  readonly notes: readonly string[]
}

/** The options of {@link createGasReport}. */
export interface GasReportOptions {
  /**
   * Artifacts by name: with `abi`, and `bytecode` or `deployedBytecode`, as Hardhat, Foundry and viem have them, or
   * build info. A name in the artifact takes precedence over its key. By default none: contracts are then listed by
   * address.
   */
  readonly artifacts?: Readonly<Record<string, unknown>> | undefined
}

/** Computes a report from records in any order. Malformed artifacts, and code without artifact, become notes of the report. */
export async function createGasReport(
  records: readonly GasRecord[],
  { artifacts = {} }: GasReportOptions = {},
): Promise<GasReport> {
  const read = readArtifacts(artifacts)
  const notes = [...read.notes]
  const attributor = new Attributor(read.contracts, await loadCrypto())
  const attributed = records.flatMap((record) => attributor.attribute(record))
  const toName = createNaming(attributor.contracts)
  const inexact = [...attributor.inexact].map((one) => toName(one)).sort(compareTexts)
  for (const name of inexact) notes.push(`the code of ${name} differs from its artifact`)
  const isUnknown = attributed.some(({ contract }) => contract === undefined)
  if (isUnknown) notes.push('contracts that no artifact has the code of are listed by address')
  return { contracts: summarize(attributed, toName), notes }
}

type Naming = (contract: Contract) => string

/** Returns a function that names a contract, without its source path if its name is unique. */
function createNaming(contracts: readonly Contract[]): Naming {
  const counts = new Map<string, number>()
  for (const { name } of contracts) counts.set(name, (counts.get(name) ?? 0) + 1)
  return (contract) => (counts.get(contract.name) === 1 ? contract.name : qualifiedNameOf(contract))
}

function summarize(attributed: readonly Attributed[], toName: Naming): GasContract[] {
  const calls = new Map<string, Map<string, Attributed[]>>()
  const deployments = new Map<string, Attributed[]>()
  for (const one of attributed) {
    const { contract, via, address, method } = one
    const own = contract === undefined ? address : toName(contract)
    const proxies = via.map((proxy) => (typeof proxy === 'string' ? proxy : toName(proxy)))
    const name = proxies.length === 0 ? own : `${own} (via ${proxies.join(', ')})`
    const methods = getOrInsert(calls, name, () => new Map<string, Attributed[]>())
    const [samplesOf, key] = method === undefined ? [deployments, name] : [methods, method]
    getOrInsert(samplesOf, key, () => []).push(one)
  }
  return sorted(calls).map(([name, methods]) => {
    const deployed = deployments.get(name)
    return {
      name,
      ...(deployed && {
        deployments: { ...toStatistics(deployed), size: Math.max(...deployed.map(({ size }) => size)) },
      }),
      methods: sorted(methods).map(([signature, samples]) => ({ signature, ...toStatistics(samples) })),
    }
  })
}

function sorted<Value>(entries: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => compareTexts(a, b))
}

function toStatistics(samples: readonly Attributed[]): GasStatistics {
  const byGas = [...samples].sort((a, b) => a.gas - b.gas)
  const count = byGas.reduce((sum, sample) => sum + sample.count, 0)
  const total = byGas.reduce((sum, sample) => sum + sample.gas * sample.count, 0)
  /** Returns the gas of the transaction at an index of all transactions, sorted by gas. */
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

/** Formats a text, like `styleText` of `node:util`. */
export type TextStyle = (format: 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string

/** Returns the text as it is, for files and output without colours. */
export const PLAIN: TextStyle = (_format, text) => text

const HEAD = ['Gas of transactions', 'count', 'min', 'mean', 'median', 'max', 'size']

interface Row {
  readonly cells: readonly string[]
  readonly format?: 'bold' | 'cyan'
}

/** Formats a report as a table. @param style - adds colours, like `styleText` of `node:util`; by default none */
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

/** Leaves out the types of a method's parameters, unless it is overloaded. */
function toShort({ signature }: GasMethod, methods: readonly GasMethod[]): string {
  const nameOf = (one: string): string => one.split('(')[0]!
  const isOverloaded = methods.filter((other) => nameOf(other.signature) === nameOf(signature)).length > 1
  return isOverloaded ? signature : nameOf(signature)
}

function toCells(name: string, { count, min, mean, median, max }: GasStatistics): string[] {
  return [`  ${name}`, ...[count, min, mean, median, max].map(String)]
}

/** Aligns the first column to the left, the rest to the right. */
function align(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
    .join('  ')
    .trimEnd()
}
