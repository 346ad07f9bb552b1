/** The entries of ABIs that causes depend on: the functions of a contract by selector. */
import type { Crypto } from '../crypto/crypto.ts'
import type { AbiEntry, AbiParameter, Contract } from '../explain/artifacts.ts'
import { signatureOf } from '../explain/signature.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import { TextEncoder } from '../primitives/textEncoding.ts'
import type { Hex } from '../primitives/types.ts'
import { methodsOf } from './sources.ts'

/** A function that a call can enter. */
export interface Entry {
  readonly name: string
  readonly isPayable: boolean
  /** The least number of bytes of arguments; undefined if the ABI does not state them. */
  readonly argumentBytes: number | undefined
}

/** The functions of a contract by selector. */
export function functionsOf(contract: Contract, crypto: Crypto): Map<Hex, Entry> {
  const functions = new Map<Hex, Entry>()
  // Those of libraries take references to storage, whose types the ABI does not state.
  for (const [signature, selector] of Object.entries(methodsOf(contract))) {
    const name = signature.split('(')[0]!
    functions.set(`0x${selector}`, { name, isPayable: false, argumentBytes: undefined })
  }
  for (const entry of contract.abi) {
    if (entry.type === 'function') functions.set(selectorOf(entry, crypto), toEntry(entry))
  }
  return functions
}

/** The constructor, `receive` or `fallback` of a contract; undefined if it has none. */
export function findSpecial({ abi }: Contract, type: string): Entry | undefined {
  const entry = abi.find((one) => one.type === type)
  return entry && { ...toEntry(entry), name: type }
}

/** The first 4 bytes of the hash of a function's signature. */
export function selectorOf(entry: AbiEntry, crypto: Crypto): Hex {
  return bytesToHex(crypto.keccak256(new TextEncoder().encode(signatureOf(entry))).subarray(0, 4))
}

function toEntry({ name = '', inputs = [], ...entry }: AbiEntry & { readonly payable?: boolean }): Entry {
  return {
    name,
    isPayable: entry.stateMutability === 'payable' || entry.payable === true,
    argumentBytes: 32 * inputs.reduce((sum, input) => sum + (wordsOf(input) ?? 1), 0),
  }
}

/** The words of a parameter in place; undefined for a dynamic type, which has an offset there. */
function wordsOf({ type, components = [] }: AbiParameter): number | undefined {
  const [, element, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? []
  if (element !== undefined) {
    const words = wordsOf({ type: element, components })
    return length === '' || words === undefined ? undefined : words * Number(length)
  }
  if (type === 'string' || type === 'bytes') return undefined
  if (type !== 'tuple') return 1
  let sum = 0
  for (const component of components) {
    const words = wordsOf(component)
    if (words === undefined) return undefined
    sum += words
  }
  return sum
}
