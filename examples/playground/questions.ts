/** The requests to both endpoints, and how their answers are shown. */
import type { Address, Hash, Hex } from 'preseal'
import { count, short, toEther, toNumber } from './format.ts'

/** The addresses and the transaction that requests use. */
export interface Topic {
  /** The sender. */
  readonly alice: Address
  /** The recipient. */
  readonly bob: Address
  readonly token: Address
  /** The transaction sent last. */
  readonly last: Hash
}

/** A request, and the rows that show its answer. */
export interface Question {
  readonly title: string
  readonly method: string
  params(topic: Topic): readonly unknown[]
  /** A value for each row; undefined if the answer has none. */
  readonly rows: Readonly<Record<string, (answer: never) => string | undefined>>
}

interface Block {
  readonly number: Hex | null
  readonly hash: Hash | null
  readonly gasUsed: Hex
  readonly transactions: readonly Hash[]
}

interface Receipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hash
  readonly transactionIndex: Hex
  readonly gasUsed: Hex
}

interface Log {
  readonly transactionHash: Hash
}

interface Status {
  readonly stage?: string
}

const quantity = (value: Hex | null): string | undefined =>
  value === null ? undefined : count(toNumber(value))
const ether = (wei: Hex): string => `${toEther(BigInt(wei))} ether`
const hash = (value: Hash | null | undefined): string | undefined => (value ? short(value) : undefined)

/** All requests; the first one is sent until the user chooses one. */
export const QUESTIONS: readonly Question[] = [
  {
    title: 'Bob’s balance, pending',
    method: 'eth_getBalance',
    params: ({ bob }) => [bob, 'pending'],
    rows: { balance: ether },
  },
  {
    title: 'Bob’s balance, latest',
    method: 'eth_getBalance',
    params: ({ bob }) => [bob, 'latest'],
    rows: { balance: ether },
  },
  {
    title: 'The pending block',
    method: 'eth_getBlockByNumber',
    params: () => ['pending', false],
    rows: {
      number: ({ number }: Block) => quantity(number),
      hash: (block: Block) => hash(block.hash),
      transactions: ({ transactions }: Block) => count(transactions.length),
      'gas used': ({ gasUsed }: Block) => quantity(gasUsed),
    },
  },
  {
    title: 'Receipt of the last transaction',
    method: 'eth_getTransactionReceipt',
    params: ({ last }) => [last],
    rows: {
      status: ({ status }: Receipt) => (status === '0x1' ? 'success' : 'reverted'),
      block: ({ blockNumber }: Receipt) => quantity(blockNumber),
      'block hash': ({ blockHash }: Receipt) => hash(blockHash),
      'gas used': ({ gasUsed }: Receipt) => quantity(gasUsed),
    },
  },
  {
    title: 'Status of the last transaction',
    method: 'chain_transactionStatus',
    params: ({ last }) => [last],
    rows: { stage: ({ stage }: Status) => stage },
  },
  {
    title: 'Alice’s transaction count, pending',
    method: 'eth_getTransactionCount',
    params: ({ alice }) => [alice, 'pending'],
    rows: { transactions: quantity },
  },
  {
    title: 'Token transfers since the last block',
    method: 'eth_getLogs',
    params: ({ token }) => [{ address: token, fromBlock: 'latest', toBlock: 'pending' }],
    rows: {
      logs: (logs: readonly Log[]) => count(logs.length),
      'newest in': (logs: readonly Log[]) => hash(logs.at(-1)?.transactionHash),
    },
  },
  {
    title: 'The number of the newest block',
    method: 'eth_blockNumber',
    params: () => [],
    rows: { number: quantity },
  },
]
