/** What the checks of a database are made with. */

import type { Clock } from '../../../base/clock.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Address } from '../../../base/types.ts'
import type { DecodeTransaction } from '../../../ethereum/decodeTransaction.ts'
import type { Executor } from '../../../ethereum/evm/executor.ts'
import type { BytesDatabase } from '../../ledger/bytesDatabase.ts'

/** See the file's header. */
export interface CheckParts {
  readonly db: BytesDatabase
  readonly crypto: Crypto
  readonly executor: Executor
  readonly decode: DecodeTransaction
  /** Lets the event loop turn. */
  readonly clock: Pick<Clock, 'yield'>
  /** The sender of a transaction that is unsigned; undefined if it is signed. */
  unsignedSenderOf(raw: Uint8Array): Address | undefined
}
