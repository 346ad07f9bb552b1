/** How often the statements, functions and branches of a source were executed by one code. */
import type { FileCounts } from './codeCounts.ts'
import type { Branch, FunctionPart, Range, SourceParts, Statement } from './sourceParts.ts'

/** The sums over all codes, in the order of the parts. */
export class PartSums {
  readonly statements: Float64Array
  readonly functions: Float64Array
  readonly branches: Float64Array
  /** Whether a code has an instruction of a statement. */
  readonly #isCompiled: Uint8Array
  /** Whether a statement was counted as its neighbours were. */
  readonly #isInferred: Uint8Array
  readonly #parts: SourceParts
  readonly #indices: ReadonlyMap<Statement, number>

  constructor(parts: SourceParts) {
    const { statements, functions, branches } = parts
    this.#parts = parts
    this.statements = new Float64Array(statements.length)
    this.functions = new Float64Array(functions.length)
    this.branches = new Float64Array(branches.length * 2)
    this.#isCompiled = new Uint8Array(statements.length)
    this.#isInferred = new Uint8Array(statements.length)
    this.#indices = new Map(statements.map((statement, index) => [statement, index]))
  }

  /** The statements that were executed by no instruction of their own. */
  get inferred(): number {
    return this.#isInferred.filter((is, index) => is === 1 && this.#isCompiled[index] === 0).length
  }

  /** Adds the counts of a code. @param isViaIr - whether it was compiled by the intermediate language. */
  add(counts: FileCounts, isViaIr: boolean): void {
    const { functions, branches } = this.#parts
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

  #addStatement(counts: FileCounts, statement: Statement): void {
    const index = this.#indices.get(statement)!
    const count = statementCount(counts, statement)
    this.statements[index]! += count
    if (counts.has(statement.id)) this.#isCompiled[index] = 1
    else if (count > 0) this.#isInferred[index] = 1
  }
}

/** Optimised code may have no instruction of a statement: it was executed if those beside it were. */
function statementCount(counts: FileCounts, statement: Statement): number {
  for (let at: Statement | undefined = statement; at !== undefined; at = at.next) {
    const found = counts.get(at.id)
    if (found !== undefined) return found.count
  }
  for (let at = statement.previous; at !== undefined; at = at.previous) {
    const found = counts.get(at.id)
    if (found !== undefined) return found.count
  }
  return 0
}

/** How often the body of a function began, after its modifiers. */
function functionCount(counts: FileCounts, { range, body, first }: FunctionPart): number {
  if (first !== undefined) return statementCount(counts, first)
  return counts.get(body.id)?.count || (counts.get(range.id)?.entries ?? 0)
}

function armCounts(counts: FileCounts, branch: Branch, isViaIr: boolean): [number, number] {
  switch (branch.kind) {
    case 'if':
    case 'conditional':
      return chosenCounts(counts, branch, isViaIr)
    case 'require':
      return requireCounts(counts, branch, isViaIr)
    case 'modifier':
      return modifierCounts(counts, branch.range, branch.of)
  }
}

type Chosen = Extract<Branch, { readonly kind: 'if' | 'conditional' }>

/** How often the condition was true, and how often it was false. */
function chosenCounts(
  counts: FileCounts,
  { range, condition, arms }: Chosen,
  isViaIr: boolean,
): [number, number] {
  const whole = counts.get(range.id)
  const decided = whole?.jumps ?? counts.get(condition.id)?.count ?? 0
  const taken = decided - (whole?.fallthroughs ?? 0)
  // Without the intermediate language, the jump is to the second arm.
  const first =
    counts.get(arms[0].id)?.count ?? (whole?.jumps === undefined ? 0 : isViaIr ? taken : decided - taken)
  const second = arms[1] && counts.get(arms[1].id)?.count
  return [first, second ?? Math.max(0, decided - first)]
}

type Require = Extract<Branch, { readonly kind: 'require' }>

/** How often a requirement was met, and how often it was not. */
function requireCounts(
  counts: FileCounts,
  { range, statement }: Require,
  isViaIr: boolean,
): [number, number] {
  const { count = 0, jumps, fallthroughs = 0 } = counts.get(range.id) ?? {}
  // Its jump is over the code that reverts.
  if (!isViaIr && jumps !== undefined) return [jumps - fallthroughs, fallthroughs]
  const next = statement?.next && counts.get(statement.next.id)
  const met = next === undefined ? count : Math.min(count, next.count)
  return [met, count - met]
}

/** How often a function with this modifier began its body, and how often it did not. */
function modifierCounts(counts: FileCounts, modifier: Range, part: FunctionPart): [number, number] {
  const passed = functionCount(counts, part)
  const entered = Math.max(counts.get(part.range.id)?.entries ?? 0, counts.get(modifier.id)?.count ?? 0)
  return [passed, Math.max(0, entered - passed)]
}
