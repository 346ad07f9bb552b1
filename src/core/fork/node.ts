/** A fork's cache in files. Owns nothing. Needs Node: `cache.ts` imports it on demand, and pages never do. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Hash, Hex } from '../../base/types.ts'
import { type CacheStore, decodeLines, type Entry, encodeCode, isSameFork } from './cacheStore.ts'

const CODES = 'codes'
const ENDING = '.jsonl'
const RECIPES = `recipes${ENDING}`

/** Opens a file if the path ends in `.jsonl`, otherwise a folder. */
export function openFiles(path: string): CacheStore {
  return path.endsWith(ENDING) ? fileStore(path) : folderStore(path)
}

/**
 * Stores forks in `<chainId>/<blockHash>.jsonl`, recipes in `<chainId>/recipes.jsonl`, and codes in `codes/<hash>`.
 * Needs no lock: each write appends whole lines.
 */
function folderStore(folder: string): CacheStore {
  const pathOf = (entry: Entry): string => {
    if ('codeHash' in entry) return join(folder, CODES, entry.codeHash)
    if ('recipesOf' in entry) return join(folder, `${entry.recipesOf}`, RECIPES)
    return join(folder, `${entry.chainId}`, `${entry.blockHash}${ENDING}`)
  }
  return {
    async forks() {
      const chains = (await namesIn(folder)).filter((name) => /^[1-9]\d*$/.test(name))
      const forks = chains.map(async (chain) => {
        const files = await namesIn(join(folder, chain))
        const hashes = files.filter((name) => /^0x[0-9a-f]{64}\.jsonl$/.test(name))
        const chainId = BigInt(chain)
        return hashes.map((name) => ({ chainId, blockHash: name.slice(0, -ENDING.length) as Hash }))
      })
      return (await Promise.all(forks)).flat()
    },
    read: (entry) => textOf(pathOf(entry)),
    append: (entry, lines) => appendTo(pathOf(entry), lines),
    replace: (entry, text) => replace(pathOf(entry), text),
  }
}

/**
 * Stores the lines of one fork in a file, with codes, as in `{ text }`. Stores no recipes, since a recipe serves forks
 * of different blocks.
 */
function fileStore(path: string): CacheStore {
  return {
    forks: async () => decodeLines((await textOf(path)) ?? '').forks,
    async read(entry) {
      if (!('blockHash' in entry)) return undefined
      const text = await textOf(path)
      const other = decodeLines(text ?? '').forks.find((one) => !isSameFork(one, entry))
      if (other === undefined) return text
      throw new Error(
        `${path} is of block ${other.blockHash} of chain ${other.chainId}: expected a file for each block, or a folder`,
      )
    },
    async append(entry, lines) {
      if ('blockHash' in entry) await appendTo(path, lines)
    },
    async replace(entry, text) {
      if ('codeHash' in entry) await appendTo(path, encodeCode(entry.codeHash, text as Hex))
    },
  }
}

async function appendTo(path: string, lines: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const bytes = new TextEncoder().encode(lines)
  const file = await open(path, 'a')
  try {
    // One call: the system appends it atomically, even if several processes write.
    const { bytesWritten } = await file.write(bytes)
    if (bytesWritten < bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes fitted`)
  } finally {
    await file.close()
  }
}

/** Writes a temporary file first, so that readers never see a partial one. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text)
  await rename(draft, path)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await orAbsent(readdir(folder))) ?? []
}

/** Synchronous: for such small files, starting threads takes longer than the read. */
function textOf(path: string): Promise<string | undefined> {
  return orAbsent((async () => readFileSync(path, 'utf8'))())
}

/** Resolves to undefined if the file or folder does not exist. */
async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
