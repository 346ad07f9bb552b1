/** What the checks of a database are made with. */
import type { Crypto } from '../../crypto/crypto.ts'
import type { Executor } from '../../evm/executor.ts'
import type { BytesDatabase } from '../../ledger/bytesDatabase.ts'
import type { Clock } from '../../primitives/clock.ts'
import type { Address } from '../../primitives/types.ts'
import type { DecodeTransaction } from '../../protocol/decodeTransaction.ts'

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
