/** The entries of ABIs that causes depend on: the functions of a contract by selector. */
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hex } from '../../base/types.ts'
import type { AbiEntry, AbiParameter, Contract } from '../explain/artifacts.ts'
import { methodsOf } from '../explain/methods.ts'

/** A function that a call can enter. */
export interface Entry {
  readonly name: string
  readonly isPayable: boolean
  /** The least number of bytes of arguments; undefined if the ABI does not state them. */
  readonly argumentBytes: number | undefined
}

/** The functions of a contract by selector. */
export function functionsOf(contract: Contract, crypto: Crypto): Map<Hex, Entry> {
  const methods = [...methodsOf(contract, crypto)]
  return new Map(methods.map(([selector, { entry, isInAbi }]) => [selector, toEntry(entry, isInAbi)]))
}

/** The constructor, `receive` or `fallback` of a contract; undefined if it has none. */
export function findSpecial({ abi }: Contract, type: string): Entry | undefined {
  const entry = abi.find((one) => one.type === type)
  return entry && { ...toEntry(entry), name: type }
}

function toEntry(
  { name = '', inputs = [], ...entry }: AbiEntry & { readonly payable?: boolean },
  hasInputs = true,
): Entry {
  const argumentBytes = 32 * inputs.reduce((sum, input) => sum + (wordsOf(input) ?? 1), 0)
  return {
    name,
    isPayable: entry.stateMutability === 'payable' || entry.payable === true,
    argumentBytes: hasInputs ? argumentBytes : undefined,
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
