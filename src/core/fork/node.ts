/** A fork's cache in files. Owns nothing. Needs Node, so `cache.ts` imports it on demand, and pages never do. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Hash, Hex } from '../../base/types.ts'
import { CacheStore, decodeLines, encodeCode, type ForkName } from './cacheStore.ts'

const CODES = 'codes'
const ENDING = '.jsonl'
const RECIPES = `recipes${ENDING}`

/** The store at a path: a file if the path ends in `.jsonl`, otherwise a folder. */
export function openFiles(path: string): CacheStore {
  return path.endsWith(ENDING) ? new FileStore(path) : new FolderStore(path)
}

/**
 * `<chainId>/<blockHash>.jsonl` for the lines of a fork, `<chainId>/recipes.jsonl` for the recipes of a chain, `codes/<hash>`
 * for a code. No lock: lines are written at once.
 */
class FolderStore extends CacheStore {
  readonly #folder: string

  constructor(folder: string) {
    super()
    this.#folder = folder
  }

  async forks(): Promise<readonly ForkName[]> {
    const chains = (await namesIn(this.#folder)).filter((name) => /^[1-9]\d*$/.test(name))
    const forks = chains.map(async (chain) => {
      const files = await namesIn(join(this.#folder, chain))
      const hashes = files.filter((name) => /^0x[0-9a-f]{64}\.jsonl$/.test(name))
      return hashes.map((name) => ({
        chainId: BigInt(chain),
        blockHash: name.slice(0, -ENDING.length) as Hash,
      }))
    })
    return (await Promise.all(forks)).flat()
  }

  async read(fork: ForkName): Promise<string> {
    return (await textOf(this.#pathOf(fork))) ?? ''
  }

  append(fork: ForkName, lines: string): Promise<void> {
    return appendTo(this.#pathOf(fork), lines)
  }

  override readCode(hash: Hash): Promise<string | undefined> {
    return textOf(join(this.#folder, CODES, hash))
  }

  override writeCode(hash: Hash, code: Hex): Promise<void> {
    return replace(join(this.#folder, CODES, hash), code)
  }

  override async readRecipes(chainId: bigint): Promise<string> {
    return (await textOf(this.#recipesOf(chainId))) ?? ''
  }

  override appendRecipes(chainId: bigint, lines: string): Promise<void> {
    return appendTo(this.#recipesOf(chainId), lines)
  }

  override replaceRecipes(chainId: bigint, text: string): Promise<void> {
    return replace(this.#recipesOf(chainId), text)
  }

  #recipesOf(chainId: bigint): string {
    return join(this.#folder, `${chainId}`, RECIPES)
  }

  #pathOf({ chainId, blockHash }: ForkName): string {
    return join(this.#folder, `${chainId}`, `${blockHash}${ENDING}`)
  }
}

/** The lines of one fork in a file, codes included, as `{ text }` takes it. Recipes are for other blocks, which are in other files. */
class FileStore extends CacheStore {
  readonly #path: string

  constructor(path: string) {
    super()
    this.#path = path
  }

  async forks(): Promise<readonly ForkName[]> {
    return decodeLines(await this.#text()).forks
  }

  async read({ chainId, blockHash }: ForkName): Promise<string> {
    const text = await this.#text()
    const other = decodeLines(text).forks.find(
      (one) => one.chainId !== chainId || one.blockHash !== blockHash,
    )
    if (other === undefined) return text
    throw new Error(
      `${this.#path} is of block ${other.blockHash} of chain ${other.chainId}: expected a file for each block, or a folder`,
    )
  }

  append(_fork: ForkName, lines: string): Promise<void> {
    return appendTo(this.#path, lines)
  }

  override writeCode(hash: Hash, code: Hex): Promise<void> {
    return appendTo(this.#path, encodeCode(hash, code))
  }

  async #text(): Promise<string> {
    return (await textOf(this.#path)) ?? ''
  }
}

async function appendTo(path: string, lines: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const bytes = new TextEncoder().encode(lines)
  const file = await open(path, 'a')
  try {
    // One call: the system adds it as a whole, also if another process adds to the file.
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes fitted`)
  } finally {
    await file.close()
  }
}

/** Writes a file under a name of its own first, so that no reader meets a part of it. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text)
  await rename(draft, path)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await orAbsent(readdir(folder))) ?? []
}

/** At once: for a file of this size, to start the threads of the other way takes longer than to read it. */
function textOf(path: string): Promise<string | undefined> {
  return orAbsent((async () => readFileSync(path, 'utf8'))())
}

/** What a file or folder has; undefined if there is none. */
async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
