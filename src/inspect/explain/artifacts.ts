/** Reads artifacts of Hardhat 2 and 3, Foundry and viem (`as const`), bare ABIs, and build info. */
import { isObject as isRecord } from '../../base/schema.ts'
import type { Address } from '../../base/types.ts'

/** A parameter of an ABI entry, or a component of a tuple. */
export interface AbiParameter {
  readonly type: string
  readonly name?: string
  readonly indexed?: boolean
  /** The Solidity type, such as `struct Lib.S`. */
  readonly internalType?: string
  readonly components?: readonly AbiParameter[]
}

/** An ABI entry in JSON, such as a function, an event or an error. */
export interface AbiEntry {
  readonly type: string
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
  readonly anonymous?: boolean
  readonly stateMutability?: string
}

/** A range of a code, in bytes. */
export interface CodeRange {
  readonly start: number
  readonly length: number
}

/** A code as the compiler wrote it, before libraries and immutables are filled in. */
export interface CompiledCode {
  /** Hex without a prefix. Library addresses may be placeholders (`__$…$__`). */
  readonly object: string
  readonly sourceMap?: string
  /** Where the code has library addresses. Placeholders are found without this list. */
  readonly libraries: readonly CodeRange[]
  /** Where the code has immutables; undefined if the artifact does not list them. */
  readonly immutables?: readonly CodeRange[]
}

/** A contract of an artifact, an ABI or build info. */
export interface Contract {
  readonly name: string
  /** The path of the source file. */
  readonly source?: string
  /** The deployed address, if the artifact states it. */
  readonly address?: Address
  readonly abi: readonly AbiEntry[]
  readonly creation?: CompiledCode
  readonly runtime?: CompiledCode
  /** Selectors by signature, which Foundry's artifacts have. */
  readonly methods?: Readonly<Record<string, string>>
  /** The build info of the contract: `input` and `output` of solc, with settings, sources and syntax trees. */
  readonly build?: Json
}

/** The contracts of artifacts. Each note names an artifact that is not used, and the reason. */
export interface ReadArtifacts {
  readonly contracts: readonly Contract[]
  readonly notes: readonly string[]
}

/** An artifact of Hardhat, Foundry or viem. */
export interface Artifact {
  readonly abi: readonly unknown[]
  /** The contract name in Hardhat's artifacts. */
  readonly contractName?: string
  /** The contract name if an artifact has neither `contractName` nor metadata. */
  readonly name?: string
  /** The contract address. Needed only if the artifact has no code. */
  readonly address?: string
  /** The creation code, as hex or as the `{ object }` of solc and Foundry. */
  readonly bytecode?: unknown
  readonly deployedBytecode?: unknown
}

/** Build info: `input` and `output` of solc, or `output` alone. */
export interface BuildInfo {
  readonly output: { readonly contracts?: object }
  readonly input?: object
}

/** An artifact, an ABI, build info, or several of them as a list or by name. */
export type Artifacts =
  | Artifact
  | BuildInfo
  | readonly (Artifacts | unknown)[]
  | { readonly [name: string]: Artifacts | unknown }

type Json = Readonly<Record<string, unknown>>

/** Accepts lists too: their items are read by index. */
const isObject = (value: unknown): value is Json => Array.isArray(value) || isRecord(value)

/** How deep lists and records may be nested, such as files by folder. */
const MAX_DEPTH = 8

const MAX_NOTES = 20

/** Reads artifacts of any shape. Unusable values become notes. */
export function readArtifacts(artifacts: unknown): ReadArtifacts {
  const contracts: Contract[] = []
  const notes: string[] = []
  const note = (path: string, reason: string): void => {
    if (notes.length < MAX_NOTES) notes.push(`artifact ${path || '(the only one)'} is not used: ${reason}`)
  }
  const read = (value: unknown, name: string, depth: number): void => {
    if (isAbi(value)) {
      contracts.push({ name: baseName(name), abi: readAbi(value) })
    } else if (!isObject(value)) {
      note(name, 'it is neither an artifact, an ABI nor build info')
    } else if (Array.isArray(value['abi'])) {
      contracts.push(readArtifact(value, baseName(name)))
    } else if (contractsOf(value) !== undefined) {
      contracts.push(...readBuildInfo(value))
    } else if (isOther(value)) {
      // Compilers write these next to artifacts.
    } else if (depth === MAX_DEPTH) {
      note(name, `it is nested more than ${MAX_DEPTH} levels deep`)
    } else {
      for (const [key, one] of Object.entries(value))
        read(one, name === '' ? key : `${name}/${key}`, depth + 1)
    }
  }
  if (artifacts !== undefined && artifacts !== null) read(artifacts, '', 0)
  return { contracts, notes }
}

/** Matches Hardhat 2's `*.dbg.json`, Hardhat 3's build info without output, and Foundry's cache. */
function isOther(value: Json): boolean {
  const format = value['_format']
  if (typeof format === 'string' && /dbg|build-info|cache|sol-/.test(format)) return true
  return typeof value['solcVersion'] === 'string' && isObject(value['input'])
}

function isAbi(value: unknown): value is readonly unknown[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isObject(entry) && typeof entry['type'] === 'string' && !('abi' in entry))
  )
}

function readArtifact(artifact: Json, name: string): Contract {
  const { contractName, sourceName, address, methodIdentifiers } = artifact
  const { bytecode, linkReferences, deployedBytecode, deployedLinkReferences, immutableReferences } = artifact
  const target = compilationTarget(artifact)
  const source = target?.[0] ?? text(sourceName)
  const isAddress = typeof address === 'string' && /^0x[0-9a-f]{40}$/i.test(address)
  return {
    name: text(contractName) ?? target?.[1] ?? text(artifact['name']) ?? (name || 'Contract'),
    ...(source !== undefined && { source }),
    ...(isAddress && { address: address.toLowerCase() as Address }),
    abi: readAbi(artifact['abi'] as readonly unknown[]),
    ...codesOf(
      readCode(bytecode, linkReferences),
      readCode(deployedBytecode, deployedLinkReferences, immutableReferences),
    ),
    ...(isObject(methodIdentifiers) && { methods: methodIdentifiers as Readonly<Record<string, string>> }),
  }
}

/** Returns the source and the name in the metadata of Foundry's artifacts. */
function compilationTarget({ metadata, rawMetadata }: Json): readonly [string, string] | undefined {
  let read = metadata
  if (!isObject(read) && typeof rawMetadata === 'string') read = parse(rawMetadata)
  const settings = isObject(read) ? read['settings'] : undefined
  const target = isObject(settings) ? settings['compilationTarget'] : undefined
  const [entry] = isObject(target) ? Object.entries(target) : []
  return entry !== undefined && typeof entry[1] === 'string' ? [entry[0], entry[1]] : undefined
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function contractsOf({ output, contracts }: Json): Json | undefined {
  const found = isObject(output) ? output['contracts'] : contracts
  return isObject(found) && !Array.isArray(found) ? found : undefined
}

function readBuildInfo(build: Json): Contract[] {
  return Object.entries(contractsOf(build)!).flatMap(([source, file]) =>
    Object.entries(isObject(file) ? file : {}).flatMap(([name, contract]) => {
      const { abi, evm } = isObject(contract) ? contract : {}
      if (!Array.isArray(abi)) return []
      const { bytecode, deployedBytecode } = isObject(evm) ? evm : {}
      const codes = codesOf(readCode(bytecode), readCode(deployedBytecode))
      return [{ name, source, abi: readAbi(abi), ...codes, build }]
    }),
  )
}

function codesOf(creation: CompiledCode | undefined, runtime: CompiledCode | undefined) {
  return { ...(creation && { creation }), ...(runtime && { runtime }) }
}

/** @param code - hex, or solc's object. */
function readCode(code: unknown, links?: unknown, immutables?: unknown): CompiledCode | undefined {
  const given: Json = isObject(code) ? code : { object: code }
  const { object, sourceMap, linkReferences = links, immutableReferences = immutables } = given
  if (typeof object !== 'string') return undefined
  const hex = object.replace(/^0x/, '')
  if (hex === '' || hex.length % 2 === 1 || !/^([0-9a-fA-F]|__.{36}__)*$/.test(hex)) return undefined
  return {
    object: hex,
    ...(typeof sourceMap === 'string' && { sourceMap }),
    libraries: rangesOf(linkReferences),
    ...(isObject(immutableReferences) && { immutables: rangesOf(immutableReferences) }),
  }
}

/** Collects ranges at any depth: `{ [id]: ranges }`, `{ [file]: { [library]: ranges } }`. */
function rangesOf(value: unknown): CodeRange[] {
  if (!isObject(value)) return []
  const { start, length } = value
  if (typeof start === 'number' && typeof length === 'number') return [{ start, length }]
  return Object.values(value).flatMap(rangesOf)
}

function readAbi(entries: readonly unknown[]): AbiEntry[] {
  return entries.filter(
    (entry): entry is AbiEntry =>
      isObject(entry) &&
      typeof entry['type'] === 'string' &&
      [entry['inputs'], entry['outputs']].every((list) => isParameters(list, 0)),
  )
}

function isParameters(list: unknown, depth: number): boolean {
  if (list === undefined) return true
  if (depth > MAX_DEPTH * 4 || !Array.isArray(list)) return false
  return list.every(
    (one) => isObject(one) && typeof one['type'] === 'string' && isParameters(one['components'], depth + 1),
  )
}

/** Returns `Token` for `out/Token.sol/Token.json`. */
function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, '')
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
