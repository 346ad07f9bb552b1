/** Where the lines of a fork's cache are: any abstract-level database, or a text. Files are in `node.ts`. */

import { quantity } from '../../base/bytes.ts'
import type { Database } from '../../base/options/optionSchemas.ts'
import { isObject } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { toPlainJson } from './answers.ts'
import { ForkCacheError } from './errors.ts'

/** A block that has lines. */
export interface ForkName {
  readonly chainId: bigint
  readonly blockHash: Hash
}

/** The lines of forks, and codes by their hash; without codes and recipes, unless a store keeps them. */
export abstract class CacheStore {
  abstract forks(): Promise<readonly ForkName[]>
  /** The text of a fork's lines; empty if there are none. */
  abstract read(fork: ForkName): Promise<string>
  /** Adds whole lines. Others may add to the same fork at the same time. */
  abstract append(fork: ForkName, lines: string): Promise<void>
  async readCode(_hash: Hash): Promise<string | undefined> {
    return undefined
  }
  async writeCode(_hash: Hash, _code: Hex): Promise<void> {}
  /** The text of a chain's recipes; empty if there are none. */
  async readRecipes(_chainId: bigint): Promise<string> {
    return ''
  }
  /** Adds whole lines. Others may add to the same chain at the same time. */
  async appendRecipes(_chainId: bigint, _lines: string): Promise<void> {}
  /** Writes all lines anew; what others add at the same time can be lost. */
  async replaceRecipes(_chainId: bigint, _text: string): Promise<void> {}
}

/** The part of abstract-level that is used. */
interface Level {
  open(): Promise<void>
  get(key: string, options: object): Promise<Uint8Array | undefined>
  batch(operations: readonly object[], options: object): Promise<void>
}

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' }

/** Parts of a fork's lines that are read at once. */
const PARTS_AT_ONCE = 32

const FORKS = 'fork/forks'

const codeKey = (hash: Hash): string => `fork/codes/${hash}`
const recipesKey = (chainId: bigint): string => `fork/recipes/${chainId}`
const partKey = ({ chainId, blockHash }: ForkName, part: number): string =>
  `fork/${chainId}/${blockHash}/${part}`

/**
 * Lines in a database, each group that is added as an entry of its own. A second writer, such as another tab, can replace
 * a group that was added at the same time: its answers are asked for again.
 */
export class DatabaseStore extends CacheStore {
  readonly #level: Level
  /** The part after the last one that was added, by the key of a fork's first. */
  readonly #next = new Map<string, number>()
  #opened: Promise<void> | undefined

  constructor(database: Database) {
    super()
    this.#level = database as unknown as Level
  }

  async forks(): Promise<readonly ForkName[]> {
    const names = ((await this.#get(FORKS)) ?? '').split('\n').filter((line) => line !== '')
    return names.map((line) => {
      const [chainId, blockHash] = line.split(' ')
      return { chainId: BigInt(chainId!), blockHash: blockHash as Hash }
    })
  }

  async read(fork: ForkName): Promise<string> {
    let text = ''
    for (let first = 0; ; first += PARTS_AT_ONCE) {
      const numbers = Array.from({ length: PARTS_AT_ONCE }, (_, i) => first + i)
      const parts = await Promise.all(numbers.map((part) => this.#get(partKey(fork, part))))
      const missing = parts.indexOf(undefined)
      text += parts.slice(0, missing === -1 ? PARTS_AT_ONCE : missing).join('')
      if (missing !== -1) return text
    }
  }

  async append(fork: ForkName, lines: string): Promise<void> {
    const name = `${fork.chainId} ${fork.blockHash}\n`
    const names = (await this.#get(FORKS)) ?? ''
    const key = partKey(fork, 0)
    let part = this.#next.get(key) ?? 0
    while ((await this.#get(partKey(fork, part))) !== undefined) part++
    await this.#put({ [partKey(fork, part)]: lines, ...(!names.includes(name) && { [FORKS]: names + name }) })
    this.#next.set(key, part + 1)
  }

  override readCode(hash: Hash): Promise<string | undefined> {
    return this.#get(codeKey(hash))
  }

  override writeCode(hash: Hash, code: Hex): Promise<void> {
    return this.#put({ [codeKey(hash)]: code })
  }

  override async readRecipes(chainId: bigint): Promise<string> {
    return (await this.#get(recipesKey(chainId))) ?? ''
  }

  override async appendRecipes(chainId: bigint, lines: string): Promise<void> {
    await this.replaceRecipes(chainId, (await this.readRecipes(chainId)) + lines)
  }

  override replaceRecipes(chainId: bigint, text: string): Promise<void> {
    return this.#put({ [recipesKey(chainId)]: text })
  }

  async #get(key: string): Promise<string | undefined> {
    await this.#open()
    try {
      const value = await this.#level.get(key, ENCODINGS)
      return value && new TextDecoder().decode(value)
    } catch (error) {
      // Earlier major versions reject for a missing key, newer ones return undefined.
      if ((error as { code?: string }).code === 'LEVEL_NOT_FOUND') return undefined
      throw error
    }
  }

  async #put(entries: Readonly<Record<string, string>>): Promise<void> {
    await this.#open()
    const operations = Object.entries(entries).map(([key, text]) => {
      return { type: 'put', key, value: new TextEncoder().encode(text), ...ENCODINGS }
    })
    await this.#level.batch(operations, {})
  }

  #open(): Promise<void> {
    this.#opened ??= this.#level.open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }
}

/** Lines of a text, such as a fetched file; what is added stays in memory. */
export class TextStore extends CacheStore {
  readonly #text: string
  readonly #forks: readonly ForkName[]

  constructor(text: string, forks: readonly ForkName[]) {
    super()
    this.#text = text
    this.#forks = forks
  }

  async forks(): Promise<readonly ForkName[]> {
    return this.#forks
  }

  /** Numbers and transactions in the lines of another block may mean something else. */
  async read({ chainId, blockHash }: ForkName): Promise<string> {
    const isOf = (one: ForkName): boolean => one.chainId === chainId && one.blockHash === blockHash
    return this.#forks.every(isOf) ? this.#text : ''
  }

  async append(): Promise<void> {}
}

// The lines of a fork's cache: each is the JSON of `[1, method, params, answer]`, where 1 is the version of the format.
//
// Three methods are ours: `preseal_fork` says which fork the lines belong to, `preseal_code` gives a code by its hash,
// and `preseal_recipe` is a recipe (`cache.ts`).
// A code that is stored by itself has `{ "codeHash": … }` in the place of the answer.

/** The version of the format. */
export const VERSION = 1
const FORK = 'preseal_fork'
const CODE = 'preseal_code'

/** An answer with its request. */
export interface CachedAnswer {
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: unknown
}

/** What a text of lines has. */
export interface CacheLines {
  readonly answers: readonly CachedAnswer[]
  /** By hash; not checked. */
  readonly codes: ReadonlyMap<string, string>
  readonly forks: readonly ForkName[]
}

/** The line of an answer, with its end. */
export function encodeAnswer({ method, params, answer }: CachedAnswer): string {
  return `${JSON.stringify([VERSION, method, params, answer])}\n`
}

/** The line that says which fork the others belong to. */
export function encodeFork({ chainId, blockHash }: ForkName): string {
  return encodeAnswer({ method: FORK, params: [], answer: { chainId: quantity(chainId), blockHash } })
}

/** The line of a code. */
export function encodeCode(hash: Hash, code: Hex): string {
  return encodeAnswer({ method: CODE, params: [hash], answer: code })
}

/** What stands for a code that is stored by itself. */
export function codeReference(hash: Hash): { readonly codeHash: Hash } {
  return { codeHash: hash }
}

/** The hash in a {@link codeReference}; undefined for any other answer. */
export function referredCode({ method, answer }: CachedAnswer): Hash | undefined {
  if (method !== 'eth_getCode' || !isObject(answer)) return undefined
  return isHex(answer['codeHash'], 32) ? answer['codeHash'] : undefined
}

/**
 * Decodes lines. A line that is not whole is left out: its writer was stopped, and the answer is asked for again.
 *
 * @throws ForkCacheError for a line of another version.
 */
export function decodeLines(text: string): CacheLines {
  const answers: CachedAnswer[] = []
  const codes = new Map<string, string>()
  /** By name: each of several processes that begin a file at the same time writes its line. */
  const forks = new Map<string, ForkName>()
  for (const line of text.split('\n')) {
    const parts = decodeLine(line)
    if (parts === undefined) continue
    const { version, method, params, answer } = parts
    if (version !== VERSION) {
      throw new ForkCacheError(
        `read: it has lines of version ${JSON.stringify(version)}, expected ${VERSION}`,
      )
    }
    if (method === FORK)
      for (const fork of readFork(answer)) forks.set(`${fork.chainId} ${fork.blockHash}`, fork)
    else if (method === CODE) codes.set(String(params[0]), String(answer))
    else answers.push({ method, params, answer })
  }
  return { answers, codes, forks: [...forks.values()] }
}

function readFork(answer: unknown): ForkName[] {
  if (!isObject(answer)) return []
  const { chainId, blockHash } = answer
  const isValid = typeof chainId === 'string' && /^0x[0-9a-f]{1,64}$/.test(chainId) && isHex(blockHash, 32)
  return isValid ? [{ chainId: BigInt(chainId), blockHash }] : []
}

/** Whether a value is hex of this many bytes, in lower case. */
export function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/.test(value)
}

/** The parts of a line of any version; undefined for one that is not whole, or of another form. */
export function decodeLine(line: string): (CachedAnswer & { readonly version: unknown }) | undefined {
  let parts: unknown
  try {
    parts = toPlainJson(JSON.parse(line))
  } catch {
    return undefined
  }
  if (!Array.isArray(parts) || parts.length !== 4) return undefined
  const [version, method, params, answer] = parts
  const isLine = typeof method === 'string' && Array.isArray(params)
  return isLine ? { version, method, params, answer } : undefined
}
