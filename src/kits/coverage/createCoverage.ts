/** Computes the coverage of a project from the executed codes. */

import { hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import { toObject } from '../../base/schema.ts'
import { type Contract, readArtifacts } from '../../inspect/explain/artifacts.ts'
import { Identifier, toBytes } from '../../inspect/explain/identify.ts'
import {
  findDefinition,
  type SourceFile,
  type SourceText,
  settingsOf,
  sourceOf,
  sourcesOf,
} from '../../inspect/solidity/sources.ts'
import { CountedCode, PartSums } from './codeCounts.ts'
import type { ExecutedCode, ExecutedCodes } from './files.ts'
import { type Range, readSourceParts } from './sourceParts.ts'

/** A position: lines count from 1, columns from 0. */
export interface CoveragePosition {
  readonly line: number
  readonly column: number
}

/** A range of a source; the end is exclusive. */
export interface CoverageRange {
  readonly start: CoveragePosition
  readonly end: CoveragePosition
}

/** The coverage of a source, in the form of istanbul's `FileCoverageData`. */
export interface FileCoverage {
  path: string
  statementMap: { [id: string]: CoverageRange }
  fnMap: { [id: string]: { name: string; decl: CoverageRange; loc: CoverageRange; line: number } }
  branchMap: {
    [id: string]: { loc: CoverageRange; type: string; locations: CoverageRange[]; line: number }
  }
  /** Executions by statement. */
  s: { [id: string]: number }
  /** Executions by function. */
  f: { [id: string]: number }
  /** Executions by branch and arm. */
  b: { [id: string]: number[] }
}

/** Coverage by path, in the form of istanbul's `CoverageMapData`. */
export interface CoverageData {
  [path: string]: FileCoverage
}

function toFileCoverage(path: string, text: SourceText, sums: PartSums): FileCoverage {
  const coverage = emptyCoverage(path)
  const { parts } = sums
  const toRange = ({ start, end }: Pick<Range, 'start' | 'end'>): CoverageRange => ({
    start: positionOf(text, start),
    end: positionOf(text, end),
  })
  for (const [id, statement] of parts.statements.entries()) {
    coverage.statementMap[id] = toRange(statement)
    coverage.s[id] = sums.statements[id]!
  }
  for (const [id, { name, range, body }] of parts.functions.entries()) {
    const decl = toRange({ start: range.start, end: body.start })
    coverage.fnMap[id] = { name, decl, loc: toRange(body), line: decl.start.line }
    coverage.f[id] = sums.functions[id]!
  }
  for (const [id, branch] of parts.branches.entries()) {
    const { kind, range } = branch
    const loc = toRange(range)
    // Only a conditional has a range for each arm.
    const arms = kind === 'conditional' ? branch.arms.filter((arm) => arm !== undefined) : [range, range]
    coverage.branchMap[id] = {
      loc,
      type: kind === 'conditional' ? 'cond-expr' : 'if',
      locations: arms.map(toRange),
      line: loc.start.line,
    }
    coverage.b[id] = [...sums.branches.subarray(id * 2, id * 2 + 2)]
  }
  return coverage
}

/** Converts line counts, for a source without an AST. @param lines - executions by line number */
function linesToCoverage(path: string, text: SourceText, lines: ReadonlyMap<number, number>): FileCoverage {
  const coverage = emptyCoverage(path)
  const all = text.characters.split(/\r\n|\r|\n/)
  for (const [id, [line, count]] of [...lines].sort(([a], [b]) => a - b).entries()) {
    const column = all[line - 1]?.length ?? 0
    coverage.statementMap[id] = { start: { line, column: 0 }, end: { line, column } }
    coverage.s[id] = count
  }
  return coverage
}

function emptyCoverage(path: string): FileCoverage {
  return { path, statementMap: {}, fnMap: {}, branchMap: {}, s: {}, f: {}, b: {} }
}

function positionOf(text: SourceText, offset: number): CoveragePosition {
  const { line, column } = text.positionOf(Math.min(offset, text.characters.length))!
  return { line, column: column - 1 }
}

/** The coverage of a project. */
export interface Coverage {
  readonly data: CoverageData
  /** The texts of the sources by path. */
  readonly sources: ReadonlyMap<string, string>
  /** Reasons why the coverage may be incomplete or wrong; at most {@link MAX_NOTES}. */
  readonly notes: readonly string[]
}

const MAX_NOTES = 20

const IR = 'code compiled via IR has fewer locations: its counts are approximate'
const OPTIMIZED_IR = 'optimised code compiled via IR has few locations: its coverage is incomplete'

/**
 * @param buildInfos - of Hardhat or Foundry, or objects with the `input` and `output` of solc; newest first.
 * @param includes - whether to report a source, by path.
 */
export function createCoverage(
  buildInfos: readonly unknown[],
  executed: readonly ExecutedCodes[],
  includes: (path: string) => boolean,
): Coverage {
  const notes = new Set<string>()
  const compilations = buildInfos.map(readCompilation)
  const contracts = compilations.flatMap((one) => one.contracts)
  if (contracts.length === 0) notes.add('the build info has no contracts')
  const files = collectFiles(compilations, includes, notes)
  countCodes(executed, new Identifier(contracts), files, includes, notes)
  const data: CoverageData = {}
  const sources = new Map<string, string>()
  for (const [path, file] of files) {
    const coverage = file.toCoverage()
    // Leaves out interfaces, and sources that only import.
    if (Object.keys(coverage.s).length + Object.keys(coverage.f).length === 0) continue
    data[path] = coverage
    sources.set(path, file.source.content!)
    const inferred = file.sums?.inferred ?? 0
    if (inferred > 0)
      notes.add(`${path}: statements without an instruction, counted like their neighbours: ${inferred}`)
  }
  const shown = [...notes]
  const more = shown.length - MAX_NOTES
  if (more > 0) shown.splice(MAX_NOTES - 1, more + 1, `and ${more + 1} more notes`)
  return { data, sources, notes: shown }
}

type Files = ReadonlyMap<string, ReportedFile>

/** Collects the reported sources of all compilations by path, with their parts or executable lines. */
function collectFiles(
  compilations: readonly ReturnType<typeof readCompilation>[],
  includes: (path: string) => boolean,
  notes: Set<string>,
): Files {
  const files = new Map<string, ReportedFile>()
  const add = (source: SourceFile, ast: unknown, contracts: readonly Contract[]): void => {
    const { path, text } = source
    const known = files.get(path)
    if (known !== undefined) {
      if (text?.characters === known.source.text?.characters) known.versions.add(source)
      else notes.add(`${path}: build infos have different texts of it; one is used`)
      return
    }
    if (text === undefined) {
      notes.add(`${path}: left out, since the build info does not have its text`)
      return
    }
    const file = new ReportedFile(source, ast)
    files.set(path, file)
    if (file.sums !== undefined) return
    notes.add(`${path}: only its lines are counted, since the build info has no AST`)
    // A line is executable if any code of the compilation has an instruction of it.
    for (const contract of contracts) file.addLinesOf(contract)
  }
  for (const { contracts, asts, isViaIr, isOptimized } of compilations) {
    for (const [source, ast] of asts) if (includes(source.path)) add(source, ast, contracts)
    if (isViaIr) notes.add(isOptimized ? OPTIMIZED_IR : IR)
  }
  return files
}

/** Adds the counts of executed codes to the files. */
function countCodes(
  executed: readonly ExecutedCodes[],
  identifier: Identifier,
  files: Files,
  includes: (path: string) => boolean,
  notes: Set<string>,
): void {
  let unknown = 0
  for (const one of mergeCodes(executed)) {
    const code = hexToBytes(one.code)
    const found = one.isCreation ? identifier.creation(code) : identifier.runtime(code, one.code)
    if (found === undefined) {
      unknown++
      continue
    }
    const { contract, isExact } = found
    const path = sourceOf(contract)?.path ?? ''
    const title = `${path}: ${contract.name}`
    const counted = new CountedCode(contract, code, one)
    if (!isExact && includes(path))
      notes.add(`${title}: the metadata of the executed code differ from the compiled one's`)
    if (counted.isTruncated) notes.add(`${title}: its source map is shorter than its code, or malformed`)
    const isViaIr = settingsOf(contract)?.isViaIr === true
    for (const source of counted.files()) {
      const file = files.get(source.path)
      if (file?.versions.has(source)) file.add(counted, source, isViaIr)
    }
  }
  if (unknown > 0) notes.add(`codes that were executed, but that no build info has: ${unknown}`)
  const omitted = executed.reduce((sum, one) => sum + one.omitted, 0)
  if (omitted > 0) notes.add(`frames that were not counted, as there were too many codes: ${omitted}`)
}

class ReportedFile {
  readonly source: SourceFile
  /** The same source in each compilation. */
  readonly versions: Set<SourceFile>
  /** Undefined without an AST. */
  readonly sums: PartSums | undefined
  readonly #lines = new Map<number, number>()

  constructor(source: SourceFile, ast: unknown) {
    this.source = source
    this.versions = new Set([source])
    const parts = readSourceParts(ast)
    this.sums = parts && new PartSums(parts)
  }

  add(code: CountedCode, source: SourceFile, isViaIr: boolean): void {
    if (this.sums === undefined) this.#addLines(code, source)
    else this.sums.add(code, source, isViaIr)
  }

  addLinesOf(contract: Contract): void {
    for (const kind of ['creation', 'runtime'] as const) {
      const compiled = contract[kind]
      if (compiled === undefined) continue
      const unexecuted = { isCreation: kind === 'creation', hits: [] }
      this.#addLines(new CountedCode(contract, toBytes(compiled.object), unexecuted), this.source)
    }
  }

  toCoverage(): FileCoverage {
    const { path, text } = this.source
    return this.sums === undefined
      ? linesToCoverage(path, text!, this.#lines)
      : toFileCoverage(path, text!, this.sums)
  }

  #addLines(code: CountedCode, source: SourceFile): void {
    const { text, outline } = this.source
    const most = new Map<number, number>()
    for (const { location, count } of code.instructionsOf(source)) {
      const { start, length } = location
      const definition = findDefinition(outline!, start, length)
      if (definition === undefined || start <= definition.start) continue
      const line = text!.positionOf(start)?.line
      if (line !== undefined) most.set(line, Math.max(most.get(line) ?? 0, count))
    }
    for (const [line, count] of most) this.#lines.set(line, (this.#lines.get(line) ?? 0) + count)
  }
}

function mergeCodes(executed: readonly ExecutedCodes[]): ExecutedCode[] {
  const merged = new Map<string, { readonly code: ExecutedCode; readonly hits: Map<number, number> }>()
  for (const code of executed.flatMap(({ codes }) => codes)) {
    const key = `${code.isCreation} ${code.code}`
    const { hits } = getOrInsert(merged, key, () => ({ code, hits: new Map<number, number>() }))
    for (const [pc, count] of code.hits) hits.set(pc, (hits.get(pc) ?? 0) + count)
  }
  return [...merged.values()].map(({ code, hits }) => ({ ...code, hits: [...hits] }))
}

/** Reads a build info; leaves out missing and malformed parts. */
function readCompilation(info: unknown) {
  const build = toObject(info)
  // Leaves out contracts without build info, which have no sources.
  const contracts = readArtifacts([build]).contracts.filter((one) => one.build === build)
  const compiled = toObject(toObject(build['output'])['sources'])
  const asts = new Map<SourceFile, unknown>()
  const sources = contracts[0] && sourcesOf(contracts[0])
  for (const [name, file] of sources?.byName ?? []) asts.set(file, toObject(compiled[name])['ast'])
  return { contracts, asts, ...settingsOf({ build }) }
}
