/** Storage for the lines of a fork's cache, in an abstract-level database or a text. Files are in `node.ts`. */

import { quantity } from '../../base/bytes.ts'
import type { Database } from '../../base/options/optionSchemas.ts'
import { isObject } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { toPlainJson } from './answers.ts'
import { ForkCacheError } from './errors.ts'

/** Identifies a forked block in a cache. */
export interface ForkName {
  readonly chainId: bigint
  readonly blockHash: Hash
}

/** The name of a text: the lines of a fork, the recipes of a chain, or a code. */
export type Entry = ForkName | SmallEntry

/** The name of a text that can be replaced. */
export type SmallEntry = { readonly recipesOf: bigint } | { readonly codeHash: Hash }

/** The texts of a cache. Some stores keep only the lines of forks. */
export interface CacheStore {
  forks(): Promise<readonly ForkName[]>
  /** Reads a text; undefined if there is none. */
  read(entry: Entry): Promise<string | undefined>
  /** Appends whole lines. Concurrent writers may append to the same entry. */
  append(entry: Entry, lines: string): Promise<void>
  /** Replaces a text. Concurrent appends may be lost. */
  replace(entry: SmallEntry, text: string): Promise<void>
}

/** The part of abstract-level that is used here. */
interface Level {
  open(): Promise<void>
  get(key: string, options: object): Promise<Uint8Array | undefined>
  batch(operations: readonly object[], options: object): Promise<void>
}

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' }

const PARTS_AT_ONCE = 32

const FORKS = 'fork/forks'

const keyOf = (entry: SmallEntry): string =>
  'codeHash' in entry ? `fork/codes/${entry.codeHash}` : `fork/recipes/${entry.recipesOf}`
const partKey = ({ chainId, blockHash }: ForkName, part: number): string =>
  `fork/${chainId}/${blockHash}/${part}`

/**
 * Stores lines in a database, with an entry per call of `append`. If two writers, such as two tabs, append at once, an
 * entry may be lost: its answers are requested again at the next start.
 */
export function databaseStore(database: Database): CacheStore {
  const level = database as unknown as Level
  /** The number of a fork's next entry, by the key of its first entry. */
  const nextParts = new Map<string, number>()
  let opened: Promise<void> | undefined

  const open = (): Promise<void> => {
    opened ??= level.open().catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const get = async (key: string): Promise<string | undefined> => {
    await open()
    try {
      const value = await level.get(key, ENCODINGS)
      return value && new TextDecoder().decode(value)
    } catch (error) {
      // Older major versions reject for a missing key, newer ones return undefined.
      if ((error as { code?: string }).code === 'LEVEL_NOT_FOUND') return undefined
      throw error
    }
  }
  const put = async (entries: Readonly<Record<string, string>>): Promise<void> => {
    await open()
    const operations = Object.entries(entries).map(([key, text]) => {
      return { type: 'put', key, value: new TextEncoder().encode(text), ...ENCODINGS }
    })
    await level.batch(operations, {})
  }
  const read = async (entry: Entry): Promise<string | undefined> => {
    if (!('blockHash' in entry)) return get(keyOf(entry))
    let text = ''
    for (let first = 0; ; first += PARTS_AT_ONCE) {
      const numbers = Array.from({ length: PARTS_AT_ONCE }, (_, i) => first + i)
      const parts = await Promise.all(numbers.map((part) => get(partKey(entry, part))))
      const missing = parts.indexOf(undefined)
      text += parts.slice(0, missing === -1 ? PARTS_AT_ONCE : missing).join('')
      if (missing !== -1) return text
    }
  }
  const replace = (entry: SmallEntry, text: string): Promise<void> => put({ [keyOf(entry)]: text })

  return {
    read,
    replace,
    async forks() {
      const names = ((await get(FORKS)) ?? '').split('\n').filter((line) => line !== '')
      return names.map((line) => {
        const [chainId, blockHash] = line.split(' ')
        return { chainId: BigInt(chainId!), blockHash: blockHash as Hash }
      })
    },
    async append(entry, lines) {
      if (!('blockHash' in entry)) return replace(entry, ((await read(entry)) ?? '') + lines)
      const name = `${entry.chainId} ${entry.blockHash}\n`
      const names = (await get(FORKS)) ?? ''
      const key = partKey(entry, 0)
      let part = nextParts.get(key) ?? 0
      while ((await get(partKey(entry, part))) !== undefined) part++
      const listed = names.includes(name) ? undefined : { [FORKS]: names + name }
      await put({ [partKey(entry, part)]: lines, ...listed })
      nextParts.set(key, part + 1)
    },
  }
}

/** Reads the lines of a text, such as a fetched file. Writes nothing. @throws ForkCacheError */
export function textStore(text: string): CacheStore {
  const { forks } = decodeLines(text)
  return {
    forks: async () => forks,
    // Serves one block only: answers by number, and transactions, may not be on the chain of a different block.
    async read(entry) {
      return 'blockHash' in entry && forks.every((one) => isSameFork(one, entry)) ? text : undefined
    },
    async append() {},
    async replace() {},
  }
}

/** Compares chain id and block hash. */
export function isSameFork(one: ForkName, other: ForkName): boolean {
  return one.chainId === other.chainId && one.blockHash === other.blockHash
}

// Each line of a cache is the JSON of `[1, method, params, answer]`, where 1 is the format's version. Three methods are
// ours: `preseal_fork` names the fork of the lines, `preseal_code` has a code by its hash, and `preseal_recipe` is a
// recipe (`cache.ts`). An answer `{ "codeHash": … }` refers to a code that is stored by its hash.

/** The version of the format. A cache with a line of a different version is refused. */
export const VERSION = 1
const FORK = 'preseal_fork'
const CODE = 'preseal_code'

/** An answer of the node to a request, as a line of a cache. */
export interface CachedAnswer {
  readonly method: string
  readonly params: readonly unknown[]
  readonly answer: unknown
}

interface CacheLines {
  readonly answers: readonly CachedAnswer[]
  readonly codes: ReadonlyMap<string, string>
  readonly forks: readonly ForkName[]
}

/** Encodes a line, with its line break. */
export function encodeAnswer({ method, params, answer }: CachedAnswer): string {
  return `${JSON.stringify([VERSION, method, params, answer])}\n`
}

/** Encodes the line that names the fork of the lines after it. */
export function encodeFork({ chainId, blockHash }: ForkName): string {
  return encodeAnswer({ method: FORK, params: [], answer: { chainId: quantity(chainId), blockHash } })
}

/** Encodes the line of a code that answers refer to by its hash. */
export function encodeCode(hash: Hash, code: Hex): string {
  return encodeAnswer({ method: CODE, params: [hash], answer: code })
}

/** Returns the hash of the code that an answer refers to; undefined if it refers to none. */
export function referredCode({ method, answer }: CachedAnswer): Hash | undefined {
  if (method !== 'eth_getCode' || !isObject(answer)) return undefined
  return isHex(answer['codeHash'], 32) ? answer['codeHash'] : undefined
}

/** Decodes lines. Skips incomplete ones, whose writer was stopped. @throws ForkCacheError for a different version */
export function decodeLines(text: string): CacheLines {
  const answers: CachedAnswer[] = []
  const codes = new Map<string, string>()
  /** Without duplicates: each process that begins the file writes a line for the fork. */
  const forks = new Map<string, ForkName>()
  for (const line of text.split('\n')) {
    const parts = decodeLine(line)
    if (parts === undefined) continue
    const { version, method, params, answer } = parts
    if (version !== VERSION) {
      const found = JSON.stringify(version)
      throw new ForkCacheError(`read: it has lines of version ${found}, expected ${VERSION}`)
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

/** Whether a value is lower-case hex of this many bytes. */
export function isHex(value: unknown, bytes: number): value is Hex {
  return typeof value === 'string' && value.length === 2 + 2 * bytes && /^0x[0-9a-f]*$/.test(value)
}

/** Parses a line of any version; returns undefined if it is incomplete or no line of a cache. */
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
