/** Cheats that write accounts to the head's state; they take effect at once. */

import { whenLoaded } from '../../base/missing.ts'
import type { Address } from '../../base/types.ts'
import type { AccountRecord } from '../../ethereum/state/account.ts'
import { EMPTY_ACCOUNT, MAX_BALANCE } from '../../ethereum/state/account.ts'
import type { AccountPatch, StatePatch } from '../../ethereum/state/patch.ts'
import type { CheatParts } from './parts.ts'

/** Writes to the head's state; pre-confirmed transactions are executed again on it. */
export function patchState({ sequencer }: Pick<CheatParts, 'sequencer'>, patch: StatePatch): Promise<void> {
  return sequencer.exclusive(({ rebuildPending }) => rebuildPending({ patch }, 'cheat'))
}

/** Writes one account. @param change - returns the patch for the current record. */
export function patchAccount(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  address: Address,
  change: (account: AccountRecord) => AccountPatch,
): Promise<void> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const account = (await whenLoaded(() => tip().head.state.account(address))) ?? EMPTY_ACCOUNT
    return rebuildPending({ patch: new Map([[address, change(account)]]) }, 'cheat')
  })
}

/** Adds to an account's balance, up to 2^256 - 1. @param amount - in wei. */
export function addBalance(parts: CheatParts, address: Address, amount: bigint): Promise<void> {
  return patchAccount(parts, address, ({ balance }) => {
    const sum = balance + amount
    return { balance: sum > MAX_BALANCE ? MAX_BALANCE : sum }
  })
}
