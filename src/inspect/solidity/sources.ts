/** The sources of contracts, as their build info has them. */

import { isObject } from '../../base/schema.ts'
import { TextDecoder, TextEncoder } from '../../base/textEncoding.ts'
import type { Contract } from '../explain/artifacts.ts'
import { type Outline, readOutline } from './functions.ts'

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
  let sources = known.get(build)
  if (sources === undefined) {
    sources = readSources(build)
    known.set(build, sources)
  }
  return sources
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

/** The path of a source in its project: Hardhat 3 puts the name and the version of the package before it. */
function toPath(name: string): string {
  return name.replace(/^project\//, '').replace(/^npm\/((?:@[^/]+\/)?[^/@]+)@[^/]+\//, '$1/')
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
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
