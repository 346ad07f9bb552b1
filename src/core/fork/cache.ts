/**
 * The cache of a fork: answers of the forked node about one block. Stores answers only, never a URL or a header.
 *
 * Owns: the answers in memory, and which of them are unwritten. Does not own: the storage (`CacheStore`), nor the choice
 * of answers to keep (`withCache`).
 */

import { knownHexToBytes } from '../../base/bytes.ts'
import { loadCrypto } from '../../base/crypto/crypto.ts'
import { toError } from '../../base/emitter.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import { moduleOfNode } from '../../base/nodeModule.ts'
import type { ForkCacheLocation } from '../../base/options/forkOptions.ts'
import { isObject } from '../../base/schema.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import { block, blockAt, hash as hashOf, hexUpTo, toPlainJson } from './answers.ts'
import {
  type CachedAnswer,
  type CacheStore,
  databaseStore,
  decodeLine,
  decodeLines,
  encodeAnswer,
  encodeCode,
  encodeFork,
  type ForkName,
  isHex,
  referredCode,
  textStore,
  VERSION,
} from './cacheStore.ts'
import { ForkCacheError, InvalidRemoteAnswerError, NotInForkCacheError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'
import { nameOfKey, type StateKey } from './stateReads.ts'

/** How many bytes a code may have to be stored in the line of its answer. A longer code is stored by its hash. */
const MAX_CODE_IN_LINE = 64

const CODES_AT_ONCE = 16

/** A fork of which a cache has answers. */
export interface CachedFork extends ForkName {
  /** Undefined if the cache lacks the block's answer of eth_getBlockByHash. */
  readonly blockNumber: bigint | undefined
}

/** The part of Node's `fs` that is used here. */
interface NodeFiles {
  statSync(path: string): { readonly size: number; isDirectory(): boolean }
  readdirSync(path: string): readonly string[]
}

/** Whether a cache is known to be empty. False for a database, whose reads are asynchronous, and in a page. */
export function isNewCache(location: ForkCacheLocation): boolean {
  if (typeof location !== 'string') return 'text' in location && location.text === ''
  const fs = moduleOfNode<NodeFiles>('fs')
  if (fs === undefined) return false
  try {
    const file = fs.statSync(location)
    return file.isDirectory() ? fs.readdirSync(location).length === 0 : file.size === 0
  } catch (error) {
    return (error as { code?: unknown }).code === 'ENOENT'
  }
}

/** Opens a cache. @throws ForkCacheError; InvalidOptionError for a path in a runtime without files, such as a page */
export async function openForkCache(location: ForkCacheLocation): Promise<ForkCache> {
  const { keccak256Hex } = await loadCrypto()
  const path = typeof location === 'string' ? location : undefined
  return new ForkCache(await openStore(location), keccak256Hex, path)
}

async function openStore(location: ForkCacheLocation): Promise<CacheStore> {
  if (typeof location !== 'string')
    return 'text' in location ? textStore(location.text) : databaseStore(location)
  // Bundlers for pages replace the module by an empty one. Without a bundler, its imports fail in pages.
  const node = await import('./node.ts').catch(() => undefined)
  if (node?.openFiles !== undefined) return node.openFiles(location)
  throw new InvalidOptionError('fork.cache', 'a database or { text }, since there are no files here')
}

const keyOf = (method: string, params: readonly unknown[]): string => JSON.stringify([method, params])

interface EncodedAnswer {
  readonly line: string
  /** The code that the line refers to. */
  readonly code?: { readonly hash: Hash; readonly hex: Hex }
}

/** See the file's header. */
export class ForkCache {
  /** Undefined unless the cache is in files. */
  readonly path: string | undefined
  readonly #store: CacheStore
  readonly #keccak256: (bytes: Uint8Array) => Hash
  readonly #answers = new Map<string, CachedAnswer>()
  #fork: ForkName | undefined
  /** Precedes the lines of the next write: the line of the fork, or a line break that ends an incomplete line. */
  #head = ''
  #unwritten: EncodedAnswer[] = []
  #writing: Promise<void> | undefined
  readonly #recipeLines = new Map<bigint, string>()
  #isClosed = false

  constructor(store: CacheStore, keccak256: (bytes: Uint8Array) => Hash, path: string | undefined) {
    this.path = path
    this.#store = store
    this.#keccak256 = keccak256
  }

  async forks(): Promise<readonly CachedFork[]> {
    const names = await this.#store.forks().catch(unreadable)
    return Promise.all(names.map(async (name) => ({ ...name, blockNumber: await this.#numberOf(name) })))
  }

  /** Loads the answers about a block, and stores later answers with them. @throws ForkCacheError */
  async load(chainId: bigint | number, blockHash: Hash): Promise<void> {
    // Converts both to a safe form, since they become parts of a path.
    const fork = { chainId: BigInt(chainId), blockHash: hashOf(blockHash) }
    if (this.#fork !== undefined) await this.flush()
    const text = (await this.#store.read(fork).catch(unreadable)) ?? ''
    const { answers, codes } = decodeLines(text)
    const found = await this.#codesOf(answers, codes)
    for (const one of answers) {
      const hash = referredCode(one)
      const code = hash && found.get(hash)
      // A missing or damaged code is asked for again.
      if (hash === undefined) this.#keep(one)
      else if (code !== undefined) this.#keep({ ...one, answer: code })
    }
    this.#fork = fork
    this.#head = text === '' ? encodeFork(fork) : text.endsWith('\n') ? '' : '\n'
    this.#write()
  }

  get(method: string, params: readonly unknown[]): unknown | undefined {
    const found = this.#answers.get(keyOf(method, params))
    return found && toPlainJson(found.answer)
  }

  /** Adds or replaces an answer. Writes it in the background, once a block is loaded. */
  put(method: string, params: readonly unknown[], answer: unknown): void {
    if (this.#isClosed) return
    const own = toPlainJson({ method, params, answer }) as CachedAnswer
    this.#keep(own)
    this.#unwritten.push(this.#encode(own))
    this.#write()
  }

  /** Reads the recipes of a chain. Writes new and changed ones in the background. @throws ForkCacheError */
  async recipes(chainId: bigint): Promise<Recipes> {
    const entry = { recipesOf: chainId }
    const text = (await this.#store.read(entry).catch(unreadable)) ?? ''
    const recipes = new Recipes(text, (line) => {
      if (this.#isClosed) return
      // The file may end with an incomplete line.
      this.#recipeLines.set(chainId, `${this.#recipeLines.get(chainId) ?? '\n'}${line}`)
      this.#write()
    })
    const isTooLong = text.length > MAX_RECIPE_TEXT
    if (isTooLong) await this.#store.replace(entry, recipes.toText()).catch(unwritable)
    return recipes
  }

  /** Returns all answers in memory as one text, with codes, for the option `{ text }`. */
  toText(): string {
    const answers = [...this.#answers.values()].map((one) => this.#encode(one))
    const codes = new Set(answers.flatMap(({ code }) => (code ? encodeCode(code.hash, code.hex) : [])))
    const head = this.#fork === undefined ? '' : encodeFork(this.#fork)
    return [head, ...codes, ...answers.map(({ line }) => line)].join('')
  }

  /** Resolves when everything is written. @throws ForkCacheError if a write fails; the next write tries again */
  async flush(): Promise<void> {
    // The write in flight may fail; this call then retries.
    await this.#writing?.catch(() => {})
    this.#write()
    await this.#writing
  }

  /** Flushes, and releases the answers. Does not close a database. @throws ForkCacheError */
  async close(): Promise<void> {
    this.#isClosed = true
    try {
      await this.flush()
    } finally {
      this.#answers.clear()
    }
  }

  #keep(one: CachedAnswer): void {
    this.#answers.set(keyOf(one.method, one.params), one)
  }

  /** Writes in the background. The next write retries failures; `flush` reports them. */
  #write(): void {
    if (this.#fork === undefined || this.#writing !== undefined) return
    this.#writing = this.#writeAll(this.#fork)
    const end = (): void => {
      this.#writing = undefined
    }
    this.#writing.then(end, end)
  }

  async #writeAll(fork: ForkName): Promise<void> {
    // In a microtask, so that the answers of a trip share a write.
    await undefined
    while (this.#unwritten.length > 0 || this.#recipeLines.size > 0) {
      await this.#writeRecipes()
      if (this.#unwritten.length === 0) continue
      const group = this.#unwritten
      const head = this.#head
      this.#unwritten = []
      this.#head = ''
      try {
        // Codes first: a line must not refer to a missing code.
        for (const { code } of group)
          if (code) await this.#store.replace({ codeHash: code.hash }, code.hex).catch(unwritable)
        await this.#store.append(fork, head + group.map(({ line }) => line).join('')).catch(unwritable)
      } catch (error) {
        this.#unwritten = [...group, ...this.#unwritten]
        // A part of a line may have been written.
        this.#head = head === '' ? '\n' : head
        throw error
      }
    }
  }

  async #writeRecipes(): Promise<void> {
    for (const [chainId, lines] of this.#recipeLines) {
      this.#recipeLines.delete(chainId)
      try {
        await this.#store.append({ recipesOf: chainId }, lines).catch(unwritable)
      } catch (error) {
        this.#recipeLines.set(chainId, lines + (this.#recipeLines.get(chainId) ?? ''))
        throw error
      }
    }
  }

  #encode(own: CachedAnswer): EncodedAnswer {
    const { method, answer } = own
    if (method !== 'eth_getCode' || typeof answer !== 'string' || answer.length <= 2 + 2 * MAX_CODE_IN_LINE) {
      return { line: encodeAnswer(own) }
    }
    const code = { hash: this.#keccak256(knownHexToBytes(answer as Hex)), hex: answer as Hex }
    return { line: encodeAnswer({ ...own, answer: { codeHash: code.hash } }), code }
  }

  async #codesOf(
    answers: readonly CachedAnswer[],
    given: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<Hash, Hex>> {
    const hashes = [...new Set(answers.map(referredCode))].filter((hash) => hash !== undefined)
    const codes = new Map<Hash, Hex>()
    for (let i = 0; i < hashes.length; i += CODES_AT_ONCE) {
      const read = async (hash: Hash): Promise<void> => {
        const code = given.get(hash) ?? (await this.#store.read({ codeHash: hash }).catch(unreadable))
        if (code !== undefined && this.#isCodeOf(hash, code)) codes.set(hash, code as Hex)
      }
      await Promise.all(hashes.slice(i, i + CODES_AT_ONCE).map(read))
    }
    return codes
  }

  #isCodeOf(hash: Hash, code: string): boolean {
    try {
      return this.#keccak256(knownHexToBytes(hexUpTo()(code))) === hash
    } catch {
      return false
    }
  }

  async #numberOf(fork: ForkName): Promise<bigint | undefined> {
    const { answers } = decodeLines((await this.#store.read(fork).catch(unreadable)) ?? '')
    const { blockHash: hash } = fork
    const found = answers.find(({ method, params }) => method === 'eth_getBlockByHash' && params[0] === hash)
    try {
      return found && BigInt(blockAt({ hash }, block)(found.answer).number)
    } catch {
      return undefined
    }
  }
}

const failing =
  (verb: 'read' | 'written') =>
  (error: unknown): never => {
    throw new ForkCacheError(`${verb}: ${toError(error).message}`, toError(error))
  }

const unreadable = failing('read')
const unwritable = failing('written')

/**
 * Answers pinned requests from the cache, and adds missing answers to the cache once they are read. Never keeps null,
 * since a node may have the value later. Offline, requests without an answer throw NotInForkCacheError.
 */
export function withCache(
  remote: Remote,
  cache: ForkCache,
  { offline, hasSecret = () => false }: CachedRemoteOptions,
): Required<Remote> {
  const cached = ({ method, params, isPinned }: RemoteRequest): unknown | undefined =>
    isPinned ? cache.get(method, params) : undefined
  const keeping = <Result>(request: RemoteRequest<Result>): RemoteRequest<Result> => ({
    ...request,
    async read(answer) {
      const result = await request.read(answer)
      const isKept = answer !== null && !hasSecret(JSON.stringify(answer))
      if (isKept) cache.put(request.method, request.params, answer)
      return result
    },
  })
  return {
    cached,
    async ask(request) {
      const answer = cached(request)
      if (answer !== undefined) {
        try {
          return await readAnswer(request, answer)
        } catch (error) {
          // The line was modified, so the node's answer replaces it.
          if (offline || !(error instanceof InvalidRemoteAnswerError)) throw error
        }
      }
      if (offline) throw new NotInForkCacheError(request.method, request.params, cache.path)
      return remote.ask(request.isPinned ? keeping(request) : request)
    },
  }
}

interface CachedRemoteOptions {
  readonly offline: boolean
  /** Whether a text contains a secret of the node's URL. Answers with secrets are not kept. */
  readonly hasSecret?: ((text: string) => boolean) | undefined
}

const MAX_KEYS = 512

/** How many keys all recipes of a chain may have. Beyond that, the oldest recipes are removed. */
const MAX_ALL_KEYS = 16_384

const MAX_CHAINS = 16

/** How many characters the stored recipes may have. Beyond that, the lines of replaced recipes are removed. */
const MAX_RECIPE_TEXT = 2 ** 22

const RECIPE = 'preseal_recipe'

/** The called account, then the selector of the function, or `0x` without calldata. */
export type RecipeName = `${Address}${Hex}`

/**
 * Recipes: the state that calls of a function touched at earlier blocks. The next call loads it in one trip.
 *
 * Owns: the recipes of one chain in memory, limited in number and size. Does not own: the storage. Recipes are hints: a
 * wrong one costs requests, but never changes a value.
 */
export class Recipes {
  readonly #recipes = new Map<RecipeName, readonly StateKey[]>()
  readonly #write: (line: string) => void
  #count = 0
  readonly #noted = new Set<RecipeName>()

  /** @param text - stored recipes. @param write - receives the line of each new or changed recipe. */
  constructor(text = '', write: (line: string) => void = () => {}) {
    this.#write = write
    for (const line of text.split('\n')) {
      const recipe = decodeRecipe(line)
      if (recipe !== undefined) this.#keep(recipe.name, recipe.keys)
    }
  }

  isNoted(name: RecipeName): boolean {
    return this.#noted.has(name)
  }

  keysOf(name: RecipeName): readonly StateKey[] {
    return this.#recipes.get(name) ?? []
  }

  /** Adds the keys that a call touched. Beyond the limit, removes the oldest keys of the function. */
  note(name: RecipeName, keys: readonly StateKey[]): void {
    // The limits on keys do not count functions without keys, so the number of functions is limited too.
    if (this.#noted.size > MAX_ALL_KEYS) this.#noted.clear()
    this.#noted.add(name)
    const known = this.keysOf(name)
    const names = new Set(known.map(nameOfKey))
    const added = keys.slice(0, MAX_KEYS).filter((key) => !names.has(nameOfKey(key)))
    if (added.length === 0) return
    const recipe = [...added, ...known].slice(0, MAX_KEYS)
    this.#keep(name, recipe)
    this.#write(encodeRecipe(name, recipe))
  }

  toText(): string {
    return [...this.#recipes].map(([name, keys]) => encodeRecipe(name, keys)).join('')
  }

  #keep(name: RecipeName, keys: readonly StateKey[]): void {
    this.#count += keys.length - this.keysOf(name).length
    // Moved to the end, so that the first recipe is the oldest.
    this.#recipes.delete(name)
    this.#recipes.set(name, keys)
    for (const [oldest, { length }] of this.#recipes) {
      if (this.#count <= MAX_ALL_KEYS) return
      this.#recipes.delete(oldest)
      this.#noted.delete(oldest)
      this.#count -= length
    }
  }
}

/** Recipes shared by forks without a cache, by chain id, least recently used first. */
const ofProcess = new Map<bigint, Recipes>()

/** Returns the recipes that forks of a chain share in this process. Forgets chains that were used long ago. */
export function recipesOfProcess(chainId: bigint): Recipes {
  const recipes = ofProcess.get(chainId) ?? new Recipes()
  ofProcess.delete(chainId)
  ofProcess.set(chainId, recipes)
  for (const oldest of ofProcess.keys()) {
    if (ofProcess.size <= MAX_CHAINS) break
    ofProcess.delete(oldest)
  }
  return recipes
}

/** Encodes a recipe as a line: the called account and the selector are the params, and slots by account the answer. */
function encodeRecipe(name: RecipeName, keys: readonly StateKey[]): string {
  const slots: Record<Address, Hex[]> = {}
  for (const { address, slot } of keys) {
    slots[address] ??= []
    if (slot !== undefined) slots[address].push(slot)
  }
  return encodeAnswer({ method: RECIPE, params: [name.slice(0, 42), name.slice(42)], answer: slots })
}

function decodeRecipe(line: string): { readonly name: RecipeName; readonly keys: StateKey[] } | undefined {
  const { version, method, params, answer } = decodeLine(line) ?? {}
  if (version !== VERSION || method !== RECIPE || !isObject(answer)) return undefined
  const [to, selector] = params!
  if (!isHex(to, 20) || !(selector === '0x' || isHex(selector, 4))) return undefined
  const keys: StateKey[] = []
  for (const [address, slots] of Object.entries(answer)) {
    if (!isHex(address, 20) || !Array.isArray(slots)) return undefined
    keys.push({ address })
    for (const slot of slots) {
      if (!isHex(slot, 32)) return undefined
      keys.push({ address, slot })
    }
  }
  return { name: `${to}${selector}`, keys: keys.slice(0, MAX_KEYS) }
}
