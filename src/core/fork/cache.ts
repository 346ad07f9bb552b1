/**
 * The cache of a fork: what the forked node answered about a block that is named by its hash.
 *
 * Owns: the answers in memory, and which of them are not written yet. Only answers are written, never a URL or a header.
 * Does not own: the place that they are written to (`CacheStore`), nor what may be kept (`withCache`).
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
  codeReference,
  DatabaseStore,
  decodeLine,
  decodeLines,
  encodeAnswer,
  encodeCode,
  encodeFork,
  type ForkName,
  isHex,
  referredCode,
  TextStore,
  VERSION,
} from './cacheStore.ts'
import { ForkCacheError, InvalidRemoteAnswerError, NotInForkCacheError } from './errors.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'
import { nameOfKey, type StateKey } from './stateReads.ts'

/** The longest code, in bytes, that is written into its line. */
const MAX_CODE_IN_LINE = 64

/** Codes that are read at once. */
const CODES_AT_ONCE = 16

/** A block that a cache has answers for. */
export interface CachedFork extends ForkName {
  /** Undefined unless the cache has the block, as eth_getBlockByHash gave it. */
  readonly blockNumber: bigint | undefined
}

/** The part of Node's `fs` that is used. */
interface NodeFiles {
  statSync(path: string): { readonly size: number; isDirectory(): boolean }
  readdirSync(path: string): readonly string[]
}

/** Whether a cache has no answers yet, as far as that can be told at once: false for a database, and without files. */
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

/** Opens a cache. @throws InvalidOptionError for a path where there are no files, as in pages; ForkCacheError */
export async function openForkCache(location: ForkCacheLocation): Promise<ForkCache> {
  const { keccak256Hex } = await loadCrypto()
  const path = typeof location === 'string' ? location : undefined
  return new ForkCache(await openStore(location), keccak256Hex, path)
}

async function openStore(location: ForkCacheLocation): Promise<CacheStore> {
  if (typeof location === 'string') return openPath(location)
  if ('text' in location) return new TextStore(location.text, decodeLines(location.text).forks)
  return new DatabaseStore(location)
}

async function openPath(path: string): Promise<CacheStore> {
  // A bundler for pages replaces the module by an empty one; without a bundler, pages cannot import what it imports.
  const node = await import('./node.ts').catch(() => undefined)
  if (node?.openFiles !== undefined) return node.openFiles(path)
  throw new InvalidOptionError('fork.cache', 'a database or { text }, since there are no files here')
}

const keyOf = (method: string, params: readonly unknown[]): string => JSON.stringify([method, params])

/** An answer that is not written yet. */
interface Unwritten {
  readonly line: string
  /** The code that it refers to. */
  readonly code?: { readonly hash: Hash; readonly hex: Hex }
}

/** Answers of a forked node that never change, by method and params; see the file's header. */
export class ForkCache {
  /** The path of its files; undefined if it has none. */
  readonly path: string | undefined
  readonly #store: CacheStore
  readonly #keccak256: (bytes: Uint8Array) => Hash
  readonly #answers = new Map<string, CachedAnswer>()
  #fork: ForkName | undefined
  /** What the next write begins with: the line of the fork, or the end of a line that is not whole. */
  #head = ''
  #unwritten: Unwritten[] = []
  #writing: Promise<void> | undefined
  /** Lines of recipes that are not written yet, by chain. */
  readonly #recipeLines = new Map<bigint, string>()
  #isClosed = false

  constructor(store: CacheStore, keccak256: (bytes: Uint8Array) => Hash, path: string | undefined) {
    this.path = path
    this.#store = store
    this.#keccak256 = keccak256
  }

  /** The blocks it has answers for. @throws ForkCacheError */
  async forks(): Promise<readonly CachedFork[]> {
    const names = await reading(this.#store.forks())
    return Promise.all(names.map(async (name) => ({ ...name, blockNumber: await this.#numberOf(name) })))
  }

  /** Reads the answers about a block; from then on, new ones are added to them. @throws ForkCacheError */
  async load(chainId: bigint | number, blockHash: Hash): Promise<void> {
    // Both become parts of a path.
    const fork = { chainId: BigInt(chainId), blockHash: hashOf(blockHash) }
    if (this.#fork !== undefined) await this.flush()
    const text = (await reading(this.#store.read(fork))) ?? ''
    const { answers, codes } = decodeLines(text)
    const found = await this.#codesOf(answers, codes)
    for (const one of answers) {
      const hash = referredCode(one)
      const code = hash && found.get(hash)
      // A code that is missing or damaged is asked for again.
      if (hash === undefined) this.#keep(one)
      else if (code !== undefined) this.#keep({ ...one, answer: code })
    }
    this.#fork = fork
    this.#head = text === '' ? encodeFork(fork) : text.endsWith('\n') ? '' : '\n'
    this.#write()
  }

  /** The answer, as a value of the caller's own; undefined if there is none. */
  get(method: string, params: readonly unknown[]): unknown | undefined {
    const found = this.#answers.get(keyOf(method, params))
    return found && toPlainJson(found.answer)
  }

  /** Whether there is an answer. */
  has(method: string, params: readonly unknown[]): boolean {
    return this.#answers.has(keyOf(method, params))
  }

  /** Adds an answer, in the place of an earlier one; it is written in the background, once a block is loaded. */
  put(method: string, params: readonly unknown[], answer: unknown): void {
    if (this.#isClosed) return
    const own = toPlainJson({ method, params, answer }) as CachedAnswer
    this.#keep(own)
    this.#unwritten.push(this.#encode(own))
    this.#write()
  }

  /** Reads the recipes of a chain, and writes new and changed ones in the background. @throws ForkCacheError */
  async recipes(chainId: bigint): Promise<Recipes> {
    const entry = { recipesOf: chainId }
    const text = (await reading(this.#store.read(entry))) ?? ''
    const recipes = new Recipes(text, (line) => {
      if (this.#isClosed) return
      // The last line of the file may be one that is not whole.
      this.#recipeLines.set(chainId, `${this.#recipeLines.get(chainId) ?? '\n'}${line}`)
      this.#write()
    })
    if (text.length > MAX_RECIPE_TEXT) {
      await writing(this.#store.replace(entry, recipes.toText()))
    }
    return recipes
  }

  /** All answers in memory as one text, codes included: what `{ text }` takes. */
  toText(): string {
    const answers = [...this.#answers.values()].map((one) => this.#encode(one))
    const codes = new Set(answers.flatMap(({ code }) => (code ? encodeCode(code.hash, code.hex) : [])))
    const head = this.#fork === undefined ? '' : encodeFork(this.#fork)
    return [head, ...codes, ...answers.map(({ line }) => line)].join('')
  }

  /** Waits until everything is written. @throws ForkCacheError if a write fails; the next one tries its answers again. */
  async flush(): Promise<void> {
    // A write in flight can be one that fails; then this one tries again.
    await this.#writing?.catch(() => {})
    this.#write()
    await this.#writing
  }

  /** Flushes, and drops the answers from memory. A database stays open: it is its owner's. @throws ForkCacheError */
  async close(): Promise<void> {
    this.#isClosed = true
    try {
      await this.flush()
    } finally {
      this.#answers.clear()
    }
  }

  #keep(answer: CachedAnswer): void {
    this.#answers.set(keyOf(answer.method, answer.params), answer)
  }

  /** Writes in the background; what fails is written by the next write, and reported by `flush`. */
  #write(): void {
    if (this.#fork === undefined || this.#writing !== undefined) return
    const writing = this.#writeAll(this.#fork)
    this.#writing = writing
    const end = (): void => {
      this.#writing = undefined
    }
    writing.then(end, end)
  }

  async #writeAll(fork: ForkName): Promise<void> {
    // In a microtask, so that all answers of a trip are written together.
    await undefined
    while (this.#unwritten.length > 0 || this.#recipeLines.size > 0) {
      await this.#writeRecipes()
      if (this.#unwritten.length === 0) continue
      const group = this.#unwritten
      const head = this.#head
      this.#unwritten = []
      this.#head = ''
      try {
        // Codes first: a line must not refer to one that is not there.
        for (const { code } of group) {
          if (code !== undefined) await writing(this.#store.replace({ codeHash: code.hash }, code.hex))
        }
        await writing(this.#store.append(fork, head + group.map(({ line }) => line).join('')))
      } catch (error) {
        this.#unwritten = [...group, ...this.#unwritten]
        // Part of a line may have been written.
        this.#head = head === '' ? '\n' : head
        throw error
      }
    }
  }

  async #writeRecipes(): Promise<void> {
    for (const [chainId, lines] of this.#recipeLines) {
      this.#recipeLines.delete(chainId)
      try {
        await writing(this.#store.append({ recipesOf: chainId }, lines))
      } catch (error) {
        this.#recipeLines.set(chainId, lines + (this.#recipeLines.get(chainId) ?? ''))
        throw error
      }
    }
  }

  /** The line of an answer, without its code if that is stored by itself. */
  #encode(own: CachedAnswer): Unwritten {
    const { method, answer } = own
    if (method !== 'eth_getCode' || typeof answer !== 'string' || answer.length <= 2 + 2 * MAX_CODE_IN_LINE) {
      return { line: encodeAnswer(own) }
    }
    const code = { hash: this.#keccak256(knownHexToBytes(answer as Hex)), hex: answer as Hex }
    return { line: encodeAnswer({ ...own, answer: codeReference(code.hash) }), code }
  }

  /** The codes that answers refer to, each checked by its hash. */
  async #codesOf(
    answers: readonly CachedAnswer[],
    given: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<Hash, Hex>> {
    const hashes = [...new Set(answers.map(referredCode))].filter((hash) => hash !== undefined)
    const codes = new Map<Hash, Hex>()
    for (let i = 0; i < hashes.length; i += CODES_AT_ONCE) {
      const read = async (hash: Hash): Promise<void> => {
        const code = given.get(hash) ?? (await reading(this.#store.read({ codeHash: hash })))
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
    const { answers } = decodeLines((await reading(this.#store.read(fork))) ?? '')
    const found = answers.find(
      ({ method, params }) => method === 'eth_getBlockByHash' && params[0] === fork.blockHash,
    )
    try {
      return found && BigInt(blockAt({ hash: fork.blockHash }, block)(found.answer).number)
    } catch {
      return undefined
    }
  }
}

/** What a store reads. @throws ForkCacheError */
function reading<T>(read: Promise<T>): Promise<T> {
  return read.catch((error) => {
    throw new ForkCacheError(`read: ${toError(error).message}`, toError(error))
  })
}

/** Converts the errors of a write. @throws ForkCacheError */
function writing(write: Promise<void>): Promise<void> {
  return write.catch((error) => {
    throw new ForkCacheError(`written: ${toError(error).message}`, toError(error))
  })
}

// A remote whose pinned requests are answered from a cache, and whose answers are kept there.

/**
 * Answers pinned requests from the cache if it has them, and keeps the answers to the others once they were read; null is
 * not kept, since what a node does not have it can have later. Offline, no request makes a trip: what the cache does not
 * have is a NotInForkCacheError.
 */
export function withCache(
  remote: Remote,
  cache: ForkCache,
  { offline, hasSecret = () => false }: CachedRemoteOptions,
): Required<Remote> {
  const cached = ({ method, params, isPinned }: RemoteRequest): unknown | undefined =>
    isPinned ? cache.get(method, params) : undefined
  /** The same request, whose answer is kept before it is converted. */
  const keeping = <Result>(request: RemoteRequest<Result>): RemoteRequest<Result> => ({
    ...request,
    async read(answer) {
      const result = await request.read(answer)
      if (answer !== null && !hasSecret(JSON.stringify(answer))) {
        cache.put(request.method, request.params, answer)
      }
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
          // A line that was changed is asked for again, and the new answer replaces it.
          if (offline || !(error instanceof InvalidRemoteAnswerError)) throw error
        }
      }
      if (offline) throw new NotInForkCacheError(request.method, request.params, cache.path)
      return remote.ask(request.isPinned ? keeping(request) : request)
    },
  }
}

/** Options of {@link withCache}. */
interface CachedRemoteOptions {
  /** Whether no request makes a trip. */
  readonly offline: boolean
  /** Whether a text has a secret of the node's URL: an answer that repeats one is not kept. */
  readonly hasSecret?: ((text: string) => boolean) | undefined
}

/** Keys of one recipe. */
const MAX_KEYS = 512

/** Keys of all recipes of a chain; the recipe that was noted first is removed. */
const MAX_ALL_KEYS = 16_384

/** Chains whose recipes the process keeps without a cache. */
const MAX_CHAINS = 16

/** The size of the file of recipes, in characters, above which it is rewritten without replaced lines. */
const MAX_RECIPE_TEXT = 2 ** 22

const RECIPE = 'preseal_recipe'

/** The called account and the function's selector, or `0x` without calldata. */
export interface RecipeName {
  readonly to: Address
  readonly selector: Hex
}

/**
 * Key recipes: the state that calls of a function touched at other blocks, to be loaded at once when it is called again.
 *
 * Owns: the recipes of one chain in memory, within limits of their number and size. Does not own the place that they are
 * written to. They are hints: a wrong one costs requests, and never changes a value.
 */
export class Recipes {
  readonly #recipes = new Map<string, readonly StateKey[]>()
  readonly #write: (line: string) => void
  #count = 0
  /** The functions whose keys were noted since the start. */
  readonly #noted = new Set<string>()

  /** @param text - lines of earlier recipes. @param write - receives the line of each recipe that is new or changed. */
  constructor(text = '', write: (line: string) => void = () => {}) {
    this.#write = write
    for (const line of text.split('\n')) {
      const recipe = decodeRecipe(line)
      if (recipe !== undefined) this.#keep(recipe.name, recipe.keys)
    }
  }

  /** Whether a function's keys were noted since the start. */
  isNoted(name: RecipeName): boolean {
    return this.#noted.has(callKeyOf(name))
  }

  /** The keys that calls of a function touched; none if that is not known. */
  keysOf(name: RecipeName): readonly StateKey[] {
    return this.#recipes.get(callKeyOf(name)) ?? []
  }

  /** Adds the keys that a call of a function touched, in the place of the oldest if they are too many. */
  note(name: RecipeName, keys: readonly StateKey[]): void {
    const own = callKeyOf(name)
    // Functions without keys are not counted elsewhere.
    if (this.#noted.size > MAX_ALL_KEYS) this.#noted.clear()
    this.#noted.add(own)
    const known = this.#recipes.get(own) ?? []
    const names = new Set(known.map(nameOfKey))
    const added = keys.slice(0, MAX_KEYS).filter((key) => !names.has(nameOfKey(key)))
    if (added.length === 0) return
    const recipe = [...added, ...known].slice(0, MAX_KEYS)
    this.#keep(name, recipe)
    this.#write(encodeRecipe(name, recipe))
  }

  /** All recipes as lines. */
  toText(): string {
    return [...this.#recipes].map(([own, keys]) => encodeRecipe(nameFrom(own), keys)).join('')
  }

  #keep(name: RecipeName, keys: readonly StateKey[]): void {
    const own = callKeyOf(name)
    this.#count += keys.length - (this.#recipes.get(own)?.length ?? 0)
    // Moved to the end: the first is the oldest.
    this.#recipes.delete(own)
    this.#recipes.set(own, keys)
    for (const [oldest, { length }] of this.#recipes) {
      if (this.#count <= MAX_ALL_KEYS) return
      this.#recipes.delete(oldest)
      this.#noted.delete(oldest)
      this.#count -= length
    }
  }
}

/** By chain id: what forks without a cache share, in the order of their last use. */
const ofProcess = new Map<bigint, Recipes>()

/** The recipes of a chain that last as long as the process. */
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

const callKeyOf = ({ to, selector }: RecipeName): string => `${to}${selector}`
const nameFrom = (own: string): RecipeName => {
  return { to: own.slice(0, 42) as Address, selector: own.slice(42) as Hex }
}

/** Its params are the account and the selector, its answer the slots by account. */
function encodeRecipe({ to, selector }: RecipeName, keys: readonly StateKey[]): string {
  const slots: Record<Address, Hex[]> = {}
  for (const { address, slot } of keys) {
    slots[address] ??= []
    if (slot !== undefined) slots[address].push(slot)
  }
  return encodeAnswer({ method: RECIPE, params: [to, selector], answer: slots })
}

/** Undefined for a line that is not whole, or of another form: a hint that is lost. */
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
  return { name: { to, selector }, keys: keys.slice(0, MAX_KEYS) }
}
