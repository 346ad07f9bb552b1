/** What tests check databases with. */

import { systemClock } from '../../../../src/base/clock.ts'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import type { CheckParts } from '../../../../src/core/import/check/checkedBlocks.ts'
import { BytesDatabase, type Level } from '../../../../src/core/ledger/bytesDatabase.ts'
import { openEngine } from '../../../../src/core/open/openTip.ts'
import { createExecutor } from '../../../../src/ethereum/evm/transition.ts'

/** @param level - the database that is checked; open. */
export async function checkPartsOf(level: object): Promise<CheckParts> {
  const crypto = await loadCrypto()
  const { engine, decode } = await openEngine('preseal', crypto)
  const executor = createExecutor(engine, crypto)
  const db = new BytesDatabase(level as Level)
  return { db, crypto, decode, executor, clock: systemClock }
}
