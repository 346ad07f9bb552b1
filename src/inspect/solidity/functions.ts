import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hex } from '../../base/types.ts'
import type { AbiEntry, AbiParameter, Contract } from '../explain/artifacts.ts'
import { methodsOf } from '../explain/methods.ts'

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

/** The closing brace of each opening one. */
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

// The entries of ABIs that causes depend on: the functions of a contract by selector.

/** A function that a call can enter. */
export interface Entry {
  readonly name: string
  readonly isPayable: boolean
  /** The least number of bytes of arguments; undefined if the ABI does not state them. */
  readonly argumentBytes: number | undefined
}

/** The functions of a contract by selector. */
export function functionsOf(contract: Contract, crypto: Crypto): Map<Hex, Entry> {
  const methods = [...methodsOf(contract, crypto)]
  return new Map(methods.map(([selector, { entry, isInAbi }]) => [selector, toEntry(entry, isInAbi)]))
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
