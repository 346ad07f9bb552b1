/** Attributes recorded gas to contracts by code, and to methods by selector. */

import { hexToBytes } from '../../base/bytes.ts'
import { getOrInsert } from '../../base/collections.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hex } from '../../base/types.ts'
import { methodsOf } from '../../inspect/explain/abi.ts'
import type { Contract } from '../../inspect/explain/artifacts.ts'
import { delegateOf, Identifier } from '../../inspect/explain/identify.ts'
import type { GasRecord, GasSample, RecordedCode } from './record.ts'

/** A sample with its contract and method, if they are known. */
export interface Attributed {
  /** Undefined if no artifact matches the code. */
  readonly contract: NamedContract | undefined
  readonly address: Address
  /** The proxies that the call went through, outermost first; an unknown one by its standard, such as `EIP-1967`. */
  readonly via: readonly (NamedContract | string)[]
  /** The signature, `receive()` or `fallback()`; the selector if none is known. Undefined for a deployment. */
  readonly method: string | undefined
  readonly gas: number
  readonly count: number
  /** The size of the deployed code in bytes. */
  readonly size: number
}

/** Attributes the samples of records; identifies each code once. */
export class Attributor {
  readonly #crypto: Crypto
  readonly #named: ReadonlyMap<Contract, NamedContract>
  readonly #identifier: Identifier
  readonly #identified = new Map<string, NamedContract | undefined>()
  /** Contracts whose deployed code differs slightly from the artifact's. */
  readonly inexact = new Set<NamedContract>()

  constructor(contracts: readonly NamedContract[], crypto: Crypto) {
    this.#crypto = crypto
    this.#named = new Map(contracts.map((named) => [named.contract, named]))
    this.#identifier = new Identifier(contracts.map(({ contract }) => contract))
  }

  attribute({ codes, samples }: GasRecord): Attributed[] {
    return samples.map((sample) => this.#attribute(sample, codes))
  }

  #attribute(
    { address, codes: indices, selector, gas, count }: GasSample,
    all: readonly RecordedCode[],
  ): Attributed {
    const codes = indices.flatMap((index) => all[index] ?? [])
    const contracts = codes.map((code) => this.#identify(code))
    const last = Math.max(contracts.length - 1, 0)
    const contract = contracts[last]
    const via = codes.slice(0, last).map((code, at) => contracts[at] ?? standardOf(code))
    const method = selector === null ? undefined : this.#nameMethod(contract, selector)
    return { contract, address, via, method, gas, count, size: ((codes[0]?.runtime.length ?? 2) - 2) / 2 }
  }

  #identify({ runtime, creation }: RecordedCode): NamedContract | undefined {
    return getOrInsert(this.#identified, `${runtime} ${creation}`, () => {
      const code = hexToBytes(runtime)
      const found =
        (creation && this.#identifier.creation(hexToBytes(creation))) ??
        this.#identifier.runtime(code, this.#crypto.keccak256Hex(code))
      const named = found && this.#named.get(found.contract)
      if (named !== undefined && !found?.isExact) this.inexact.add(named)
      return named
    })
  }

  #nameMethod(named: NamedContract | undefined, selector: Hex): string {
    if (named === undefined) return selector
    const method = methodsOf(named.contract, this.#crypto).get(selector)
    if (method !== undefined) return method.signature
    const types = new Set(named.contract.abi.map(({ type }) => type))
    if (selector === '0x' && types.has('receive')) return 'receive()'
    return types.has('fallback') ? 'fallback()' : selector
  }
}

function standardOf({ runtime }: RecordedCode): string {
  const delegate = delegateOf(hexToBytes(runtime))
  if (delegate === undefined) return 'EIP-1967'
  return delegate.kind === 'delegated' ? 'EIP-7702' : 'EIP-1167'
}

/** A contract with a unique name. */
export interface NamedContract {
  /** The source path and the name, such as `contracts/Token.sol:Token`; the name alone if the source is unknown. */
  readonly qualifiedName: string
  readonly contract: Contract
}

/** Names contracts, sorted by name. Leaves out contracts without code. */
export function nameContracts(contracts: readonly Contract[]): NamedContract[] {
  const named = contracts
    .filter(({ runtime, creation }) => runtime !== undefined || creation !== undefined)
    .map((contract) => ({ qualifiedName: qualifiedNameOf(contract), contract }))
    .sort((a, b) => compareTexts(a.qualifiedName, b.qualifiedName))
  // A contract occurs twice if both its artifact and its build info are given.
  return named.filter(({ qualifiedName }, at) => qualifiedName !== named[at - 1]?.qualifiedName)
}

/** Compares by code units, independent of the machine's locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function qualifiedNameOf({ source, name }: Contract): string {
  return source === undefined ? name : `${source}:${name}`
}
