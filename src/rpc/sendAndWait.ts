/** Sends a transaction and waits for its receipt (EIP-7966). */

import type { PresealRpcReceipt } from '../base/rpcTypes.ts'
import type { Hash } from '../base/types.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import { SyncDroppedError, SyncQueuedError, SyncTimeoutError, SyncTimeoutRangeError } from './errors.ts'
import { toRpcReceipt } from './format/format.ts'
import type { RpcContext } from './method.ts'

const MAX_TIMEOUT_MS = 60_000

/**
 * Sends a transaction, then waits until the view shows its receipt.
 *
 * @param timeoutMs - by the chain's clock; default: twice the block time, between 2 and 60 seconds.
 * @throws as eth_sendRawTransactionSync does, DisconnectedError
 */
export async function sendAndWait(
  context: RpcContext,
  send: () => Promise<{ readonly hash: Hash }>,
  timeoutMs = Math.min(MAX_TIMEOUT_MS, Math.max(2000, 2 * context.control.cheats.sequencer.timer.blockTime)),
): Promise<PresealRpcReceipt> {
  if (timeoutMs > MAX_TIMEOUT_MS) throw new SyncTimeoutRangeError(timeoutMs, MAX_TIMEOUT_MS)
  const { hash } = await send()
  return waitForReceipt(context, hash, timeoutMs)
}

function waitForReceipt(
  { view, read, closed }: RpcContext,
  hash: Hash,
  timeoutMs: number,
): Promise<PresealRpcReceipt> {
  const { clock, mempool, events } = read
  const misses = view.missesReceipt()
  const cleanups: (() => void)[] = []
  const receipt = new Promise<PresealRpcReceipt>((resolve, reject) => {
    const check = () => {
      const place = view.capture().findRecent(hash)
      if (place !== undefined) {
        if (!misses) resolve(toRpcReceipt(place.block, place.index))
        return
      }
      const stage = mempool.stageOf(hash)
      // The transaction was dropped, or the chain has reverted to a snapshot from before the send and has no record.
      if (stage === undefined) {
        return reject(new SyncDroppedError(hash, mempool.drops.reasonOf(hash) ?? 'removed'))
      }
      // A transaction with a nonce gap or a low fee cap stays in the mempool, but EIP-7966 reports it immediately.
      if (stage === 'queued') {
        const { from, nonce } = mempool.get(hash)!
        const next = view.capture().nextNonce(from)
        reject(new SyncQueuedError(hash, nonce > next ? { nonce, next } : undefined))
      }
    }
    const timer = clock.setTimeout(() => reject(new SyncTimeoutError(hash, timeoutMs)), timeoutMs)
    cleanups.push(
      read.hold(),
      () => clock.clearTimeout(timer),
      events.listen('preconf', check),
      events.listen('dropped', check),
      events.listen('retracted', check),
      closed.onClose(() => reject(new DisconnectedError())),
    )
    check()
  })
  return receipt.finally(() => {
    for (const cleanUp of cleanups) cleanUp()
  })
}
