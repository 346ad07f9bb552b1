/**
 * Counts how often one code executed each range of its sources. A run is a sequence of instructions of one range. The
 * count of a range is the sum of the counts of its runs' first instructions. A range can have several runs: a modifier
 * has one in each function that uses it, an inlined function one in each caller.
 */

import { getOrInsert } from '../../base/collections.ts'
import type { Contract } from '../../inspect/explain/artifacts.ts'
import {
  decodeSourceMap,
  indexInstructions,
  type Location,
  type SourceFile,
  type Sources,
  sourcesOf,
} from '../../inspect/solidity/sources.ts'
import type { ExecutedCode } from './files.ts'
import type { Branch, FunctionPart, Range, SourceParts, Statement } from './sourceParts.ts'

/** The counts of one range by one code. */
interface RangeCount {
  /** How often the range began. */
  count: number
  /** How often JUMPIs whose location is the whole range were executed; undefined if the code has none. */
  jumps: number | undefined
  fallthroughs: number
  /** The highest count of an instruction whose location is the whole range. */
  entries: number
  /** For a loop: the positions in the code where its runs begin, to which the loop jumps back. */
  readonly starts: number[]
  lastIndex: number
  lastBlock: number
}

/** The counts of a source's ranges by id; ranges without an instruction are absent. */
type FileCounts = ReadonlyMap<number, RangeCount>

const [STOP, JUMP, JUMPI, JUMPDEST, RETURN, REVERT, INVALID, SELFDESTRUCT] = [
  0x00, 0x56, 0x57, 0x5b, 0xf3, 0xfd, 0xfe, 0xff,
] as const
const ENDS: ReadonlySet<number> = new Set([STOP, JUMP, JUMPI, RETURN, REVERT, INVALID, SELFDESTRUCT])

/** A code of a contract, with the source location and the count of each instruction. */
export class CountedCode {
  readonly #sources: Sources
  readonly #code: Uint8Array
  readonly #pcs: number[] = []
  readonly #counts: Float64Array
  readonly #locations: readonly Location[]
  /** Whether executed instructions are beyond the source map's end. */
  readonly isTruncated: boolean

  constructor(
    contract: Contract,
    code: Uint8Array,
    { isCreation, hits }: Pick<ExecutedCode, 'isCreation' | 'hits'>,
  ) {
    this.#sources = sourcesOf(contract)
    this.#code = code
    const indices = indexInstructions(code)
    for (let pc = 0; pc < code.length; pc++) if (indices[pc] !== indices[pc - 1]) this.#pcs.push(pc)
    this.#counts = new Float64Array(this.#pcs.length)
    const compiled = isCreation ? contract.creation : contract.runtime
    this.#locations = decodeSourceMap(compiled?.sourceMap ?? '', this.#pcs.length)
    let isTruncated = false
    for (const [pc, count] of hits) {
      const index = indices[pc]
      if (index === undefined) continue
      this.#counts[index]! += count
      if (index >= this.#locations.length) isTruncated = true
    }
    this.isTruncated = isTruncated
  }

  *instructionsOf(file: SourceFile): Generator<{ readonly location: Location; readonly count: number }> {
    for (const [index, location] of this.#locations.entries()) {
      if (this.#fileOf(location) === file) yield { location, count: this.#counts[index]! }
    }
  }

  /** Returns the files that have instructions in this code. */
  files(): SourceFile[] {
    const files = new Set(this.#locations.map((location) => this.#fileOf(location)))
    return [...files].filter((file) => file !== undefined)
  }

  /** Counts the ranges of a file. @param rangesOf - returns the ranges that contain a location */
  countRanges(file: SourceFile, rangesOf: (location: Location) => readonly Range[]): FileCounts {
    const counts = new Map<number, RangeCount>()
    // Instructions without a source belong to the run around them.
    let [index, block] = [0, 0]
    for (const [at, location] of this.#locations.entries()) {
      const opcode = this.#code[this.#pcs[at]!]!
      if (opcode === JUMPDEST) block++
      const isKnown = location.source >= 0 && this.#sources.byIndex.has(location.source)
      if (isKnown) index++
      if (isKnown && this.#fileOf(location) === file) {
        for (const range of rangesOf(location)) this.#add(counts, range, location, at, index, block)
      }
      if (ENDS.has(opcode)) block++
    }
    return counts
  }

  #add(
    counts: Map<number, RangeCount>,
    { id, start, end, isLoop }: Range,
    location: Location,
    at: number,
    index: number,
    block: number,
  ): void {
    const found = getOrInsert(counts, id, () => ({
      count: 0,
      jumps: undefined,
      fallthroughs: 0,
      entries: 0,
      starts: [],
      lastIndex: -2,
      lastBlock: -1,
    }))
    // Optimised code mixes the instructions of statements within a block.
    const continues = found.lastIndex >= index - 1 || found.lastBlock === block
    if (!continues) {
      found.count += this.#counts[at]!
      if (isLoop) found.starts.push(this.#pcs[at]!)
    } else if (isLoop) found.count -= this.#jumpsTo(found.starts, at)
    found.lastIndex = index
    found.lastBlock = block
    if (location.start !== start || location.start + location.length !== end) return
    found.entries = Math.max(found.entries, this.#counts[at]!)
    if (this.#code[this.#pcs[at]!] === JUMPI) {
      found.jumps = (found.jumps ?? 0) + this.#counts[at]!
      found.fallthroughs += this.#counts[at + 1] ?? 0
    }
  }

  /** Returns how often an instruction jumped to one of the targets. */
  #jumpsTo(targets: readonly number[], at: number): number {
    const opcode = this.#code[this.#pcs[at]!]
    if (opcode !== JUMP && opcode !== JUMPI) return 0
    const pushed = this.#code.subarray(this.#pcs[at - 1]! + 1, this.#pcs[at])
    const target = pushed.reduce((sum, byte) => sum * 256 + byte, 0)
    if (pushed.length === 0 || !targets.includes(target)) return 0
    return this.#counts[at]! - (opcode === JUMPI ? (this.#counts[at + 1] ?? 0) : 0)
  }

  #fileOf({ source }: Location): SourceFile | undefined {
    return this.#sources.byIndex.get(source)
  }
}

/** The counts of the parts of a source, in their order, summed over all codes. */
export class PartSums {
  readonly parts: SourceParts
  readonly statements: Float64Array
  readonly functions: Float64Array
  readonly branches: Float64Array
  /** By statement: 1 if a code has an instruction of it. */
  readonly #isCompiled: Uint8Array
  /** By statement: 1 if it was counted like its neighbours. */
  readonly #isInferred: Uint8Array
  readonly #indices: ReadonlyMap<Statement, number>
  readonly #rangesAt = new Map<string, readonly Range[]>()

  constructor(parts: SourceParts) {
    const { statements, functions, branches } = parts
    this.parts = parts
    this.statements = new Float64Array(statements.length)
    this.functions = new Float64Array(functions.length)
    this.branches = new Float64Array(branches.length * 2)
    this.#isCompiled = new Uint8Array(statements.length)
    this.#isInferred = new Uint8Array(statements.length)
    this.#indices = new Map(statements.map((statement, index) => [statement, index]))
  }

  /** The number of statements that were executed, but have no instruction. */
  get inferred(): number {
    return this.#isInferred.filter((is, index) => is === 1 && this.#isCompiled[index] === 0).length
  }

  /** Adds the counts of a code for a file. @param isViaIr - whether solc compiled it through Yul */
  add(code: CountedCode, file: SourceFile, isViaIr: boolean): void {
    const { functions, branches } = this.parts
    const counts = code.countRanges(file, (location) => this.#rangesOf(location))
    for (const [index, part] of functions.entries()) {
      if (part.statements.some(({ id }) => counts.has(id))) {
        for (const statement of part.statements) this.#addStatement(counts, statement)
      }
      this.functions[index]! += functionCount(counts, part)
    }
    for (const [index, branch] of branches.entries()) {
      const [first, second] = armCounts(counts, branch, isViaIr)
      this.branches[index * 2]! += first
      this.branches[index * 2 + 1]! += second
    }
  }

  /** Returns the ranges that contain a location. */
  #rangesOf({ start, length }: Location): readonly Range[] {
    return getOrInsert(this.#rangesAt, `${start}:${length}`, () =>
      this.parts.ranges.filter((range) => range.start <= start && start + length <= range.end),
    )
  }

  #addStatement(counts: FileCounts, statement: Statement): void {
    const index = this.#indices.get(statement)!
    const count = statementCount(counts, statement)
    this.statements[index]! += count
    if (counts.has(statement.id)) this.#isCompiled[index] = 1
    else if (count > 0) this.#isInferred[index] = 1
  }
}

/**
 * Returns how often a statement was executed. A statement without an instruction, as in optimised code, counts like the
 * next statement that has an instruction; if no next statement has one, like the previous.
 */
function statementCount(counts: FileCounts, statement: Statement): number {
  for (const direction of ['next', 'previous'] as const) {
    for (let at: Statement | undefined = statement; at !== undefined; at = at[direction]) {
      const found = counts.get(at.id)
      if (found !== undefined) return found.count
    }
  }
  return 0
}

/** Counts how often a function's body began, after its modifiers. */
function functionCount(counts: FileCounts, { range, body, statements: [first] }: FunctionPart): number {
  if (first !== undefined) return statementCount(counts, first)
  return counts.get(body.id)?.count || (counts.get(range.id)?.entries ?? 0)
}

/** Returns how often the condition of a branch held, and how often it did not. */
function armCounts(counts: FileCounts, branch: Branch, isViaIr: boolean): [number, number] {
  const { count = 0, jumps, fallthroughs = 0 } = counts.get(branch.range.id) ?? {}
  switch (branch.kind) {
    case 'modifier': {
      // The modifier let the call pass if the function began its body.
      const passed = functionCount(counts, branch.of)
      const entered = Math.max(counts.get(branch.of.range.id)?.entries ?? 0, count)
      return [passed, Math.max(0, entered - passed)]
    }
    case 'require': {
      // The jump skips the code that reverts.
      if (!isViaIr && jumps !== undefined) return [jumps - fallthroughs, fallthroughs]
      const next = branch.statement?.next && counts.get(branch.statement.next.id)
      const met = next === undefined ? count : Math.min(count, next.count)
      return [met, count - met]
    }
    case 'if':
    case 'conditional': {
      const [then, otherwise] = branch.arms
      const decided = jumps ?? counts.get(branch.condition.id)?.count ?? 0
      // Without Yul, the jump leads to the second arm.
      const jumped = isViaIr ? decided - fallthroughs : fallthroughs
      const first = counts.get(then.id)?.count ?? (jumps === undefined ? 0 : jumped)
      const second = otherwise && counts.get(otherwise.id)?.count
      return [first, second ?? Math.max(0, decided - first)]
    }
  }
}
