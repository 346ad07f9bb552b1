/** The access list of what a transaction touches (EIP-2930). */

import type { Crypto } from '../../base/crypto/crypto.ts'
import type { AccessListEntry, Address, Hash } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import { createdAddress } from '../createdAddress.ts'
import { signedAuthorizations } from './authorizations.ts'
import { type CallExecution, executeCall } from './call.ts'
import { AccessListConvergenceError } from './errors.ts'
import type { Executor } from './executor.ts'
import { precompilesOf } from './precompiles.ts'

/** The limit of executions: code that depends on its gas can touch another slot in each, and each takes longer. */
const MAX_RUNS = 1000

/** The access list of a call, and the result of the call with it. */
export interface CreatedAccessList {
  readonly accessList: readonly AccessListEntry[]
  readonly gasUsed: bigint
  /** Why it failed, as go-ethereum names it. */
  readonly error?: string
}

/**
 * Executes a call until its access list contains all it touches: what it touches may depend on what is warm.
 *
 * Accounts that are warm anyway are only listed for their slots: sender, recipient or created contract, precompiles and
 * the authorities of EIP-7702. Addresses and slots are in ascending order, as in go-ethereum's answer.
 *
 * @param call - the search starts at the access list of its transaction, from which only warm accounts without slots are removed.
 * @param pause - called during each execution, and after it.
 * @throws TransactionRejectedError if it may not be executed at all.
 * @throws AccessListConvergenceError if each of a thousand executions touched something new.
 */
export async function createAccessList(
  executor: Executor,
  call: CallExecution,
  crypto: Crypto,
  pause: Yielder,
): Promise<CreatedAccessList> {
  const { tx, state } = call
  const { fork, chainId } = call.env.rules
  const warm = new Set<Address>([
    tx.from,
    tx.to ?? createdAddress(tx.from, state.account(tx.from)?.nonce ?? 0n),
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
    const hooks = { ...call.hooks, onAccess }
    const outcome = await executeCall(executor, { ...call, tx: { ...tx, accessList }, hooks }, pause)
    await pause()
    if (touched.size > size) continue
    const { gasUsed, error } = outcome
    return { accessList, gasUsed, ...(error !== undefined && { error }) }
  }
  throw new AccessListConvergenceError()
}

/** The accounts and slots that were touched; it only grows. */
class Touched {
  /** The number of accounts and slots. */
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
