/** The contents of a chain derived from its events alone, and as it shows them, for comparison. */
import { numberToHex } from 'viem'
import type { Hash, PreconfBlock, PresealChain, PresealRpcReceipt } from '../src/index.ts'

/** The contents of a chain: sealed blocks from genesis on, the block under construction, and their transactions. */
export interface Holding {
  readonly sealed: readonly Hash[]
  readonly pending: Hash
  readonly included: readonly Hash[]
  /** Events that are inconsistent with the ones before. */
  readonly mistakes: readonly unknown[]
}

/** Listens to a chain from now on. @returns its contents by its events. */
export async function mirror(chain: PresealChain): Promise<() => Holding> {
  const { blocks: before, pending: first } = await blocksOf(chain)
  const sealed = before.map(({ hash }) => hash)
  const sealedIn = new Map(before.map(({ hash, transactions }) => [hash, transactions]))
  const { included: known } = toHolding(before, first)
  const included = new Set(known)
  const mistakes: unknown[] = []
  let pending = first.hash
  let last: PreconfBlock | undefined
  chain.on('retracted', ({ blocks, transactions }) => {
    last = undefined
    for (const hash of blocks) {
      if (sealed.pop() !== hash) mistakes.push(`withdrawn: ${hash}`)
      sealedIn.delete(hash)
    }
    for (const hash of transactions) {
      if (!included.delete(hash)) mistakes.push(`no longer included: ${hash}`)
      // After a cheat has lowered a nonce, also in an older block, such as one of the forked chain.
      if ([...sealedIn.values()].some((hashes) => hashes.includes(hash))) included.add(hash)
    }
  })
  chain.on('preconf', (preconfBlock) => {
    const { block, added, receipts } = preconfBlock
    const hashes = block.transactions.map(({ hash }) => hash)
    for (const hash of hashes.slice(added)) included.add(hash)
    if (hashes.some((hash) => !included.has(hash))) mistakes.push({ added, hashes })
    if (Number(block.number) !== sealed.length)
      mistakes.push(`preconf block ${block.number} on ${sealed.length - 1}`)
    // Without retractions, preconf blocks only grow.
    if (last !== undefined && last.block.number === block.number) {
      const [old, now] = [last.receipts, receipts].map(withoutBlockHash)
      if (JSON.stringify(now!.slice(0, old!.length)) !== JSON.stringify(old)) mistakes.push({ old, now })
    }
    pending = block.hash
    last = preconfBlock
  })
  chain.on('block', ({ block }) => {
    if (block.parentHash !== sealed.at(-1)) mistakes.push(`${block.number} sealed on ${sealed.length - 1}`)
    if (last !== undefined && last.block.transactions.length > 0 && last.block.hash !== block.hash) {
      mistakes.push(`${block.hash} sealed, ${last.block.hash} pre-confirmed`)
    }
    for (const { hash } of block.transactions) included.add(hash)
    sealed.push(block.hash)
    sealedIn.set(
      block.hash,
      block.transactions.map(({ hash }) => hash),
    )
    last = undefined
  })
  return () => ({ sealed: [...sealed], pending, included: [...included].sort(), mistakes: [...mistakes] })
}

/** The contents of a chain by its answers. */
export async function holdingOf(chain: PresealChain): Promise<Holding> {
  const { blocks, pending } = await blocksOf(chain)
  return toHolding(blocks, pending)
}

interface BlockHashes {
  readonly hash: Hash
  readonly transactions: readonly Hash[]
}

async function blocksOf({ standard, preconf }: PresealChain): Promise<{
  readonly blocks: readonly BlockHashes[]
  readonly pending: BlockHashes
}> {
  const head = Number(await standard.request({ method: 'eth_blockNumber' }))
  const blocks: BlockHashes[] = []
  for (let number = 0; number <= head; number++) {
    const params = [numberToHex(number), false] as const
    blocks.push((await standard.request({ method: 'eth_getBlockByNumber', params })) as BlockHashes)
  }
  const pending = await preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  return { blocks, pending: pending as BlockHashes }
}

function toHolding(blocks: readonly BlockHashes[], pending: BlockHashes): Holding {
  const included = new Set([...blocks, pending].flatMap(({ transactions }) => transactions))
  const sealed = blocks.map(({ hash }) => hash)
  return { sealed, pending: pending.hash, included: [...included].sort(), mistakes: [] }
}

function withoutBlockHash(receipts: readonly PresealRpcReceipt[]): unknown[] {
  return receipts.map(({ blockHash: _hash, logs, ...rest }) => ({
    ...rest,
    logs: logs.map(({ blockHash: _blockHash, ...log }) => log),
  }))
}
