/** Codes that a database has lost, and where they can be found again. */

import { hexToBytes } from '../../../base/bytes.ts'
import { PresealError } from '../../../base/errors.ts'
import type { Hash } from '../../../base/types.ts'
import { DEPOSIT_CONTRACT } from '../../../ethereum/depositContract.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../../ethereum/state/account.ts'
import { changesSince } from '../../../ethereum/state/layer.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  CREATE2_PROXY,
  WITHDRAWAL_REQUESTS,
} from '../../../ethereum/systemContracts.ts'
import type { CheckedDatabase } from './checkDatabase.ts'
import type { CheckParts } from './checkParts.ts'

/** The hashes of the codes that a state or an earlier one has, and the database does not. */
export function missingCodes({ scan }: CheckedDatabase, state: StateChanges): Set<Hash> {
  const missing = new Set<Hash>()
  const add = (record: AccountRecord | null) => {
    const hash = record?.codeHash ?? EMPTY_CODE_HASH
    if (hash !== EMPTY_CODE_HASH && !scan.codes.has(hash)) missing.add(hash)
  }
  for (const record of state.accounts.values()) add(record)
  for (const { accounts } of scan.changes.values()) for (const record of accounts.values()) add(record)
  return missing
}

/** Codes of system contracts, those that patches wrote, and those that blocks of the history created. */
export async function findCodes(
  { scan, states, reexecution }: CheckedDatabase,
  { crypto }: CheckParts,
): Promise<ReadonlyMap<Hash, Uint8Array>> {
  const found = new Map<Hash, Uint8Array>()
  const add = (code: Uint8Array) => found.set(crypto.keccak256Hex(code), code)
  const known = [
    BEACON_ROOTS,
    BLOCK_HASHES,
    WITHDRAWAL_REQUESTS,
    CONSOLIDATION_REQUESTS,
    DEPOSIT_CONTRACT,
    CREATE2_PROXY,
  ]
  for (const { code } of known) add(hexToBytes(code))
  for (const patch of scan.patches.values()) {
    for (const { code } of patch.values()) if (code !== undefined) add(code)
  }
  for (const number of states.keys()) {
    const before = states.get(number - 1)
    if (before === undefined || before.isSound === false || !reexecution.canExecute(number)) continue
    try {
      const { state } = await reexecution.execute(number, before)
      for (const code of changesSince(state, before.version).codes.values()) add(code)
    } catch (error) {
      // A block that called the code that is lost.
      if (!(error instanceof PresealError)) throw error
    }
  }
  return found
}
