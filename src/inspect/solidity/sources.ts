/** The sources of contracts, as their build info has them. */

import { bytesToHex } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { toObject } from '../../base/schema.ts'
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'
import { methodsOf } from '../explain/abi.ts'
import type { AbiEntry, AbiParameter, Contract } from '../explain/artifacts.ts'

/** A source of a compilation; its text and its outline are read when they are needed. */
export class SourceFile {
  /** Its path as stack traces show it. */
  readonly path: string
  /** Its text; undefined if the build info does not have it. */
  readonly content: string | undefined
  #text: SourceText | undefined
  #outline: Outline | undefined

  constructor(path: string, content: string | undefined) {
    this.path = path
    this.content = content
  }

  /** Undefined if the build info does not have it. */
  get text(): SourceText | undefined {
    if (this.content !== undefined) this.#text ??= new SourceText(this.content)
    return this.#text
  }

  /** Undefined if the build info does not have the text. */
  get outline(): Outline | undefined {
    const { text } = this
    if (text !== undefined) this.#outline ??= readOutline(text.characters)
    return this.#outline
  }
}

/** The sources of one compilation. */
export interface Sources {
  /** By the index that source maps use. */
  readonly byIndex: ReadonlyMap<number, SourceFile>
  /** By the name that the compiler has. */
  readonly byName: ReadonlyMap<string, SourceFile>
}

type Build = NonNullable<Contract['build']>

const known = new WeakMap<Build, Sources>()
const NONE: Sources = { byIndex: new Map(), byName: new Map() }

/** The sources of a contract's compilation; none if it has no build info. */
export function sourcesOf({ build }: Contract): Sources {
  if (build === undefined) return NONE
  return getOrInsert(known, build, readSources)
}

/** The source of a contract; undefined if its build info lacks it. */
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

/** How a contract was compiled, as the settings say; undefined if its build info lacks them. */
export function settingsOf({ build }: Pick<Contract, 'build'>) {
  const { settings } = toObject(build?.['input'])
  if (settings === undefined) return undefined
  const { viaIR, optimizer } = toObject(settings)
  return {
    /** By the intermediate language. */
    isViaIr: viaIR === true,
    isOptimized: toObject(optimizer)['enabled'] === true,
  }
}

/** The path of a source in its project: Hardhat 3 puts the name and the version of the package before it. */
function toPath(name: string): string {
  return name.replace(/^project\//, '').replace(/^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]+\//, '$1/')
}

// Positions in a source by their offset in bytes, as source maps state them.

/** A position as editors show it; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Bytes that are converted at once: a number of arguments that every host accepts. */
const BATCH = 4096

const [LF, CR] = [0x0a, 0x0d] as const

/** The text of a source, addressed by bytes. */
export class SourceText {
  /** One character for each byte of the text. */
  readonly characters: string
  readonly #bytes: Uint8Array
  readonly #lines: number[] = [0]

  constructor(text: string) {
    this.#bytes = new TextEncoder().encode(text)
    // In most sources each character is one byte.
    this.characters = this.#bytes.length === text.length ? text : toCharacters(this.#bytes)
    for (let at = 0; at < this.#bytes.length; at++) {
      const isEnd = this.#bytes[at] === LF || (this.#bytes[at] === CR && this.#bytes[at + 1] !== LF)
      if (isEnd) this.#lines.push(at + 1)
    }
  }

  /** The position of a byte; undefined beyond the text. */
  positionOf(offset: number): Position | undefined {
    if (offset < 0 || offset > this.#bytes.length) return undefined
    let [low, high] = [0, this.#lines.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lines[middle]! <= offset) low = middle
      else high = middle
    }
    const before = new TextDecoder().decode(this.#bytes.subarray(this.#lines[low]!, offset))
    return { line: low + 1, column: before.length + 1 }
  }
}

function toCharacters(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += BATCH) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + BATCH)))
  }
  return parts.join('')
}

/** Solidity's source maps: a location for each instruction of a code. */

/** What a jump does: into a function, out of one, or neither. */
export type Jump = 'in' | 'out' | undefined

/** The location of an instruction. */
export interface Location {
  /** The index of the source, -1 for none. */
  readonly source: number
  /** In bytes of UTF-8. */
  readonly start: number
  readonly length: number
  readonly jump: Jump
}

const JUMPS: Readonly<Record<string, Jump>> = { i: 'in', o: 'out' }

/**
 * Decodes a compressed map. An entry that is malformed ends it, since those after it depend on it.
 *
 * @param most - the number of instructions of the code; entries beyond it are ignored.
 * @returns the locations by index of the instruction; fewer than `most` if the map is shorter.
 */
export function decodeSourceMap(map: string, most: number): Location[] {
  const locations: Location[] = []
  let last: Location = { source: -1, start: 0, length: 0, jump: undefined }
  // An entry that is equal to the one before it is empty, the last one too.
  for (let at = 0; map !== '' && at <= map.length && locations.length < most; ) {
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

/** NaN if the text is no integer. */
function readNumber(text: string | undefined, before: number): number {
  if (text === undefined || text === '') return before
  return /^-?\d+$/.test(text) ? Number(text) : Number.NaN
}

const [PUSH1, PUSH32] = [0x60, 0x7f] as const

/** The index of the instruction at each position of a code; that of the PUSH at the positions of what it pushes. */
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

/**
 * The functions of a source, found in its text: build info need not have an AST.
 *
 * Only the outline is read: comments and strings are skipped, and braces are matched.
 */

/** A definition that code belongs to. */
export interface Definition {
  readonly kind: 'function' | 'modifier' | 'constructor' | 'fallback' | 'receive' | 'variable'
  readonly name: string
  /** Undefined for a function of the file. */
  readonly contract: string | undefined
  /** In bytes, as is `end`. */
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

/** Comments and strings; the last of them may lack its end. */
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
    const read = opens ? readDefinition(words) : readVariable(words, contract)
    if (read !== undefined) definitions.push({ ...read, contract: contract?.name, start, end: close })
    if (opens) at = close + 1
  }
}

function readDefinition(words: string): Pick<Definition, 'kind' | 'name'> | undefined {
  const [, kind, name] = FUNCTION.exec(words) ?? []
  if (name !== undefined) return { kind: kind as 'function' | 'modifier', name }
  const [, special] = SPECIAL.exec(words) ?? []
  if (special === undefined) return undefined
  // Until 0.5 the fallback function has no name.
  const named = special === 'function' ? 'fallback' : special
  return { kind: named as 'fallback', name: named }
}

function readVariable(
  words: string,
  contract: ContractRange | undefined,
): Pick<Definition, 'kind' | 'name'> | undefined {
  if (contract === undefined || NO_VARIABLE.test(words)) return undefined
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

/** The definition that contains a range; undefined if there is none. */
export function findDefinition(
  { definitions }: Outline,
  start: number,
  length: number,
): Definition | undefined {
  let [low, high] = [0, definitions.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (definitions[middle]!.start <= start) low = middle + 1
    else high = middle
  }
  const found = definitions[low - 1]
  return found !== undefined && start + length <= found.end + 1 ? found : undefined
}

/** Whether a range is a `require`, or a `revert` or a part of one: nothing is called after it. */
export function isThrown({ code }: Outline, start: number, length: number): boolean {
  if (/^(?:require|revert)\b/.test(code.slice(start, start + length))) return true
  const before = code.slice(Math.max(0, start - MAX_STATEMENT), start)
  const statement = before.slice(Math.max(...[...';{}'].map((end) => before.lastIndexOf(end))) + 1)
  return /\brevert\b/.test(statement)
}

/** How far the beginning of a statement is looked for, in bytes. */
const MAX_STATEMENT = 1000

// The entries of ABIs that causes depend on.

/** A function that a call can enter. */
export interface Entry {
  readonly name: string
  readonly isPayable: boolean
  /** The least number of bytes of arguments; undefined if the ABI does not state them. */
  readonly argumentBytes: number | undefined
}

/** The function of a contract that calldata names; undefined if it has none. */
export function findFunction(contract: Contract, input: Uint8Array, crypto: Crypto): Entry | undefined {
  const method = methodsOf(contract, crypto).get(bytesToHex(input.subarray(0, 4)))
  return method && toEntry(method.entry, method.isInAbi)
}

/** The constructor, `receive` or `fallback` of a contract; undefined if it has none. */
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

/** The words of a parameter in place; undefined for a dynamic type, which has an offset there. */
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
