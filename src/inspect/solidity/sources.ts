/** Reads sources, source maps and settings from build info. */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { toObject } from '../../base/schema.ts'
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'
import { methodsOf } from '../explain/abi.ts'
import type { AbiEntry, AbiParameter, Contract } from '../explain/artifacts.ts'

/** A source file, whose text and outline are read when needed. */
export class SourceFile {
  /** The path in stack traces. */
  readonly path: string
  /** The text; undefined if the build info lacks it. */
  readonly content: string | undefined
  #text: SourceText | undefined
  #outline: Outline | undefined

  constructor(path: string, content: string | undefined) {
    this.path = path
    this.content = content
  }

  get text(): SourceText | undefined {
    if (this.content !== undefined) this.#text ??= new SourceText(this.content)
    return this.#text
  }

  get outline(): Outline | undefined {
    const { text } = this
    if (text !== undefined) this.#outline ??= readOutline(text.characters)
    return this.#outline
  }
}

/** The sources of one compilation. */
export interface Sources {
  /** By index in source maps. */
  readonly byIndex: ReadonlyMap<number, SourceFile>
  /** By the compiler's name. */
  readonly byName: ReadonlyMap<string, SourceFile>
}

type Build = NonNullable<Contract['build']>

const known = new WeakMap<Build, Sources>()
const NONE: Sources = { byIndex: new Map(), byName: new Map() }

/** Returns the sources of a contract's compilation; empty without build info. */
export function sourcesOf({ build }: Contract): Sources {
  if (build === undefined) return NONE
  return getOrInsert(known, build, readSources)
}

/** Returns the source of a contract; undefined if its build info lacks it. */
export function sourceOf(contract: Contract): SourceFile | undefined {
  return sourcesOf(contract).byName.get(contract.source ?? '')
}

function readSources(build: Build): Sources {
  const { input, output, userSourceNameMap } = build
  const { sources: given } = toObject(input)
  const { sources: compiled } = toObject(output)
  const contents = toObject(given)
  const names = new Map(Object.entries(toObject(userSourceNameMap)).map(([user, name]) => [name, user]))
  const byIndex = new Map<number, SourceFile>()
  const byName = new Map<string, SourceFile>()
  for (const [name, source] of Object.entries(toObject(compiled))) {
    const { content } = toObject(contents[name])
    const { id } = toObject(source)
    const path = toPath(names.get(name) ?? name)
    const file = new SourceFile(path, typeof content === 'string' ? content : undefined)
    byName.set(name, file)
    if (Number.isSafeInteger(id)) byIndex.set(id as number, file)
  }
  return { byIndex, byName }
}

/** Returns the compiler settings of a contract; undefined if its build info lacks them. */
export function settingsOf({ build }: Pick<Contract, 'build'>) {
  const { settings } = toObject(build?.['input'])
  if (settings === undefined) return undefined
  const { viaIR, optimizer } = toObject(settings)
  return { isViaIr: viaIR === true, isOptimized: toObject(optimizer)['enabled'] === true }
}

/** Removes what Hardhat 3 adds: `project/`, `npm/` and the versions of packages. */
function toPath(name: string): string {
  return name.replace(/^project\//, '').replace(/^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]+\//, '$1/')
}

/** How many arguments every host accepts in a call. */
const BATCH = 4096

const [LF, CR] = [0x0a, 0x0d] as const

/** A source text, addressed by bytes. */
export class SourceText {
  /** One character per byte. */
  readonly characters: string
  readonly #bytes: Uint8Array
  readonly #lines: number[] = [0]

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text)
    // In most sources, each character is one byte.
    this.characters = this.#bytes.length === text.length ? text : toCharacters(this.#bytes)
    for (let at = 0; at < this.#bytes.length; at++) {
      const isEnd = this.#bytes[at] === LF || (this.#bytes[at] === CR && this.#bytes[at + 1] !== LF)
      if (isEnd) this.#lines.push(at + 1)
    }
  }

  /** Returns the position of a byte, as editors count: from 1, columns in UTF-16 units; undefined beyond the text. */
  positionOf(offset: number): { readonly line: number; readonly column: number } | undefined {
    if (offset < 0 || offset > this.#bytes.length) return undefined
    const line = countUpTo(this.#lines.length, (i) => this.#lines[i]! <= offset)
    const before = new TextDecoder().decode(this.#bytes.subarray(this.#lines[line - 1]!, offset))
    return { line, column: before.length + 1 }
  }
}

function toCharacters(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += BATCH) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + BATCH)))
  }
  return parts.join('')
}

/** Solc's source maps: a location per instruction. */

/** Whether a jump enters or leaves a function. */
export type Jump = 'in' | 'out' | undefined

/** The location of an instruction. */
export interface Location {
  /** The index of the source; -1 for none. */
  readonly source: number
  /** In bytes of UTF-8. */
  readonly start: number
  readonly length: number
  readonly jump: Jump
}

const JUMPS: Readonly<Record<string, Jump>> = { i: 'in', o: 'out' }

/** Decodes a compressed map to locations by index of the instruction, up to the first malformed entry. */
export function decodeSourceMap(map: string, instructions: number): Location[] {
  const locations: Location[] = []
  let last: Location = { source: -1, start: 0, length: 0, jump: undefined }
  // An empty entry, also at the end, equals the previous one.
  for (let at = 0; map !== '' && at <= map.length && locations.length < instructions; ) {
    const next = map.indexOf(';', at)
    const end = next === -1 ? map.length : next
    if (end > at) {
      const [start, length, source, jump] = map.slice(at, Math.min(end, at + 100)).split(':')
      last = {
        start: readNumber(start, last.start),
        length: readNumber(length, last.length),
        source: readNumber(source, last.source),
        jump: jump === undefined || jump === '' ? last.jump : JUMPS[jump],
      }
      if (!Number.isSafeInteger(last.start + last.length + last.source)) return locations
    }
    locations.push(last)
    at = end + 1
  }
  return locations
}

/** Returns `before` if the text is absent or empty, NaN if it is not an integer. */
function readNumber(text: string | undefined, before: number): number {
  if (text === undefined || text === '') return before
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

const [PUSH1, PUSH32] = [0x60, 0x7f] as const

/** Returns the instruction index at each position of a code. Pushed bytes have the index of their PUSH. */
export function indexInstructions(code: Uint8Array): Int32Array {
  const indices = new Int32Array(code.length)
  let index = 0
  for (let pc = 0; pc < code.length; index++) {
    const opcode = code[pc]!
    const size = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1
    indices.fill(index, pc, pc + size)
    pc += size
  }
  return indices
}

/** Finds functions in the text, since build info may lack an AST: skips comments and strings, matches braces. */

/** A definition that contains code. */
export interface Definition {
  readonly kind: 'function' | 'modifier' | 'constructor' | 'fallback' | 'receive' | 'variable'
  readonly name: string
  /** Undefined for a free function. */
  readonly contract: string | undefined
  /** In bytes, like `end`. */
  readonly start: number
  readonly end: number
}

/** A contract, an interface or a library. */
export interface ContractRange {
  readonly name: string
  readonly isLibrary: boolean
  readonly start: number
  readonly end: number
}

/** The definitions of a source, in order. */
export interface Outline {
  readonly definitions: readonly Definition[]
  readonly contracts: readonly ContractRange[]
  /** The text with spaces in place of comments and strings. */
  readonly code: string
}

/** Matches comments and strings; the last one may be unterminated. */
const SKIPPED = /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n\r]|\\[\s\S])*"?|'(?:[^'\\\n\r]|\\[\s\S])*'?/g

const NAME = '[\\w$]+'
const CONTRACT = new RegExp(`^(?:abstract\\s+)?(contract|interface|library)\\s+(${NAME})`)
const FUNCTION = new RegExp(`^(function|modifier)\\s+(${NAME})`)
const SPECIAL = /^(constructor|fallback|receive|function)\s*\(/
const NO_VARIABLE = /^(?:event|error|using|type|struct|enum|function|modifier|constructor|import|pragma)\b/
const VARIABLE = new RegExp(`(${NAME})\\s*(?:=(?!>)[\\s\\S]*)?$`)

/** Reads the outline of a source. @param text - one character per byte. */
export function readOutline(text: string): Outline {
  const code = text.replace(SKIPPED, (skipped) => ' '.repeat(skipped.length))
  const closes = matchBraces(code)
  const definitions: Definition[] = []
  const contracts: ContractRange[] = []
  let contract: ContractRange | undefined
  const ends = /[{};]/g
  for (let at = 0; ; ) {
    ends.lastIndex = at
    const end = ends.exec(code)
    if (end === null) return { definitions, contracts, code }
    const head = code.slice(at, end.index)
    const start = at + (head.length - head.trimStart().length)
    at = end.index + 1
    if (end[0] === '}') {
      contract = undefined
      continue
    }
    const words = head.trim()
    const opens = end[0] === '{'
    const close = opens ? (closes.get(end.index) ?? code.length) : end.index
    const found = opens ? CONTRACT.exec(words) : null
    if (found !== null) {
      contract = { name: found[2]!, isLibrary: found[1] === 'library', start, end: close }
      contracts.push(contract)
      continue
    }
    const read = opens ? readDefinition(words) : contract && readVariable(words)
    if (read !== undefined) definitions.push({ ...read, contract: contract?.name, start, end: close })
    if (opens) at = close + 1
  }
}

function readDefinition(words: string): Pick<Definition, 'kind' | 'name'> | undefined {
  const [, kind, name] = FUNCTION.exec(words) ?? []
  if (name !== undefined) return { kind: kind as 'function' | 'modifier', name }
  const [, special] = SPECIAL.exec(words) ?? []
  if (special === undefined) return undefined
  // Before Solidity 0.6 the fallback function has no name.
  const named = special === 'function' ? 'fallback' : special
  return { kind: named as 'fallback', name: named }
}

function readVariable(words: string): Pick<Definition, 'kind' | 'name'> | undefined {
  if (NO_VARIABLE.test(words)) return undefined
  const [, name] = VARIABLE.exec(words) ?? []
  return name === undefined ? undefined : { kind: 'variable', name }
}

function matchBraces(code: string): Map<number, number> {
  const closes = new Map<number, number>()
  const open: number[] = []
  for (const { index, 0: brace } of code.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index)
    else if (open.length > 0) closes.set(open.pop()!, index)
  }
  return closes
}

/** Returns the definition that contains a range; undefined if there is none. */
export function findDefinition(outline: Outline, start: number, length: number): Definition | undefined {
  const { definitions } = outline
  const found = definitions[countUpTo(definitions.length, (i) => definitions[i]!.start <= start) - 1]
  return found !== undefined && start + length <= found.end + 1 ? found : undefined
}

/** Returns the first index that does not fulfil a condition, or `length`. The condition must hold for all before it. */
function countUpTo(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns whether a range is a `require`, a `revert`, or a part of a `revert`. If these fail, no call follows. */
export function isThrown({ code }: Outline, start: number, length: number): boolean {
  if (/^(?:require|revert)\b/.test(code.slice(start, start + length))) return true
  const before = code.slice(Math.max(0, start - MAX_STATEMENT), start)
  const statement = before.slice(Math.max(...[...';{}'].map((end) => before.lastIndexOf(end))) + 1)
  return /\brevert\b/.test(statement)
}

/** How many bytes back the start of a statement is searched for. */
const MAX_STATEMENT = 1000

/** A function that a call can enter. */
export interface Entry {
  readonly name: string
  readonly isPayable: boolean
  /** How many bytes the arguments have at least; undefined if the ABI lacks the function. */
  readonly argumentBytes: number | undefined
}

/** Returns the function that calldata names; undefined if there is none. */
export function findFunction(contract: Contract, input: Uint8Array, crypto: Crypto): Entry | undefined {
  const method = methodsOf(contract, crypto).get(bytesToHex(input.subarray(0, 4)))
  return method && toEntry(method.entry, method.isInAbi)
}

/** Returns the constructor, `receive` or `fallback` of a contract; undefined if there is none. */
export function findSpecial({ abi }: Contract, type: string): Entry | undefined {
  const entry = abi.find((one) => one.type === type)
  return entry && { ...toEntry(entry), name: type }
}

function toEntry(
  { name = '', inputs = [], ...entry }: AbiEntry & { readonly payable?: boolean },
  hasInputs = true,
): Entry {
  const argumentBytes = 32 * inputs.reduce((sum, input) => sum + (wordsOf(input) ?? 1), 0)
  return {
    name,
    isPayable: entry.stateMutability === 'payable' || entry.payable === true,
    argumentBytes: hasInputs ? argumentBytes : undefined,
  }
}

/** Returns how many words the head of a parameter has; undefined for a dynamic type, whose head is an offset. */
function wordsOf({ type, components = [] }: AbiParameter): number | undefined {
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (element !== undefined) {
    const words = wordsOf({ type: element, components })
    return length === '' || words === undefined ? undefined : words * Number(length)
  }
  if (type === 'string' || type === 'bytes') return undefined
  if (type !== 'tuple') return 1
  let sum = 0
  for (const component of components) {
    const words = wordsOf(component)
    if (words === undefined) return undefined
    sum += words
  }
  return sum
}
