/**
 * The functions of a contract by selector: one table for call trees, stack traces and gas reports.
 *
 * The selector of a library's function is the hash of Solidity's types, such as `f(Lib.S)` for a struct, and not of the ABI's. Functions
 * that take references to storage are in no ABI: the compiler names them in `evm.methodIdentifiers`.
 */

import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { isObject } from '../../base/schema.ts'
import { TextEncoder } from '../../base/textEncoding.ts'
import type { Hex } from '../../base/types.ts'
import type { AbiEntry, AbiParameter, Contract } from './artifacts.ts'

/** A function that a call can enter. */
export interface Method {
  readonly signature: string
  /** Its entry in the ABI; else one of its name, whose parameters are known if none of them is a type of Solidity alone. */
  readonly entry: AbiEntry
  /** Whether its parameters are known. */
  readonly isDecodable: boolean
  /** Whether the ABI has it. */
  readonly isInAbi: boolean
}

type Methods = ReadonlyMap<Hex, Method>

const known = new WeakMap<Contract, Methods>()

/** The functions of a contract by selector. Without the compiler's list, those of the ABI have the selectors of both kinds. */
export function methodsOf(contract: Contract, crypto: Crypto): Methods {
  let methods = known.get(contract)
  if (methods === undefined) {
    methods = readMethods(contract, crypto)
    known.set(contract, methods)
  }
  return methods
}

/** Whether the compiler listed the functions of a contract, also those that are in no ABI. */
export function hasMethodList(contract: Contract): boolean {
  return Object.keys(identifiersOf(contract)).length > 0
}

/** The first 4 bytes of the hash of a signature. */
function selectorOf(signature: string, crypto: Crypto): Hex {
  return bytesToHex(crypto.keccak256(new TextEncoder().encode(signature)).subarray(0, 4))
}

function readMethods(contract: Contract, crypto: Crypto): Methods {
  const identifiers = identifiersOf(contract)
  const listed = new Map<Hex, string>()
  for (const [signature, selector] of Object.entries(identifiers)) listed.set(`0x${selector}`, signature)
  const methods = new Map<Hex, Method>()
  for (const entry of contract.abi) {
    if (entry.type !== 'function' || entry.name === undefined) continue
    for (const signature of new Set([signatureOf(entry), librarySignatureOf(entry)])) {
      const selector = selectorOf(signature, crypto)
      if (listed.size > 0 && !listed.has(selector)) continue
      methods.set(selector, { signature, entry: toPlain(entry), isDecodable: true, isInAbi: true })
    }
  }
  for (const [selector, signature] of listed) {
    if (!methods.has(selector)) methods.set(selector, toMethod(signature))
  }
  return methods
}

/** The ABI of a library has types of Solidity for enums and contracts, which are encoded as numbers and addresses. */
function toPlain(entry: AbiEntry): AbiEntry {
  const { inputs, outputs } = entry
  return {
    ...entry,
    ...(inputs && { inputs: inputs.map(toPlainParameter) }),
    ...(outputs && { outputs: outputs.map(toPlainParameter) }),
  }
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

/** Types whose encoding their name says: a reference to storage is the number of its slot. */
const ELEMENTARY = /^(?:u?int\d*|address|bool|bytes\d*|string)(?:\[\d*\])*$/

function toMethod(signature: string): Method {
  const [, name = signature, list = ''] = /^([^(]*)\((.*)\)$/.exec(signature) ?? []
  const types = list === '' ? [] : splitTypes(list)
  const inputs = types.map(
    (type): AbiParameter => ({ type: type.endsWith(' storage') ? 'uint256' : type, name: '' }),
  )
  const isDecodable = inputs.every(({ type }) => ELEMENTARY.test(type))
  return {
    signature,
    entry: { type: 'function', name, inputs: isDecodable ? inputs : [] },
    isDecodable,
    isInAbi: false,
  }
}

/** Splits a list of types; `mapping(address => uint256) storage` and functions have parentheses of their own. */
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

/** The selectors by signature, as the compiler listed them; empty if it was not asked for them. */
function identifiersOf({ build, source = '', name, methods }: Contract): Readonly<Record<string, string>> {
  if (methods !== undefined) return methods
  const path = ['output', 'contracts', source, name, 'evm', 'methodIdentifiers']
  return path.reduce((at, key) => toObject(at[key]), toObject(build)) as Record<string, string>
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

// Signatures of entries of ABIs.

/** The signature of a function, an event or an error, such as `transfer(address,uint256)`. */
export function signatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(typeOf).join()})`
}

/** The signature that a library's function has its selector of: with the names of structs, enums and contracts. */
export function librarySignatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(libraryTypeOf).join()})`
}

function typeOf({ type, components = [] }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${components.map(typeOf).join()})${type.slice('tuple'.length)}` : type
}

/** The compiler states the type of Solidity beside that of the ABI, such as `struct Lib.S[]`. */
function libraryTypeOf(parameter: AbiParameter): string {
  const [, named] = /^(?:struct|enum|contract) (.+)$/.exec(parameter.internalType ?? '') ?? []
  return named ?? typeOf(parameter)
}
