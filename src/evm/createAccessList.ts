/** The access list a transaction would do best to carry (EIP-2930). */

import type { Crypto } from '../crypto/crypto.ts'
import { bigintToBytes, bytesToHex, hexToBytes } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { AccessListEntry, Address, Hash } from '../primitives/types.ts'
import type { Pause } from '../primitives/yielder.ts'
import type { TxEnv } from '../protocol/transaction.ts'
import type { Overlay } from '../state/overlay.ts'
import { signedAuthorizations } from './authorities.ts'
import { executeCall } from './call.ts'
import { AccessListConvergenceError } from './errors.ts'
import type { BlockEnv, Executor, Hooks } from './executor.ts'
import { precompilesOf } from './precompiles.ts'

/** Lists that are tried: code that goes by its gas can touch another slot with each, and every run takes longer. */
const MAX_RUNS = 1000

/** What a call touches, and how it went with that as its access list. */
export interface CreatedAccessList {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** Why it failed, as go-ethereum names it. */
  readonly error?: string
}

/**
 * Executes a call until its access list names everything it touches: what is warm may lead it elsewhere.
 *
 * Accounts that are warm anyway are left out but for their slots: sender, recipient or what is created, precompiles and
 * the authorities of EIP-7702. Addresses and slots rise, as in go-ethereum's answer.
 *
 * @param tx - its own access list is where the search starts; nothing is taken away from it.
 * @param pause - called after each execution.
 * @throws TransactionRejectedError if it may not be executed at all.
 * @throws AccessListConvergenceError if a thousand runs have touched something new each.
 */
export async function createAccessList(
  executor: Executor,
  tx: TxEnv,
  env: BlockEnv,
  state: Overlay,
  crypto: Crypto,
  pause: Pause,
  hooks?: Hooks,
): Promise<CreatedAccessList> {
  const { fork, chainId } = env.rules
  const warm = new Set<Address>([
    tx.from,
    tx.to ?? createdAddress(tx.from, state.account(tx.from)?.nonce ?? 0n, crypto),
    ...precompilesOf(fork),
    ...signedAuthorizations(tx, chainId, crypto).map(({ authority }) => authority),
  ])
  const touched = new Touched(warm)
  for (const { address, storageKeys } of tx.accessList ?? []) {
    touched.add(address)
    for (const key of storageKeys) touched.add(address, key)
  }
  const onAccess = (address: Address, slot?: Hash): void => touched.add(address, slot)
  for (let run = 0; run < MAX_RUNS; run++) {
    const { size } = touched
    const accessList = touched.toAccessList()
    const outcome = await executeCall(executor, { ...tx, accessList }, env, state, { ...hooks, onAccess })
    await pause()
    if (touched.size > size) continue
    const { gasUsed, error } = outcome
    return { accessList, gasUsed, ...(error !== undefined && { error }) }
  }
  throw new AccessListConvergenceError()
}

/** Accounts and slots that were touched; it only grows. */
class Touched {
  /** How many accounts and slots there are. */
  size = 0
  readonly #warm: ReadonlySet<Address>
  readonly #slots = new Map<Address, Set<Hash>>()

  constructor(warm: ReadonlySet<Address>) {
    this.#warm = warm
  }

  add(address: Address, slot?: Hash): void {
    if (slot === undefined && this.#warm.has(address)) return
    let slots = this.#slots.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.#slots.set(address, slots)
      this.size += 1
    }
    if (slot === undefined || slots.has(slot)) return
    slots.add(slot)
    this.size += 1
  }

  toAccessList(): AccessListEntry[] {
    return [...this.#slots.keys()]
      .sort()
      .map((address) => ({ address, storageKeys: [...this.#slots.get(address)!].sort() }))
  }
}

/** Where a creation of this sender with this nonce puts its contract (Yellow Paper, section 7). */
function createdAddress(sender: Address, nonce: bigint, crypto: Crypto): Address {
  const hash = crypto.keccak256(encodeRlp([hexToBytes(sender), bigintToBytes(nonce)]))
  return bytesToHex(hash.subarray(12))
}
