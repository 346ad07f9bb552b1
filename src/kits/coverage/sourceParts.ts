/** Reads from the AST of a source the parts that coverage counts. */
import { isObject } from '../../base/schema.ts'

/** A range of a source, in bytes. */
export interface Range {
  readonly start: number
  readonly end: number
  /** The index in {@link SourceParts.ranges}. */
  readonly id: number
  /** Whether it is a loop, which jumps back to its beginning. */
  readonly isLoop: boolean
}

/** A statement that coverage counts, such as an `if` or a `return`, but no block. */
export interface Statement extends Range {
  /** The next statement of the same block. */
  next: Statement | undefined
  previous: Statement | undefined
}

/** A function, constructor or modifier with a body. */
export interface FunctionPart {
  readonly name: string
  readonly range: Range
  readonly body: Range
  readonly statements: Statement[]
}

/** A branch; see `codeCounts.ts` for how each kind is counted. */
export type Branch =
  | {
      readonly kind: 'if' | 'conditional'
      readonly range: Range
      readonly condition: Range
      /** The second arm is undefined for an `if` without `else`. */
      readonly arms: readonly [Range, Range | undefined]
    }
  | { readonly kind: 'require'; readonly range: Range; readonly statement: Statement | undefined }
  | { readonly kind: 'modifier'; readonly range: Range; readonly of: FunctionPart }

/** The counted parts of a source. */
export interface SourceParts {
  readonly ranges: readonly Range[]
  readonly statements: readonly Statement[]
  readonly functions: readonly FunctionPart[]
  readonly branches: readonly Branch[]
}

type Node = Readonly<Record<string, unknown>>

const STATEMENTS: ReadonlySet<unknown> = new Set([
  'ExpressionStatement',
  'VariableDeclarationStatement',
  'Return',
  'EmitStatement',
  'RevertStatement',
  'IfStatement',
  'ForStatement',
  'WhileStatement',
  'DoWhileStatement',
  'TryStatement',
  'InlineAssembly',
  'Break',
  'Continue',
])
const LOOPS: ReadonlySet<unknown> = new Set(['ForStatement', 'WhileStatement', 'DoWhileStatement'])
const BLOCKS: ReadonlySet<unknown> = new Set(['Block', 'UncheckedBlock'])

/** How deep nodes may be nested; deeper ones are ignored. No compiler is known to accept so deep a source. */
const MAX_DEPTH = 1_000

/** Reads the parts of a source. @returns undefined if `ast` is no AST of solc 0.5 or newer */
export function readSourceParts(ast: unknown): SourceParts | undefined {
  if (!isObject(ast) || ast['nodeType'] !== 'SourceUnit' || !Array.isArray(ast['nodes'])) return undefined
  const reader = new Reader()
  reader.visit(ast, 0)
  return reader
}

class Reader implements SourceParts {
  readonly ranges: Range[] = []
  readonly statements: Statement[] = []
  readonly functions: FunctionPart[] = []
  readonly branches: Branch[] = []
  #function: FunctionPart | undefined
  #statement: Statement | undefined

  visit(node: Node, depth: number): void {
    if (depth > MAX_DEPTH) return
    const { nodeType, body } = node
    if (nodeType === 'InlineAssembly') return
    if ((nodeType === 'FunctionDefinition' || nodeType === 'ModifierDefinition') && isObject(body)) {
      this.#visitFunction(node, body, depth)
      return
    }
    if (nodeType === 'IfStatement') this.#addChoice(node, 'if', 'Body')
    else if (nodeType === 'Conditional') this.#addChoice(node, 'conditional', 'Expression')
    else if (nodeType === 'FunctionCall') this.#addRequire(node)
    for (const [key, child] of Object.entries(node)) {
      // The parts of a loop's head do not count as statements.
      const isHead = nodeType === 'ForStatement' && key !== 'body'
      this.#visitChildren(child, isHead, depth + 1, BLOCKS.has(nodeType))
    }
  }

  #visitChildren(child: unknown, isHead: boolean, depth: number, isBlock: boolean): void {
    const children: unknown[] = Array.isArray(child) ? child : [child]
    let previous: Statement | undefined
    for (const one of children) {
      if (!isObject(one) || typeof one['nodeType'] !== 'string') continue
      const outer = this.#statement
      const statement = isHead || !STATEMENTS.has(one['nodeType']) ? undefined : this.#addStatement(one)
      if (statement !== undefined) {
        this.#statement = statement
        if (isBlock && previous !== undefined) {
          previous.next = statement
          statement.previous = previous
        }
        previous = statement
      }
      this.visit(one, depth)
      this.#statement = outer
    }
  }

  #visitFunction(node: Node, body: Node, depth: number): void {
    const [range, bodyRange] = [this.#addRange(node), this.#addRange(body)]
    if (range === undefined || bodyRange === undefined) return
    const { name, kind } = node
    const shown = typeof name === 'string' && name !== '' ? name : String(kind ?? 'function')
    const part: FunctionPart = { name: shown, range, body: bodyRange, statements: [] }
    this.functions.push(part)
    this.#function = part
    this.visit(body, depth + 1)
    this.#function = undefined
    this.#addModifiers(node, part)
  }

  #addModifiers({ modifiers, kind }: Node, part: FunctionPart): void {
    // Leaves out constructors, whose modifiers may be base contracts.
    if (!Array.isArray(modifiers) || kind === 'constructor') return
    const ranges = modifiers.map((one) => this.#addRange(one)).filter((range) => range !== undefined)
    for (const range of ranges) this.branches.push({ kind: 'modifier', range, of: part })
  }

  #addStatement(node: Node): Statement | undefined {
    const range = this.#toRange(node)
    if (range === undefined) return undefined
    const statement: Statement = { ...range, next: undefined, previous: undefined }
    this.ranges.push(statement)
    this.statements.push(statement)
    this.#function?.statements.push(statement)
    return statement
  }

  #addChoice(node: Node, kind: 'if' | 'conditional', part: 'Body' | 'Expression'): void {
    const range = this.#addRange(node)
    const condition = this.#addRange(node['condition'])
    const then = this.#addRange(node[`true${part}`])
    const otherwise = this.#addRange(node[`false${part}`])
    if (range === undefined || condition === undefined || then === undefined) return
    if (kind === 'if' || otherwise !== undefined)
      this.branches.push({ kind, range, condition, arms: [then, otherwise] })
  }

  #addRequire(node: Node): void {
    const { expression } = node
    if (!isObject(expression) || expression['nodeType'] !== 'Identifier' || expression['name'] !== 'require')
      return
    const range = this.#addRange(node)
    if (range !== undefined) this.branches.push({ kind: 'require', range, statement: this.#statement })
  }

  #addRange(node: unknown): Range | undefined {
    const range = this.#toRange(node)
    if (range !== undefined) this.ranges.push(range)
    return range
  }

  /** Reads the range of a node, with the id that the next added range gets. */
  #toRange(node: unknown): Range | undefined {
    if (!isObject(node)) return undefined
    const { src, nodeType } = node
    const [, start, length] = (typeof src === 'string' && /^(\d{1,9}):(\d{1,9}):/.exec(src)) || []
    if (start === undefined) return undefined
    const end = Number(start) + Number(length)
    return { start: Number(start), end, id: this.ranges.length, isLoop: LOOPS.has(nodeType) }
  }
}
