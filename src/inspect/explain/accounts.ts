/**
 * What the accounts of a record are: contracts of the artifacts, first by their creation in it, else by their code.
 *
 * Owns: the answers by address.
 */

import { toWord } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address } from '../../base/types.ts'
import { CONSOLE } from '../../ethereum/evm/consoleCalls.ts'
import { EMPTY_CODE_HASH, readSlot } from '../../ethereum/state/account.ts'
import type { Contract } from './artifacts.ts'
import { delegateOf, IMPLEMENTATION_SLOT, usesSlot } from './code.ts'
import type { Identified, Identifier } from './identify.ts'
import type { PreparedArtifacts } from './preparedArtifacts.ts'
import type { RecordedFrame, Recorder } from './recorder.ts'
import type { ExplainedFrame } from './tree.ts'

/** What an account is. */
export interface KnownAccount {
  /** The contract whose code it runs. */
  readonly contract?: Contract | undefined
  readonly kind?: ExplainedFrame['account'] | undefined
}

/** The most addresses that one note names. */
const MAX_NAMED = 5

/** How many accounts may delegate to one another. */
const MAX_DELEGATES = 4

/** See the file's header. */
export class Accounts {
  readonly #recorder: Recorder
  readonly #contracts: readonly Contract[]
  readonly #identifier: Identifier
  readonly #crypto: Crypto
  readonly #known = new Map<Address, KnownAccount>()
  readonly #unidentified = new Set<Address>()
  readonly #similar = new Map<Address, Contract>()

  constructor(recorder: Recorder, { contracts, identifier, crypto }: PreparedArtifacts) {
    this.#recorder = recorder
    this.#contracts = contracts
    this.#identifier = identifier
    this.#crypto = crypto
    this.#noteCreations(recorder.root)
  }

  /** What a frame runs the code of. */
  ofFrame(frame: RecordedFrame): KnownAccount {
    const { to, created, input } = frame
    if (to !== undefined) return this.#ofCall(frame, to)
    if (created === undefined) return { contract: this.#identifier.creation(input)?.contract }
    const { contract, kind } = this.at(created)
    return { contract, kind: kind === 'codeless' ? undefined : kind }
  }

  /** A code that no artifact has is a proxy if it passes its whole calldata on by DELEGATECALL. */
  #ofCall(frame: RecordedFrame, to: Address): KnownAccount {
    const known = this.at(to)
    const target = known.contract === undefined && known.kind === undefined && forwardedTo(frame)
    if (!target) return known
    const proxy: KnownAccount = { contract: this.ofFrame(target).contract, kind: 'proxy' }
    this.#known.set(to, proxy)
    this.#unidentified.delete(to)
    return proxy
  }

  /** What is at an address. @throws Missing if its code is not loaded. */
  at(address: Address): KnownAccount {
    let known = this.#known.get(address)
    if (known === undefined) {
      known = this.#find(address, MAX_DELEGATES)
      this.#known.set(address, known)
    }
    return known
  }

  /** The names of the accounts that were asked for. */
  names(): Record<Address, string> {
    const named = [...this.#known].flatMap(([address, { contract, kind }]) => {
      const name =
        contract?.name ?? this.#recorder.precompiles.get(address) ?? (kind === 'console' ? kind : undefined)
      return name === undefined ? [] : [[address, name] as const]
    })
    return Object.fromEntries(named)
  }

  /** Codes that fit no artifact, or not in full. */
  notes(): string[] {
    const similar = [...this.#similar].map(
      ([address, { name }]) =>
        `${address} is ${name} except for its metadata: its sources or settings may differ from the artifact's`,
    )
    const misplaced = this.#contracts.flatMap(({ name, address, runtime }) => {
      const found = address && this.#known.get(address)?.contract?.name
      return runtime !== undefined && address !== undefined && this.#known.has(address) && found !== name
        ? [`the code at ${address} is not that of artifact ${name}`]
        : []
    })
    const unknown = [...this.#unidentified]
    const rest = unknown.length - MAX_NAMED
    const listed = `${unknown.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    return [
      ...bounded(similar),
      ...bounded(misplaced),
      ...(unknown.length > 0 && this.#contracts.length > 0
        ? [
            `no artifact has the code of ${listed}: what is decoded there is by other ABIs with the same selectors`,
          ]
        : []),
    ]
  }

  #noteCreations({ input, output, created, error, items }: RecordedFrame): void {
    if (created !== undefined) {
      const found = this.#identifier.creation(input)
      if (found !== undefined) this.#known.set(created, this.#identified(created, found))
      else if (error === undefined) this.#known.set(created, this.#ofCode(created, output, MAX_DELEGATES))
    }
    for (const item of items) if (item.kind === 'frame') this.#noteCreations(item)
  }

  #find(address: Address, delegates: number): KnownAccount {
    const { precompiles, state } = this.#recorder
    if (address === CONSOLE) return { kind: 'console' }
    if (precompiles.has(address)) return { kind: 'precompile' }
    const hash = state?.account(address)?.codeHash ?? EMPTY_CODE_HASH
    if (state === undefined || hash === EMPTY_CODE_HASH) {
      const contract = this.#placed(address)
      return { contract, kind: state === undefined || contract !== undefined ? undefined : 'codeless' }
    }
    return this.#ofCode(address, state.code(hash), delegates)
  }

  #ofCode(address: Address, code: Uint8Array, delegates: number): KnownAccount {
    const delegate = delegateOf(code)
    if (delegate !== undefined && delegates > 0) {
      const { contract } = this.#known.get(delegate.to) ?? this.#find(delegate.to, delegates - 1)
      return { contract, kind: delegate.kind }
    }
    const found = this.#identifier.runtime(code, this.#crypto.keccak256Hex(code))
    if (found !== undefined) return this.#identified(address, found)
    const contract = this.#placed(address)
    if (contract !== undefined) return { contract }
    const implementation = delegates > 0 ? this.#implementationOf(address, code) : undefined
    const { contract: run } = implementation === undefined ? {} : this.#find(implementation, delegates - 1)
    if (run !== undefined) return { contract: run, kind: 'proxy' }
    if (code.length > 0) this.#unidentified.add(address)
    return {}
  }

  /** The account in the slot of EIP-1967, of a code that uses it. */
  #implementationOf(address: Address, code: Uint8Array): Address | undefined {
    const { state } = this.#recorder
    if (state === undefined || !usesSlot(code, IMPLEMENTATION_SLOT)) return undefined
    const word = readSlot(state, address, `0x${IMPLEMENTATION_SLOT}`)
    return word === 0n ? undefined : `0x${toWord(word).slice(-40)}`
  }

  #identified(address: Address, { contract, isExact }: Identified): KnownAccount {
    if (!isExact) this.#similar.set(address, contract)
    return { contract }
  }

  /** The contract that the user says is at an address, without the code of another. */
  #placed(address: Address): Contract | undefined {
    return this.#contracts.find((one) => one.address === address && one.runtime === undefined)
  }
}

/** The DELEGATECALL of a frame that passes its whole calldata on. */
function forwardedTo({ items, input }: RecordedFrame): RecordedFrame | undefined {
  return items.find(
    (item): item is RecordedFrame =>
      item.kind === 'frame' &&
      item.type === 'DELEGATECALL' &&
      item.input.length === input.length &&
      item.input.every((byte, i) => byte === input[i]),
  )
}

function bounded(notes: readonly string[]): string[] {
  const rest = notes.length - MAX_NAMED
  return [...notes.slice(0, MAX_NAMED), ...(rest > 0 ? [`and ${rest} more such accounts`] : [])]
}
