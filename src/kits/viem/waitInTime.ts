/** Waiting for a transaction, with a timeout. */
import { type Client, WaitForTransactionReceiptTimeoutError, withTimeout } from 'viem'
import { getTransaction, getTransactionCount } from 'viem/actions'
import type { Hash } from '../../base/types.ts'
import { NonceGapError } from './errors.ts'
import { pushTransportOf } from './push.ts'
import { findStatus } from './transactionProgress.ts'

/**
 * Waits until `begin` calls `resolve` or `reject`.
 *
 * @param timeout - the longest time to wait, in ms of the chain's clock; 0 for no limit.
 * @param begin - starts to wait; returns a function that stops it.
 * @throws WaitForTransactionReceiptTimeoutError after `timeout`, or NonceGapError if a nonce gap is the reason
 */
export function waitInTime<T>(
  client: Client,
  hash: Hash,
  timeout: number,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  const late = new WaitForTransactionReceiptTimeoutError({ hash })
  let end = (): void => {}
  let inChainTime = false
  const waiting = new Promise<T>((resolve, reject) => {
    const { clock } = pushTransportOf(client)
    const stop = begin(resolve, reject)
    inChainTime = clock !== undefined
    const timer =
      timeout > 0
        ? clock?.setTimeout(() => void explain(client, hash, late).then(reject), timeout)
        : undefined
    end = () => {
      stop()
      if (timer !== undefined) clock?.clearTimeout(timer)
    }
  })
  // Not part of the returned promise: every promise in between would delay it by one more turn.
  waiting.then(end, end)
  if (inChainTime) return waiting
  return withTimeout(() => waiting, { errorInstance: late, timeout }).catch(async (error) => {
    end()
    throw error === late ? await explain(client, hash, late) : error
  })
}

/** The timeout, or a NonceGapError if the transaction waits behind a gap in its sender's nonces. */
async function explain(client: Client, hash: Hash, late: Error): Promise<Error> {
  try {
    const stage = (await findStatus(client, hash))?.stage
    if (stage !== undefined && stage !== 'queued') return late
    const { from, nonce } = await getTransaction(client, { hash })
    const next = await getTransactionCount(client, { address: from, blockTag: 'pending' })
    return nonce > next ? new NonceGapError(hash, nonce, next, late) : late
  } catch {
    // The timeout is reported in any case.
    return late
  }
}
