/**
 * Names contracts by their codes.
 *
 * Owns: the prepared codes of the artifacts, made when the first code is identified, and the answers by code.
 */

import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hex } from '../../base/types.ts'
import { ConsoleDecoder } from '../../core/trace/consoleDecoder.ts'
import { AbiDecoder } from './abi.ts'
import { type CompiledCode, type Contract, type ReadArtifacts, readArtifacts } from './artifacts.ts'
import {
  type CodeMatch,
  type CodePattern,
  matchCreation,
  matchDeployed,
  matchRuntime,
  toPattern,
} from './code.ts'

/** The contract of a code. */
export interface Identified {
  readonly contract: Contract
  /** Whether also its metadata is that of the artifact. */
  readonly isExact: boolean
}

interface Candidate {
  readonly contract: Contract
  readonly pattern: CodePattern
}

/** Identifies codes; see the file's header. */
export class Identifier {
  readonly #contracts: readonly Contract[]
  readonly #known = new Map<Hex, Identified | undefined>()
  #runtime: readonly Candidate[] | undefined
  /** The initcodes of those without a deployed code. */
  #deployed: readonly Candidate[] | undefined
  #creation: readonly Candidate[] | undefined

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts
  }

  /** The contract with this deployed code. @param key - stands for the code, such as its keccak256. */
  runtime(code: Uint8Array, key: Hex): Identified | undefined {
    if (this.#known.has(key)) return this.#known.get(key)
    this.#runtime ??= this.#candidates('runtime')
    this.#deployed ??= this.#candidates('creation').filter(({ contract }) => contract.runtime === undefined)
    const found =
      best(this.#runtime, (pattern) => matchRuntime(pattern, code)) ??
      best(this.#deployed, (pattern) => matchDeployed(pattern, code))
    this.#known.set(key, found)
    return found
  }

  /** The contract that an initcode creates. */
  creation(code: Uint8Array): Identified | undefined {
    // The longest first: the code of one contract may begin with that of another.
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

// Artifacts with what is derived from them.
//
// Owns: the results by object, so that artifacts that are passed again are not read again.

/** Artifacts, ready to explain executions. */
export interface PreparedArtifacts extends ReadArtifacts {
  readonly crypto: Crypto
  readonly identifier: Identifier
  readonly abi: AbiDecoder
  readonly console: ConsoleDecoder
}

const prepared = new WeakMap<object, PreparedArtifacts>()

/** Prepares artifacts; cached by object. @param artifacts - anything; see {@link readArtifacts}. */
export function prepareArtifacts(artifacts: unknown, crypto: Crypto): PreparedArtifacts {
  const key = typeof artifacts === 'object' && artifacts !== null ? artifacts : undefined
  const known = key && prepared.get(key)
  if (known !== undefined) return known
  const read = readArtifacts(artifacts)
  const made = {
    ...read,
    crypto,
    identifier: new Identifier(read.contracts),
    abi: new AbiDecoder(crypto, read.contracts),
    console: new ConsoleDecoder(crypto),
  }
  if (key !== undefined) prepared.set(key, made)
  return made
}
