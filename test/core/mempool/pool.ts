import type { Address, Hash } from '../../../src/base/types.ts'
import { Mempool } from '../../../src/core/mempool/mempool.ts'
import type { MempoolOptions } from '../../../src/core/mempool/ordering.ts'
import type { MempoolSource } from '../../../src/core/mempool/validate.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { Transaction } from '../../../src/ethereum/transaction.ts'
import { forksUpTo } from '../../forks.ts'

/** Three senders, by name. */
export const senders = {
  A: `0x${'aa'.repeat(20)}`,
  B: `0x${'bb'.repeat(20)}`,
  C: `0x${'cc'.repeat(20)}`,
} as const satisfies Record<string, Address>
export type Sender = keyof typeof senders

/** The settable state that a pool under test reads. */
export interface World {
  readonly nonces: Map<Address, bigint>
  readonly balances: Map<Address, bigint>
  readonly contracts: Set<Address>
  baseFee: bigint
  blobBaseFee: bigint
}

export const defaults: MempoolOptions = resolveOptions().mempool

/** A pool over a world in which every account has nonce 0 and an ether, and the base fee is 10 wei. */
export function createPool(options: Partial<MempoolOptions> = {}): { pool: Mempool; world: World } {
  const world: World = {
    nonces: new Map(),
    balances: new Map(),
    contracts: new Set(),
    baseFee: 10n,
    blobBaseFee: 1n,
  }
  const source: MempoolSource = {
    nonceOf: (address) => world.nonces.get(address) ?? 0n,
    balanceOf: (address) => world.balances.get(address) ?? 10n ** 18n,
    isContract: (address) => world.contracts.has(address),
    nextBaseFee: () => world.baseFee,
    nextBlobBaseFee: () => world.blobBaseFee,
    extraFeesOf: () => 0n,
    rules: () => ({
      chainId: 1n,
      maxInitCodeSize: Number.POSITIVE_INFINITY,
      maxTransactionGas: undefined,
      fork: forksUpTo('prague'),
      blobs: true,
      gasLimit: 30_000_000n,
      maxBlobGas: 9n * 131_072n,
      baseFee: world.baseFee,
      minFeeCap: 0n,
      lowestFeeCap: 7n,
    }),
  }
  return { pool: new Mempool(source, { ...defaults, ...options }), world }
}

/** A transfer of 0 wei; its hash consists of sender, nonce, fees and `salt`, so equal arguments give equal hashes. */
export function transfer(
  sender: Sender,
  nonce: number,
  tip = 1,
  cap = 100 + tip,
  rest: Partial<Transaction> & { salt?: number } = {},
): Transaction {
  const { salt = 0, ...fields } = rest
  return {
    type: 2,
    from: senders[sender],
    to: senders.C,
    nonce: BigInt(nonce),
    gasLimit: 21_000n,
    value: 0n,
    data: new Uint8Array(),
    maxFeePerGas: BigInt(cap),
    maxPriorityFeePerGas: BigInt(tip),
    hash: hashOf(sender, nonce, tip, cap, salt),
    raw: new Uint8Array(),
    chainId: 1n,
    v: 0n,
    r: 1n,
    s: 1n,
    ...fields,
  }
}

/** `A0 tip 5`: how tests name a transaction. */
export function nameOf(tx: Transaction): string {
  const [sender] = Object.entries(senders).find(([, address]) => address === tx.from) ?? ['?']
  return `${sender}${tx.nonce} tip ${tx.maxPriorityFeePerGas}`
}

export function addAll(pool: Mempool, ...transactions: readonly Transaction[]): void {
  for (const tx of transactions) pool.add(tx)
}

/** The names of the executable transactions, the best first. */
export function bestOf(pool: Mempool, baseFee?: bigint): string[] {
  return [...pool.best(baseFee)].map(nameOf)
}

function hashOf(sender: Sender, ...parts: number[]): Hash {
  const digits = parts.map((part) => part.toString(16).padStart(12, '0')).join('')
  return `0x${sender.toLowerCase()}${digits.padStart(63, '0')}`
}
