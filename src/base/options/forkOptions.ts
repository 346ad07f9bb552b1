/** The option `fork`: which chain's state and blocks this chain continues. */
import { SchemaError } from '../errors.ts'
import { createSchema, isObject, type Schema, scalar } from '../schema.ts'
import type { Hash } from '../types.ts'
import { type OptionsInput, type OptionsValue, option, parseFields } from './option.ts'
import {
  boolean,
  choice,
  type Database,
  integer,
  isDatabase,
  isHexOf,
  milliseconds,
  text,
} from './optionSchemas.ts'

/** A node that can be forked: an EIP-1193 provider. */
export interface ForkedProvider {
  request(args: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>
}

/** A block to fork at: a tag, a number or a hash. */
export type ForkBlock = 'latest' | 'safe' | 'finalized' | bigint | Hash

const TAGS: readonly unknown[] = ['latest', 'safe', 'finalized']

const forkBlock = scalar<ForkBlock, ForkBlock | number>(
  "'latest', 'safe', 'finalized', a block number or a block hash",
  (value) => {
    if (TAGS.includes(value)) return value as ForkBlock
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
      const number = BigInt(value as number)
      return number >= 0n && number < 2n ** 53n ? number : undefined
    }
    return isHexOf(value, 32) ? (value.toLowerCase() as Hash) : undefined
  },
)

const provider = scalar<ForkedProvider, ForkedProvider>(
  'an EIP-1193 provider, with the method request',
  (value) =>
    isObject(value) && typeof value['request'] === 'function'
      ? (value as unknown as ForkedProvider)
      : undefined,
)

const headers = scalar<Readonly<Record<string, string>>, Readonly<Record<string, string>>>(
  'an object of strings',
  (value) =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'string')
      ? (value as Record<string, string>)
      : undefined,
)

/** Where a cache is: a path in the file system, an abstract-level database, or the text of its lines. */
export type ForkCacheLocation = string | Database | { readonly text: string }

const cache = scalar<ForkCacheLocation, ForkCacheLocation>(
  'a path, an abstract-level database or { text }',
  (value) => {
    const isText = isObject(value) && typeof value['text'] === 'string'
    return isText || (typeof value === 'string' && value !== '') || isDatabase(value)
      ? (value as ForkCacheLocation)
      : undefined
  },
)

/** The options of a fork; either `provider` or `url` is required unless `offline`. */
export const FORK_OPTIONS = {
  /** An EIP-1193 provider of the node to fork, instead of `url`. */
  provider: option(provider),
  /** The URL of the node to fork, over HTTP. */
  url: option(text(), { flag: { name: 'fork-url', value: 'URL', help: 'fork the chain of this node' } }),
  /** Headers of the requests to `url`. */
  headers: option(headers, {
    flag: {
      name: 'fork-header',
      value: 'HEADER',
      help: "header of its requests, 'NAME: VALUE'; repeatable",
      of: 'headers',
    },
  }),
  /** The block to fork at: `'latest'`, `'safe'`, `'finalized'`, a number or a hash. It becomes the head. */
  block: option(forkBlock, {
    default: 'latest',
    flag: {
      name: 'fork-block-number',
      value: 'BLOCK',
      help: 'block to fork at: number, hash or tag',
      of: 'block',
    },
  }),
  /**
   * Where the node's answers about the forked block are kept; by default nowhere. An abstract-level database, or in
   * Node a path: a folder for several blocks, or a file whose name ends in `.jsonl` for one block. `{ text }`, the text
   * of such a file, is only read.
   */
  cache: option(cache, {
    flag: {
      name: 'fork-cache',
      value: 'PATH',
      help: 'keep its answers in this folder or *.jsonl file',
    },
  }),
  /**
   * Whether the node is never asked: a value missing from `cache` is an error. `provider` and `url` may then be left
   * out, and `block` names a block of the cache; `'latest'` names the only block of a cache.
   */
  offline: option(boolean, {
    default: false,
    flag: { name: 'offline', help: 'read a fork from --fork-cache only' },
  }),
  /**
   * Whether proofs (eth_getProof, EIP-1186) check the forked block and its state: an answer that does not match the
   * block's hash is an error. The node must have proofs of that block. Forwarded answers, such as logs, receipts and
   * older state, are not checked.
   */
  verify: option(boolean, {
    default: false,
    flag: { name: 'fork-verify', help: 'check the state of the forked block by proofs' },
  }),
  /** How many requests, or batches of requests, may be in flight at the same time. */
  concurrency: option(integer(1), { default: 8 }),
  /** How many requests a batch may have. */
  batch: option(integer(1), { default: 100 }),
  /** How many milliseconds one request may take, with all its attempts. */
  timeout: option(milliseconds, { default: 20_000 }),
  /** Where time begins: `'fork'` at the timestamp of the forked block, `'clock'` at the time of `clock`. */
  time: option(choice<'fork' | 'clock'>(['fork', 'clock']), { default: 'fork' }),
}

/** The options of a fork. */
export type ResolvedFork = OptionsValue<typeof FORK_OPTIONS>

/** The option `fork`: either `provider` or `url`, or neither if `offline` reads everything from `cache`. */
export const fork: Schema<ResolvedFork, OptionsInput<typeof FORK_OPTIONS>> = createSchema(
  'an object with provider or url',
  (value, path) => {
    const parsed = parseFields(FORK_OPTIONS, value, path)
    if (parsed.offline && parsed.cache === undefined) {
      throw new SchemaError(`${path}.offline`, 'false unless cache is given')
    }
    const isNamed = parsed.provider !== undefined || parsed.url !== undefined
    if ((parsed.provider !== undefined && parsed.url !== undefined) || !(isNamed || parsed.offline)) {
      throw new SchemaError(path, 'an object with either provider or url')
    }
    if (parsed.headers !== undefined && parsed.url === undefined) {
      throw new SchemaError(`${path}.headers`, 'no value unless url is given')
    }
    return parsed
  },
)
