/** Identifies contracts by their code. Owns: patterns of the artifacts' codes, made on first use; results by code. */

import { bytesToHex, equalBytes, hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hex } from '../../base/types.ts'
import { ConsoleDecoder } from '../../core/trace/consoleDecoder.ts'
import type { FrameStart } from '../../ethereum/evm/executor.ts'
import { AbiDecoder } from './abi.ts'
import {
  type CodeRange,
  type CompiledCode,
  type Contract,
  type ReadArtifacts,
  readArtifacts,
} from './artifacts.ts'

/** The contract whose compiled code matches a deployed code or an initcode. */
export interface Identified {
  readonly contract: Contract
  /** False if the metadata differs from the artifact's. */
  readonly isExact: boolean
}

interface Candidate {
  readonly contract: Contract
  readonly pattern: CodePattern
}

/** Finds the contract of a code. Immutables, library addresses and metadata may differ. */
export class Identifier {
  readonly #contracts: readonly Contract[]
  readonly #known = new Map<Hex, Identified | undefined>()
  #runtime: readonly Candidate[] | undefined
  /** Creation codes of contracts without a deployed code. */
  #deployed: readonly Candidate[] | undefined
  #creation: readonly Candidate[] | undefined

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts
  }

  /** Returns the contract with this deployed code. @param key - identifies the code, such as its keccak256. */
  runtime(code: Uint8Array, key: Hex): Identified | undefined {
    return getOrInsert(this.#known, key, () => {
      this.#runtime ??= this.#candidates('runtime')
      this.#deployed ??= this.#candidates('creation').filter(({ contract }) => contract.runtime === undefined)
      return (
        best(this.#runtime, (pattern) => matchRuntime(pattern, code)) ??
        best(this.#deployed, (pattern) => matchDeployed(pattern, code))
      )
    })
  }

  /** Returns the contract that an initcode creates. */
  creation(code: Uint8Array): Identified | undefined {
    // Longest first: a code may begin with the whole of a shorter one.
    this.#creation ??= this.#candidates('creation').sort((a, b) => b.pattern.length - a.pattern.length)
    return best(this.#creation, (pattern) => matchCreation(pattern, code))
  }

  #candidates(kind: 'creation' | 'runtime'): Candidate[] {
    return this.#contracts.flatMap((contract) => {
      const code: CompiledCode | undefined = contract[kind]
      return code === undefined ? [] : [{ contract, pattern: toPattern(code) }]
    })
  }
}

function best(
  candidates: readonly Candidate[],
  match: (pattern: CodePattern) => CodeMatch,
): Identified | undefined {
  let similar: Identified | undefined
  for (const { contract, pattern } of candidates) {
    const found = match(pattern)
    if (found === 'exact') return { contract, isExact: true }
    if (found === 'similar') similar ??= { contract, isExact: false }
  }
  return similar
}

/** Artifacts, ready to explain executions. */
export interface PreparedArtifacts extends ReadArtifacts {
  readonly crypto: Crypto
  readonly identifier: Identifier
  readonly abi: AbiDecoder
  readonly console: ConsoleDecoder
}

const prepared = new WeakMap<object, PreparedArtifacts>()

/** Prepares artifacts of any shape, once per object; see {@link readArtifacts}. */
export function prepareArtifacts(artifacts: unknown, crypto: Crypto): PreparedArtifacts {
  const prepare = (): PreparedArtifacts => {
    const read = readArtifacts(artifacts)
    const [identifier, abi] = [new Identifier(read.contracts), new AbiDecoder(crypto, read.contracts)]
    return { ...read, crypto, identifier, abi, console: new ConsoleDecoder(crypto) }
  }
  if (typeof artifacts !== 'object' || artifacts === null) return prepare()
  return getOrInsert(prepared, artifacts, prepare)
}

// Compares deployed with compiled code. Immutables, library addresses and metadata hashes may differ: they are unknown
// until deployment, or depend on comments and paths.

interface CodePattern {
  /** Unknown bytes are 0. */
  readonly bytes: Uint8Array
  /** 1 for each byte that may differ. */
  readonly unknown: Uint8Array
  /** 1 for each byte of a metadata hash. */
  readonly metadata: Uint8Array
  /** The length without the metadata at the end. */
  readonly length: number
}

/** `similar` if only the metadata differs. */
type CodeMatch = 'exact' | 'similar' | undefined

/** Matches the placeholder of a library's address. */
const PLACEHOLDER = /__.{36}__/g

/** Converts compiled code to bytes. Library addresses are 0. */
export function toBytes(object: string): Uint8Array {
  return hexToBytes(`0x${object.replace(PLACEHOLDER, '0'.repeat(40))}`)
}

function toPattern({ object, libraries, immutables }: CompiledCode): CodePattern {
  const links = [...object.matchAll(PLACEHOLDER)].map(({ index }) => ({ start: index / 2, length: 20 }))
  const bytes = toBytes(object)
  const words = immutables ?? positionsOf(bytes, PUSHED_ZEROS).map((at) => ({ start: at + 1, length: 32 }))
  return {
    bytes,
    unknown: mark(bytes, [...links, ...libraries, ...words, ...ownAddress(bytes)]),
    metadata: mark(bytes, metadataHashes(bytes)),
    length: lengthWithoutMetadata(bytes),
  }
}

function matchRuntime(pattern: CodePattern, code: Uint8Array): CodeMatch {
  if (lengthWithoutMetadata(code) !== pattern.length || pattern.length === 0) return undefined
  return compare(pattern, code, code.length === pattern.bytes.length)
}

/** Compares an initcode, which may end with constructor arguments. */
function matchCreation(pattern: CodePattern, code: Uint8Array): CodeMatch {
  if (code.length < pattern.length || pattern.length === 0) return undefined
  return compare(pattern, code, code.length >= pattern.bytes.length)
}

/** How many bytes a deployed code must have to be searched for in an initcode. */
const MIN_WITHIN = 24

/** Compares deployed code with the end of solc's initcode. The initcode pushes the position where that end begins. */
function matchDeployed(pattern: CodePattern, code: Uint8Array): CodeMatch {
  const at = pattern.bytes.length - code.length
  if (at <= 0 || code.length < MIN_WITHIN || !pushes(pattern.bytes.subarray(0, at), at)) return undefined
  const rest = (marks: Uint8Array) => marks.subarray(at)
  const deployed = {
    bytes: rest(pattern.bytes),
    unknown: rest(pattern.unknown),
    metadata: rest(pattern.metadata),
    length: Math.max(pattern.length - at, 0),
  }
  return matchRuntime(deployed, code)
}

function pushes(code: Uint8Array, value: number): boolean {
  const isPushed = (push: readonly number[]) => positionsOf(code, push).length > 0
  return (value < 256 && isPushed([0x60, value])) || isPushed([0x61, value >> 8, value & 255])
}

function positionsOf(code: Uint8Array, part: readonly number[]): number[] {
  const positions: number[] = []
  for (let at = code.indexOf(part[0]!); at >= 0; at = code.indexOf(part[0]!, at + 1)) {
    if (part.every((byte, i) => code[at + i] === byte)) positions.push(at)
  }
  return positions
}

function compare(
  { bytes, unknown, metadata, length }: CodePattern,
  code: Uint8Array,
  whole: boolean,
): CodeMatch {
  let exact = whole
  for (let at = 0; at < length; at++) {
    if (bytes[at] === code[at] || unknown[at] === 1) continue
    if (metadata[at] === 0) return undefined
    exact = false
  }
  for (let at = length; exact && at < bytes.length; at++) exact = bytes[at] === code[at]
  return exact ? 'exact' : 'similar'
}

function mark({ length }: Uint8Array, ranges: readonly CodeRange[]): Uint8Array {
  const marks = new Uint8Array(length)
  for (const { start, length } of ranges) marks.fill(1, start, start + length)
  return marks
}

const PUSH20 = 0x73

/** Compilers push 32 zero bytes for immutables only. */
const PUSHED_ZEROS = [0x7f, ...new Uint8Array(32)]

/** Returns the range of a library's own address: a library's code begins with it, to refuse direct calls. */
function ownAddress(bytes: Uint8Array): CodeRange[] {
  const isLibrary = bytes[0] === PUSH20 && bytes.subarray(1, 21).every((byte) => byte === 0)
  return isLibrary ? [{ start: 1, length: 20 }] : []
}

/** CBOR keys of metadata hashes, and the length of each hash: `ipfs`, `bzzr0`, `bzzr1`. */
const HASHES = [
  ['64697066735822', 34],
  ['65627a7a72305820', 32],
  ['65627a7a72315820', 32],
] as const

/** Finds metadata hashes, also in nested code. */
function metadataHashes(bytes: Uint8Array): CodeRange[] {
  return HASHES.flatMap(([hex, length]) => {
    const key = [...hexToBytes(`0x${hex}`)]
    return positionsOf(bytes, key).map((at) => ({ start: at + key.length, length }))
  })
}

/** Returns the length without the CBOR at the end. The last two bytes state the length of the CBOR. */
function lengthWithoutMetadata(bytes: Uint8Array): number {
  const { length } = bytes
  if (length < 3) return length
  const start = length - 2 - (bytes[length - 2]! * 256 + bytes[length - 1]!)
  // CBOR begins with a map of one to four entries.
  return start > 0 && bytes[start]! >= 0xa1 && bytes[start]! <= 0xa4 ? start : length
}

/** The slot with a proxy's implementation (EIP-1967), without `0x`. */
export const IMPLEMENTATION_SLOT = '360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
/** The slot with a proxy's beacon (EIP-1967), without `0x`. */
export const BEACON_SLOT = 'a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'

/** Returns whether code contains a slot's number. If not, it does not read the slot. */
export function usesSlot(code: Uint8Array, slot: string): boolean {
  return bytesToHex(code).includes(slot)
}

/** Returns whether a frame forwards its whole calldata by DELEGATECALL, as clones and proxies do. */
export function passesOn({ input }: Pick<FrameStart, 'input'>, to: FrameStart): boolean {
  return to.type === 'DELEGATECALL' && equalBytes(to.input, input)
}

/** Clones: of EIP-1167, with PUSH0 (twice), with an address pushed as 32 bytes, and with immutable arguments. */
const CLONES = [
  /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/,
  /^365f5f375f5f365f73([0-9a-f]{40})5af43d5f5f3e5f3d91602a57fd5bf3/,
  /^5f5f365f5f37365f73([0-9a-f]{40})5af43d5f5f3e6029573d5ffd5b3d5ff3/,
  /^363d3d373d3d363d7f(?:0{24})([0-9a-f]{40})5af43d3d93803e603557fd5bf3/,
  /^3d3d3d3d363d3d37(?:61[0-9a-f]{4})?(?:.{0,60}?)73([0-9a-f]{40})5af43d3d93803e(?:602a|.{4})57fd5bf3/,
] as const

/** Returns the target of a clone (EIP-1167) or a delegated account (EIP-7702); undefined for other codes. */
export function delegateOf(code: Uint8Array): { kind: 'clone' | 'delegated'; to: Address } | undefined {
  if (code.length < 23 || code.length > 400) return undefined
  const hex = bytesToHex(code.subarray(0, 120)).slice(2)
  if (code.length === 23 && hex.startsWith('ef0100')) return { kind: 'delegated', to: `0x${hex.slice(6)}` }
  for (const form of CLONES) {
    const found = form.exec(hex)
    if (found !== null) return { kind: 'clone', to: `0x${found[1]!}` }
  }
  return undefined
}
