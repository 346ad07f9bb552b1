/**
 * The lines of a fork's cache: each is the JSON of `[1, method, params, answer]`, where 1 is the version of the format.
 *
 * Two methods are ours: `preseal_fork` says which fork the lines belong to, and `preseal_code` gives a code by its hash.
 * A code that is stored by itself has `{ "codeHash": … }` in the place of the answer.
 */
import { quantity } from '../../base/bytes.ts'
import { isObject } from '../../base/schema.ts'
import type { Hash, Hex } from '../../base/types.ts'
import type { ForkName } from './cacheStore.ts'
import { ForkCacheError } from './errors.ts'
import { toPlainJson } from './plainJson.ts'

const VERSION = 1
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
  return isHash(answer['codeHash']) ? answer['codeHash'] : undefined
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
    const parts = line === '' ? undefined : parse(line)
    if (!Array.isArray(parts) || parts.length !== 4) continue
    const [version, method, params, answer] = parts
    if (version !== VERSION) {
      throw new ForkCacheError(
        `read: it has lines of version ${JSON.stringify(version)}, expected ${VERSION}`,
      )
    }
    if (typeof method !== 'string' || !Array.isArray(params)) continue
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
  const isValid = typeof chainId === 'string' && /^0x[0-9a-f]{1,64}$/.test(chainId) && isHash(blockHash)
  return isValid ? [{ chainId: BigInt(chainId), blockHash }] : []
}

function isHash(value: unknown): value is Hash {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
}

function parse(line: string): unknown {
  try {
    return toPlainJson(JSON.parse(line))
  } catch {
    return undefined
  }
}
