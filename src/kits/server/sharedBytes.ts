/** Long notifications, encoded once for all connections. */
import type { NotificationResult } from './connection.ts'
import { NOTIFICATION_TAIL } from './envelope.ts'

const SHARED_BYTES = new WeakMap<NotificationResult, Uint8Array>()

/** The bytes of a notification from its result on. */
export function toSharedBytes(result: NotificationResult): Uint8Array {
  let bytes = SHARED_BYTES.get(result)
  if (bytes === undefined) {
    bytes = new TextEncoder().encode(result.json + NOTIFICATION_TAIL)
    SHARED_BYTES.set(result, bytes)
  }
  return bytes
}
