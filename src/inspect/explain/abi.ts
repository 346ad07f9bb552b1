/** Decodes calldata, reverts and events by ABIs. Owns: ABI entries by selector and topic, hashed on first use. */

import { decode as decodeParameters } from 'ox/AbiParameters'
import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { toObject } from '../../base/schema.ts'
import { TextEncoder } from '../../base/textEncoding.ts'
import type { Hash, Hex } from '../../base/types.ts'
import type { AbiEntry, AbiParameter, Contract } from './artifacts.ts'
import type { Argument, ArgumentValue, Decoded } from './tree.ts'

interface Entry {
  readonly entry: AbiEntry
  readonly signature: string
  /** False if a parameter has a type that only Solidity knows. */
  readonly isDecodable: boolean
}

/** Entries of one or more ABIs. Entries with the same selector are all kept. */
interface Entries {
  /** By the first 4 bytes of the signature hash. */
  readonly functions: ReadonlyMap<Hex, readonly Entry[]>
  readonly errors: ReadonlyMap<Hex, readonly Entry[]>
  /** By signature hash. */
  readonly events: ReadonlyMap<Hex, readonly Entry[]>
}

/** A decoded call and the types of its results. */
interface DecodedCall extends Decoded {
  readonly outputs: readonly AbiParameter[]
}

/** Decodes with the ABI of a contract, then with the ABIs of all contracts. */
export class AbiDecoder {
  readonly #crypto: Crypto
  readonly #contracts: readonly Contract[]
  readonly #own = new Map<Contract, Entries>()
  #all: Entries | undefined

  constructor(crypto: Crypto, contracts: readonly Contract[]) {
    this.#crypto = crypto
    this.#contracts = contracts
  }

  /** Decodes calldata. @param contract - the called contract, if known. */
  call(contract: Contract | undefined, data: Uint8Array): DecodedCall | undefined {
    if (data.length < 4) return special(contract, data.length === 0 ? ['receive', 'fallback'] : ['fallback'])
    const args = data.subarray(4)
    const found = this.#find(contract, 'functions', bytesToHex(data.subarray(0, 4)), (one) =>
      one.isDecodable
        ? decodeArguments(one.entry.inputs ?? [], args)
        : [{ name: '', type: 'bytes', value: bytesToHex(args) }],
    )
    if (found === undefined) return special(contract, ['fallback'])
    return { ...toDecoded(found), outputs: found.entry.outputs ?? [] }
  }

  /** Decodes the constructor arguments that follow the creation code. */
  creation(contract: Contract, initcode: Uint8Array): Decoded | undefined {
    const inputs = contract.abi.find(({ type }) => type === 'constructor')?.inputs ?? []
    const start = (contract.creation?.object.length ?? 0) / 2
    const args = decodeArguments(inputs, initcode.subarray(start))
    return args && { name: 'constructor', signature: signatureOf({ name: 'constructor', inputs }), args }
  }

  /** Decodes `Error(string)`, `Panic(uint256)` or a custom error. */
  revert(contract: Contract | undefined, data: Uint8Array): Decoded | undefined {
    if (data.length < 4) return undefined
    const selector = bytesToHex(data.subarray(0, 4))
    const read = ({ inputs = [] }: AbiEntry) => decodeArguments(inputs, data.subarray(4))
    const builtIn = BUILT_IN.get(selector)
    const args = builtIn && read(builtIn)
    if (args !== undefined) return toDecoded({ entry: builtIn!, signature: signatureOf(builtIn!), args })
    const found = this.#find(contract, 'errors', selector, (one) => read(one.entry))
    return found && toDecoded(found)
  }

  event(contract: Contract | undefined, topics: readonly Hash[], data: Uint8Array): Decoded | undefined {
    const [first] = topics
    if (first === undefined) return undefined
    const found = this.#find(contract, 'events', first, ({ entry }) =>
      decodeEvent(entry.inputs ?? [], topics.slice(1), data),
    )
    return found && toDecoded(found)
  }

  #find(
    contract: Contract | undefined,
    kind: keyof Entries,
    key: Hex,
    decode: (entry: Entry) => readonly Argument[] | undefined,
  ): (Entry & { readonly args: readonly Argument[] }) | undefined {
    const own = contract && getOrInsert(this.#own, contract, () => this.#index([contract]))
    this.#all ??= this.#index(this.#contracts)
    for (const one of [...(own?.[kind].get(key) ?? []), ...(this.#all[kind].get(key) ?? [])]) {
      const args = decode(one)
      if (args !== undefined) return { ...one, args }
    }
    return undefined
  }

  #index(contracts: readonly Contract[]): Entries {
    const functions = new Map<Hex, Entry[]>()
    const errors = new Map<Hex, Entry[]>()
    const events = new Map<Hex, Entry[]>()
    const seen = new Set<string>()
    const add = (entries: Map<Hex, Entry[]>, key: Hex, one: Entry): void => {
      // Entries with the same signature can differ in names and indexed parameters.
      const id = `${one.entry.type} ${one.signature} ${JSON.stringify(one.entry.inputs)}`
      if (seen.has(id)) return
      seen.add(id)
      getOrInsert(entries, key, () => []).push(one)
    }
    for (const contract of contracts) {
      for (const [selector, method] of methodsOf(contract, this.#crypto)) add(functions, selector, method)
      for (const entry of contract.abi) {
        const { type, name, anonymous } = entry
        if (name === undefined || anonymous) continue
        const one = { entry, signature: signatureOf(entry), isDecodable: true }
        const hash = hashOf(one.signature, this.#crypto)
        if (type === 'event') add(events, hash, one)
        else if (type === 'error') add(errors, toSelector(hash), one)
      }
    }
    return { functions, errors, events }
  }
}

const BUILT_IN: ReadonlyMap<Hex, AbiEntry> = new Map([
  ['0x08c379a0', { type: 'error', name: 'Error', inputs: [{ type: 'string', name: 'message' }] }],
  ['0x4e487b71', { type: 'error', name: 'Panic', inputs: [{ type: 'uint256', name: 'code' }] }],
])

/** Returns the first of these special functions that the contract has; undefined if it has none. */
function special(contract: Contract | undefined, names: readonly string[]): DecodedCall | undefined {
  const name = names.find((type) => contract?.abi.some((entry) => entry.type === type))
  return name === undefined ? undefined : { name, signature: `${name}()`, args: [], outputs: [] }
}

/** Decodes ABI-encoded parameters. Returns undefined if the data does not fit them or is nested too deeply. */
export function decodeArguments(
  parameters: readonly AbiParameter[],
  data: Uint8Array,
): readonly Argument[] | undefined {
  if (parameters.length === 0) return []
  try {
    const values = decodeParameters(parameters.map(withoutName), data) as readonly unknown[]
    return parameters.map((parameter, i) => toArgument(parameter, values[i]))
  } catch {
    // Any error of the ABI library means malformed data.
    return undefined
  }
}

function decodeEvent(
  parameters: readonly AbiParameter[],
  topics: readonly Hash[],
  data: Uint8Array,
): readonly Argument[] | undefined {
  const inData = parameters.filter((parameter) => !parameter.indexed)
  const others = decodeArguments(inData, data)
  if (others === undefined || parameters.length - inData.length !== topics.length) return undefined
  let [atTopic, atData] = [0, 0]
  const args = parameters.map((parameter): Argument | undefined => {
    if (!parameter.indexed) return others[atData++]
    const topic = topics[atTopic++]!
    const { name = '', type } = parameter
    // An event has only the hash of an indexed string, bytes, array or struct, even of fixed size.
    if (/^(string|bytes|tuple)$|\]$/.test(type)) return { name, type, value: topic, isHash: true }
    return decodeArguments([parameter], hexToBytes(topic))?.[0]
  })
  return args.every((one) => one !== undefined) ? args : undefined
}

/** Drops names, so that structs are decoded as lists: their fields may have no names, or equal names. */
function withoutName({ type, components }: AbiParameter): AbiParameter {
  return { type, ...(components && { components: components.map(withoutName) }) }
}

function toArgument(parameter: AbiParameter, value: unknown): Argument {
  const { name = '', type } = parameter
  return { name, type, value: toValue(parameter, value) }
}

function toValue(parameter: AbiParameter, value: unknown): ArgumentValue {
  const { type, components = [] } = parameter
  const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
  if (element !== undefined) {
    return (value as readonly unknown[]).map((one) => toValue({ ...parameter, type: element }, one))
  }
  if (type === 'tuple') return components.map((one, i) => toArgument(one, (value as readonly unknown[])[i]))
  if (typeof value === 'number') return BigInt(value)
  // The ABI library adds a checksum.
  if (type === 'address') return (value as string).toLowerCase()
  return value as bigint | boolean | string
}

function toDecoded({ entry, signature, args }: Omit<Entry, 'isDecodable'> & Pick<Decoded, 'args'>): Decoded {
  return { name: entry.name!, signature, args }
}

// Functions by selector, shared by call trees, stack traces and gas reports; see `inspect/DECISIONS.md 43b`.

/** A function that a call can enter, from the ABI or the compiler's list. */
export interface Method extends Entry {
  readonly isInAbi: boolean
}

const known = new WeakMap<Contract, ReadonlyMap<Hex, Method>>()

/** Returns functions by selector. Without the compiler's list, each also has the selector of a library's function. */
export function methodsOf(contract: Contract, crypto: Crypto): ReadonlyMap<Hex, Method> {
  return getOrInsert(known, contract, () => readMethods(contract, crypto))
}

/** Returns whether the compiler listed all functions of a contract, including functions in no ABI. */
export function hasMethodList(contract: Contract): boolean {
  return Object.keys(identifiersOf(contract)).length > 0
}

function hashOf(signature: string, crypto: Crypto): Hash {
  return bytesToHex(crypto.keccak256(new TextEncoder().encode(signature)))
}

function toSelector(hash: Hash): Hex {
  return hash.slice(0, 10) as Hex
}

function readMethods(contract: Contract, crypto: Crypto): ReadonlyMap<Hex, Method> {
  const listed = new Map<Hex, string>()
  for (const [signature, selector] of Object.entries(identifiersOf(contract)))
    listed.set(`0x${selector}`, signature)
  const methods = new Map<Hex, Method>()
  for (const entry of contract.abi) {
    if (entry.type !== 'function' || entry.name === undefined) continue
    for (const signature of new Set([signatureOf(entry), signatureOf(entry, libraryTypeOf)])) {
      const selector = toSelector(hashOf(signature, crypto))
      if (listed.size > 0 && !listed.has(selector)) continue
      methods.set(selector, { signature, entry: toPlain(entry), isDecodable: true, isInAbi: true })
    }
  }
  for (const [selector, signature] of listed) {
    if (!methods.has(selector)) methods.set(selector, toMethod(signature))
  }
  return methods
}

/** Replaces the types of enums and contracts, which are Solidity's in a library's ABI, by `uint8` and `address`. */
function toPlain(entry: AbiEntry): AbiEntry {
  const { inputs = [], outputs = [] } = entry
  return { ...entry, inputs: inputs.map(toPlainParameter), outputs: outputs.map(toPlainParameter) }
}

function toPlainParameter(parameter: AbiParameter): AbiParameter {
  const { internalType = '', components } = parameter
  const [, kind, suffix] = /^(enum|contract) [^[]*(.*)$/.exec(internalType) ?? []
  return {
    ...parameter,
    ...(kind !== undefined && { type: `${kind === 'enum' ? 'uint8' : 'address'}${suffix}` }),
    ...(components && { components: components.map(toPlainParameter) }),
  }
}

/** Types with a known encoding. `toMethod` replaces storage references, encoded as slot numbers, by `uint256`. */
const ELEMENTARY = /^(?:u?int\d*|address|bool|bytes\d*|string)(?:\[\d*\])*$/

function toMethod(signature: string): Method {
  const [, name = signature, list = ''] = /^([^(]*)\((.*)\)$/.exec(signature) ?? []
  const types = list === '' ? [] : splitTypes(list)
  const inputs = types.map((type) => ({ type: type.endsWith(' storage') ? 'uint256' : type, name: '' }))
  const isDecodable = inputs.every(({ type }) => ELEMENTARY.test(type))
  const entry = { type: 'function', name, inputs: isDecodable ? inputs : [] }
  return { signature, entry, isDecodable, isInAbi: false }
}

function splitTypes(list: string): string[] {
  const types: string[] = ['']
  let depth = 0
  for (const character of list) {
    if (character === '(') depth++
    else if (character === ')') depth--
    if (character === ',' && depth === 0) types.push('')
    else types.push(types.pop()! + character)
  }
  return types
}

/** Returns selectors by signature. Empty if the compiler output lacks them. */
function identifiersOf({ build, source = '', name, methods }: Contract): Readonly<Record<string, string>> {
  if (methods !== undefined) return methods
  const path = ['output', 'contracts', source, name, 'evm', 'methodIdentifiers']
  return path.reduce((at, key) => toObject(at[key]), toObject(build)) as Record<string, string>
}

/** Returns a signature such as `transfer(address,uint256)`. */
function signatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>, toText = typeOf): string {
  return `${name}(${inputs.map((input) => toText(input)).join()})`
}

function typeOf({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(typeOf).join()})${type.slice('tuple'.length)}` : type
}

/** Returns the Solidity type that library signatures contain, such as `Lib.S[]`. */
function libraryTypeOf(parameter: AbiParameter): string {
  const [, named] = /^(?:struct|enum|contract) (.+)$/.exec(parameter.internalType ?? '') ?? []
  return named ?? typeOf(parameter)
}
