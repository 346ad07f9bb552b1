/** What tests check databases with. */
import { openEngine } from '../../../src/chain/engine.ts'
import { loadCrypto } from '../../../src/crypto/crypto.ts'
import { createExecutor } from '../../../src/evm/transition.ts'
import type { CheckParts } from '../../../src/import/check/checkParts.ts'
import { unsignedSenderOf } from '../../../src/import/check/unsignedSender.ts'
import { BytesDatabase, type Level } from '../../../src/ledger/bytesDatabase.ts'
import { systemClock } from '../../../src/primitives/clock.ts'

/** @param level - the database that is checked; open. */
export async function checkPartsOf(level: object): Promise<CheckParts> {
  const crypto = await loadCrypto()
  const { engine, decode } = await openEngine('preseal', crypto)
  const executor = createExecutor(engine, crypto)
  const db = new BytesDatabase(level as Level)
  return { db, crypto, decode, executor, clock: systemClock, unsignedSenderOf }
}
