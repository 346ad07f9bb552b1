/** Waits for a transaction that end at a timeout. */
import { type Client, WaitForTransactionReceiptTimeoutError, withTimeout } from 'viem'
import { getTransaction, getTransactionCount } from 'viem/actions'
import type { Hash } from '../primitives/types.ts'
import { NonceGapError } from './errors.ts'
import { pushTransportOf } from './push.ts'
import { findStatus } from './transactionProgress.ts'

/**
 * Waits until what was begun resolves or rejects.
 *
 * @param timeout - how long at most, in ms of the chain's clock; 0 is for ever.
 * @param begin - starts to wait; returns what ends it.
 * @throws WaitForTransactionReceiptTimeoutError, or NonceGapError if that is why it takes longer than `timeout`
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
    const leave = begin(resolve, reject)
    inChainTime = clock !== undefined
    const timer =
      timeout > 0
        ? clock?.setTimeout(() => void explain(client, hash, late).then(reject), timeout)
        : undefined
    end = () => {
      leave()
      if (timer !== undefined) clock?.clearTimeout(timer)
    }
  })
  // Beside what is returned: every promise in between would be one more turn to wait for.
  waiting.then(end, end)
  if (inChainTime) return waiting
  return withTimeout(() => waiting, { errorInstance: late, timeout }).catch(async (error) => {
    end()
    throw error === late ? await explain(client, hash, late) : error
  })
}

/** A timeout, or the gap in the sender's nonces that the transaction waits behind. */
async function explain(client: Client, hash: Hash, late: Error): Promise<Error> {
  try {
    const stage = (await findStatus(client, hash))?.stage
    if (stage !== undefined && stage !== 'queued') return late
    const { from, nonce } = await getTransaction(client, { hash })
    const next = await getTransactionCount(client, { address: from, blockTag: 'pending' })
    return nonce > next ? new NonceGapError(hash, nonce, next, late) : late
  } catch {
    // That it timed out is to be told in any case.
    return late
  }
}
