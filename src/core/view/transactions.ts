/** Finds transactions by hash, or by sender and nonce. */

import type { Address, Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Payload } from '../block/payload.ts'
import type { SealedEntry, TransactionPlace } from '../ledger/ledger.ts'
import type { Tip } from '../sequencer/tip.ts'
import type { ViewSources } from './sources.ts'

/** A transaction's block, and its index there. */
export interface FoundTransaction extends TransactionPlace {
  /** False in the block under construction. */
  readonly sealed: boolean
}

/** The inputs of a search: a tip, and the snapshot that the view shows of it. */
interface Searched {
  readonly tip: Tip
  readonly snapshot: Payload | undefined
  readonly sources: Pick<
    ViewSources,
    'sealed' | 'sealedTransaction' | 'storedTransaction' | 'firstInMemory' | 'nonceRises' | 'storedNonceRises'
  >
}

/** A transaction's block and index, if the view shows it. */
export function findTransaction(
  { tip, snapshot, sources }: Searched,
  hash: Hash,
): FoundTransaction | undefined {
  const index = snapshot && indexOf(snapshot.block, hash)
  if (snapshot !== undefined && index !== undefined) return { block: snapshot.block, index, sealed: false }
  let place = sources.sealedTransaction(hash)
  while (place !== undefined && tip.canonical.at(place.block.number) !== place.block.hash) place = place.older
  return place && { block: place.block, index: place.index, sealed: true }
}

/** {@link findTransaction} among the blocks that only the database has. @throws Missing */
export function findStored({ tip, sources }: Searched, hash: Hash): FoundTransaction | undefined {
  const place = sources.storedTransaction(hash)
  if (place === undefined || tip.canonical.at(place.block.number) !== place.block.hash) return undefined
  return { block: place.block, index: place.index, sealed: true }
}

/** {@link findTransaction} by sender and nonce, as far back as the history goes. */
export function findByNonce(
  { tip, snapshot, sources }: Searched,
  sender: Address,
  nonce: bigint,
): FoundTransaction | undefined {
  const pending = snapshot && findInBlock(snapshot.block, sender, nonce, false)
  if (pending !== undefined) return pending
  // A nonce can be used again after a cheat lowered it: the newest use counts.
  for (const position of sources.nonceRises(sender, nonce)) {
    const place = findInBlock(firstSealedFrom(tip, sources, position), sender, nonce, true)
    if (place !== undefined) return place
  }
  for (const number of sources.storedNonceRises(sender, nonce)) {
    const block = sources.sealed(tip.canonical.at(number)!, number)?.block
    const place = block && findInBlock(block, sender, nonce, true)
    if (place !== undefined) return place
  }
  return undefined
}

/** A pre-confirmed transaction by its hash, for endpoints that show it as waiting. */
export function findPending({ preconf: { block } }: Tip, hash: Hash): Transaction | undefined {
  const index = indexOf(block, hash)
  return index === undefined ? undefined : block.transactions[index]
}

/** {@link findPending} by sender and nonce. */
export function findPendingByNonce(
  { preconf: { block } }: Tip,
  sender: Address,
  nonce: bigint,
): Transaction | undefined {
  return block.transactions.find((tx) => tx.from === sender && tx.nonce === nonce)
}

function findInBlock(
  block: Block,
  sender: Address,
  nonce: bigint,
  sealed: boolean,
): FoundTransaction | undefined {
  const index = block.transactions.findIndex((tx) => tx.from === sender && tx.nonce === nonce)
  return index < 0 ? undefined : { block, index, sealed }
}

/** The first sealed block whose state is at this position or after it; the head if there is none. */
function firstSealedFrom(
  tip: Tip,
  sources: Pick<ViewSources, 'sealed' | 'firstInMemory'>,
  position: number,
): Block {
  let first: SealedEntry = tip.head
  let low = sources.firstInMemory()
  while (low < first.block.number) {
    const middle = (low + first.block.number) / 2n
    const hash = tip.canonical.sinceStart(middle)
    const entry = hash && sources.sealed(hash)
    if (entry !== undefined && entry.state.position >= position) first = entry
    else low = middle + 1n
  }
  return first.block
}

const indices = new WeakMap<Block, Map<Hash, number>>()

function indexOf(block: Block, hash: Hash): number | undefined {
  let index = indices.get(block)
  if (index === undefined) {
    index = new Map(block.transactions.map((tx, i) => [tx.hash, i]))
    indices.set(block, index)
  }
  return index.get(hash)
}

/** The stage of a transaction that a view finds in no block: one pre-confirmed in a hidden snapshot still waits. */
export function toWaitingStage(stage: 'queued' | 'pending' | 'preconfirmed'): 'queued' | 'pending' {
  return stage === 'preconfirmed' ? 'pending' : stage
}
