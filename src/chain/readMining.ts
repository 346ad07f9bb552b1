/** Reads how a chain makes blocks and which transactions wait, by requests, for the kits. */

import type { Address, Hash, MaybePromise } from '../base/types.ts'
import { type NonceGap, NonceGapsError } from '../core/open/errors.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import type { Provider } from '../rpc/provider.ts'
import type { PresealChain } from './handle.ts'

/** How a chain makes blocks, as its RPC methods answer. */
export interface Mining {
  /** Whether each transaction is mined as soon as it arrives. */
  readonly automine: unknown
  /** Seconds from block to block; null if the clock makes no blocks. */
  readonly interval: unknown
}

/** Returns how a chain makes blocks now. @throws PresealRpcError 4900 if it is closed. */
export async function readMining(provider: Provider): Promise<Mining> {
  const automine = await provider.request({ method: 'hardhat_getAutomine' })
  const interval = await provider.request({ method: 'anvil_getIntervalMining' })
  return { automine, interval }
}

/** Hashes of transactions that were already unsealed when a test began, such as transactions of its `deploy`. */
export type Left = ReadonlySet<Hash>

/** Counts the transactions that the next tick can include. @throws PresealRpcError 4900 if the chain is closed. */
export async function countWaiting({ standard }: PresealChain): Promise<number> {
  return Number((await standard.request({ method: 'txpool_status' })).pending)
}

/** Returns the hashes of the waiting and the pre-confirmed transactions, without `except`. */
export async function readUnsealed({ standard, preconf }: PresealChain, except?: Left) {
  const { pending, queued } = await standard.request({ method: 'txpool_content' })
  const block = await preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  const isNew = (hash: Hash): boolean => except?.has(hash) !== true
  return {
    /** Transactions that the next tick can include. */
    waiting: hashesIn(pending).filter(isNew),
    /** Transactions behind a nonce gap, or with a fee cap below the base fee. */
    queued: hashesIn(queued).filter(isNew),
    preconfirmed: ((block?.transactions ?? []) as readonly Hash[]).filter(isNew),
  }
}

/** Returns the nonce gap of each account that has transactions behind a gap. Ignores transactions in `except`. */
export async function findNonceGaps({ standard, live }: PresealChain, except?: Left): Promise<NonceGap[]> {
  const { queued } = await standard.request({ method: 'txpool_content' })
  const gaps: NonceGap[] = []
  for (const [sender, byNonce] of Object.entries(queued)) {
    const account = sender as Address
    const own = Object.values(byNonce).filter(({ hash }) => except?.has(hash) !== true)
    if (own.length === 0) continue
    const nonce = Math.min(...own.map((tx) => Number(tx.nonce)))
    const next = await live.request({ method: 'eth_getTransactionCount', params: [account, 'pending'] })
    if (nonce > Number(next)) gaps.push({ account, nonce, nextNonce: Number(next) })
  }
  return gaps
}

type BySender = Readonly<Record<string, Readonly<Record<string, { readonly hash: Hash }>>>>

function hashesIn(content: BySender): Hash[] {
  return Object.values(content)
    .flatMap((byNonce) => Object.values(byNonce))
    .map(({ hash }) => hash)
}

/**
 * Returns the error for transactions that a failed test left: behind a nonce gap, includable by the next tick or, if
 * the test timed out, pre-confirmed. Ignores transactions in `except`. Returns undefined if no transaction is left, or
 * if the chain is closed.
 *
 * @param toError - creates the error for `count` transactions that wait for a tick or the seal, or returns undefined
 *   to report none.
 */
export async function findLeft<E extends Error>(
  chain: PresealChain,
  { except, isTimedOut }: { readonly except?: Left; readonly isTimedOut: boolean },
  toError: (count: number, what: 'a tick' | 'the seal') => MaybePromise<E | undefined>,
): Promise<E | NonceGapsError | undefined> {
  try {
    const gaps = await findNonceGaps(chain, except)
    if (gaps.length > 0) return new NonceGapsError(gaps)
    const { waiting, preconfirmed } = await readUnsealed(chain, except)
    if (waiting.length > 0) return await toError(waiting.length, 'a tick')
    if (isTimedOut && preconfirmed.length > 0) return await toError(preconfirmed.length, 'the seal')
  } catch (error) {
    if (!(error instanceof DisconnectedError)) throw error
  }
  return undefined
}
