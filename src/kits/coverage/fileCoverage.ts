/** Coverage in the form of istanbul. */
import type { SourceText } from '../../inspect/solidity/sources.ts'
import type { PartSums } from './codeCounts.ts'
import type { Branch, SourceParts } from './sourceParts.ts'

/** A position: lines count from 1, columns from 0. */
export interface CoveragePosition {
  readonly line: number
  readonly column: number
}

/** A range of a source; its end is not a part of it. */
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

type Bytes = { readonly start: number; readonly end: number }

/** The coverage of a source with an AST. */
export function toFileCoverage(
  path: string,
  text: SourceText,
  parts: SourceParts,
  sums: PartSums,
): FileCoverage {
  const coverage = emptyCoverage(path)
  const toRange = ({ start, end }: Bytes) => rangeOf(text, start, end)
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
    const loc = toRange(branch.range)
    coverage.branchMap[id] = {
      loc,
      type: branch.kind === 'conditional' ? 'cond-expr' : 'if',
      locations: armsOf(branch).map(toRange),
      line: loc.start.line,
    }
    coverage.b[id] = [...sums.branches.subarray(id * 2, id * 2 + 2)]
  }
  return coverage
}

/** The coverage of a source without an AST: of its lines. @param lines - how often each was executed, by its number. */
export function linesToCoverage(
  path: string,
  text: SourceText,
  lines: ReadonlyMap<number, number>,
): FileCoverage {
  const coverage = emptyCoverage(path)
  const all = text.characters.split(/\r\n|\r|\n/)
  for (const [id, [line, count]] of [...lines].sort(([a], [b]) => a - b).entries()) {
    const column = all[line - 1]?.length ?? 0
    coverage.statementMap[id] = { start: { line, column: 0 }, end: { line, column } }
    coverage.s[id] = count
  }
  return coverage
}

/** Both arms of what is written as one are where that is. */
function armsOf(branch: Branch): readonly Bytes[] {
  return branch.kind === 'conditional' ? branch.arms : [branch.range, branch.range]
}

function emptyCoverage(path: string): FileCoverage {
  return { path, statementMap: {}, fnMap: {}, branchMap: {}, s: {}, f: {}, b: {} }
}

function rangeOf(text: SourceText, start: number, end: number): CoverageRange {
  return { start: positionOf(text, start), end: positionOf(text, end) }
}

function positionOf(text: SourceText, offset: number): CoveragePosition {
  const { line, column } = text.positionOf(Math.min(offset, text.characters.length))!
  return { line, column: column - 1 }
}
