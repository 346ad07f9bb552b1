/** Attributes recorded gas to contracts by code, and to methods by selector. */

import { hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hex } from '../../base/types.ts'
import { methodsOf } from '../../inspect/explain/abi.ts'
import type { Contract } from '../../inspect/explain/artifacts.ts'
import { delegateOf, Identifier } from '../../inspect/explain/identify.ts'
import type { GasRecord, RecordedCode } from './record.ts'

/** A sample with its contract and method, if they are known. */
export interface Attributed {
  /** Undefined if no artifact matches the code. */
  readonly contract: Contract | undefined
  readonly address: Address
  /** The proxies that the call went through, outermost first; an unknown proxy by its standard, such as `EIP-1967`. */
  readonly via: readonly (Contract | string)[]
  /** The signature, `receive()` or `fallback()`; the selector if none is known. Undefined for a deployment. */
  readonly method: string | undefined
  readonly gas: number
  readonly count: number
  /** The size of the deployed code in bytes. */
  readonly size: number
}

/** Attributes the samples of records; identifies each code once. */
export class Attributor {
  /** The contracts that have code, sorted by name. */
  readonly contracts: readonly Contract[]
  readonly #crypto: Crypto
  readonly #identifier: Identifier
  readonly #identified = new Map<string, Contract | undefined>()
  /** Contracts whose code has different metadata than the artifact. */
  readonly inexact = new Set<Contract>()

  constructor(contracts: readonly Contract[], crypto: Crypto) {
    this.#crypto = crypto
    this.contracts = contracts
      .filter(({ runtime, creation }) => runtime !== undefined || creation !== undefined)
      .sort((a, b) => compareTexts(qualifiedNameOf(a), qualifiedNameOf(b)))
      // A contract occurs twice if both its artifact and its build info are given.
      .filter((one, at, all) => at === 0 || qualifiedNameOf(one) !== qualifiedNameOf(all[at - 1]!))
    this.#identifier = new Identifier(this.contracts)
  }

  attribute({ codes: all, samples }: GasRecord): Attributed[] {
    return samples.map(({ address, codes: indices, selector, gas, count }) => {
      const codes = indices.flatMap((index) => all[index] ?? [])
      const contracts = codes.map((code) => this.#identify(code))
      const last = Math.max(contracts.length - 1, 0)
      const contract = contracts[last]
      const via = codes.slice(0, last).map((code, at) => contracts[at] ?? standardOf(code))
      const method = selector === null ? undefined : this.#nameMethod(contract, selector)
      return { contract, address, via, method, gas, count, size: ((codes[0]?.runtime.length ?? 2) - 2) / 2 }
    })
  }

  #identify({ runtime, creation }: RecordedCode): Contract | undefined {
    return getOrInsert(this.#identified, `${runtime} ${creation}`, () => {
      const code = hexToBytes(runtime)
      const found =
        (creation && this.#identifier.creation(hexToBytes(creation))) ??
        this.#identifier.runtime(code, this.#crypto.keccak256Hex(code))
      if (found?.isExact === false) this.inexact.add(found.contract)
      return found?.contract
    })
  }

  #nameMethod(contract: Contract | undefined, selector: Hex): string {
    if (contract === undefined) return selector
    const method = methodsOf(contract, this.#crypto).get(selector)
    if (method !== undefined) return method.signature
    const types = new Set(contract.abi.map(({ type }) => type))
    if (selector === '0x' && types.has('receive')) return 'receive()'
    return types.has('fallback') ? 'fallback()' : selector
  }
}

function standardOf({ runtime }: RecordedCode): string {
  const delegate = delegateOf(hexToBytes(runtime))
  if (delegate === undefined) return 'EIP-1967'
  return delegate.kind === 'delegated' ? 'EIP-7702' : 'EIP-1167'
}

/** Compares by code units, independent of the machine's locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the source path and the name, such as `contracts/Token.sol:Token`; the name alone if the source is unknown. */
export function qualifiedNameOf({ source, name }: Contract): string {
  return source === undefined ? name : `${source}:${name}`
}
