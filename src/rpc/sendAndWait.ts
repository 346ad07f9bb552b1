/** Sending a transaction and waiting for its receipt (EIP-7966). */

import type { RpcReceipt } from '../primitives/rpcTypes.ts'
import type { Hash } from '../primitives/types.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import { SyncDroppedError, SyncQueuedError, SyncTimeoutError, SyncTimeoutRangeError } from './errors.ts'
import { toRpcReceipt } from './format/format.ts'
import type { RpcContext } from './method.ts'

/** The longest timeout, in milliseconds. */
const MAX_TIMEOUT_MS = 60_000

/** Sends, then waits until the view the request came through shows the receipt. */
export async function sendAndWait(
  context: RpcContext,
  send: () => Promise<{ readonly hash: Hash }>,
  timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.max(2000, 2 * context.control.cheats.sequencer.blockTime)),
): Promise<RpcReceipt> {
  if (timeoutMs > MAX_TIMEOUT_MS) throw new SyncTimeoutRangeError(timeoutMs, MAX_TIMEOUT_MS)
  const { hash } = await send()
  return waitForReceipt(context, hash, timeoutMs)
}

function waitForReceipt(
  { view, read, closed }: RpcContext,
  hash: Hash,
  timeoutMs: number,
): Promise<RpcReceipt> {
  const { clock, mempool, events } = read
  const misses = view.missesReceipt()
  const ends: (() => void)[] = []
  const receipt = new Promise<RpcReceipt>((resolve, reject) => {
    const look = () => {
      const place = view.capture().findTransaction(hash)
      if (place !== undefined) {
        if (!misses) resolve(toRpcReceipt(place.block, place.index))
        return
      }
      const stage = mempool.stageOf(hash)
      // A return to a snapshot from before it was sent leaves no trace of it.
      if (stage === undefined) {
        return reject(new SyncDroppedError(hash, mempool.dropReasonOf(hash) ?? 'removed'))
      }
      // What waits for a nonce or a lower base fee stays in the mempool, but is not waited for.
      if (stage === 'queued') {
        const { from, nonce } = mempool.get(hash)!
        const next = view.capture().nextNonce(from)
        reject(new SyncQueuedError(hash, nonce > next ? { nonce, next } : undefined))
      }
    }
    const timer = clock.setTimeout(() => reject(new SyncTimeoutError(hash, timeoutMs)), timeoutMs)
    events.on('preconf', look)
    events.on('dropped', look)
    events.on('retracted', look)
    ends.push(
      read.hold(),
      () => clock.clearTimeout(timer),
      () => events.off('preconf', look),
      () => events.off('dropped', look),
      () => events.off('retracted', look),
      closed.onClose(() => reject(new DisconnectedError())),
    )
    look()
  })
  return receipt.finally(() => {
    for (const end of ends) end()
  })
}
