/** The methods by topic, with what they answer on each view; the index of the methods and their pages show it. */
import type { OnFork } from '../../src/rpc/fork/onFork.ts'
import { methods } from '../../src/rpc/table.ts'
import { type MethodTags, methodNames, methodTags } from '../methodFiles.ts'

/** A topic. */
export interface MethodGroup {
  readonly title: string
  readonly names: readonly string[]
}

/** The topics, which methods name with `@group`. */
const TITLES = [
  'Chain and node',
  'Blocks',
  'State and calls',
  'Transactions',
  'Fees',
  'Logs, filters and subscriptions',
  'Mempool',
  'Accounts and signing',
  'Wallet',
  'Tracing',
  'Otterscan',
  'Dev chain: mining and time',
  'Dev chain: accounts and state',
  'Dev chain: blocks to come',
  'Dev chain: snapshots, reorgs, state files',
  'Dev chain: mempool and node',
]

const TAGS: ReadonlyMap<string, MethodTags> = new Map(methodNames().map((name) => [name, methodTags(name)]))

/** All methods of the table, each by the first of its names. */
export const METHOD_GROUPS: readonly MethodGroup[] = TITLES.map((title) => ({
  title,
  names: methodNames().filter((name) => TAGS.get(name)!.group === title),
}))

type Views = NonNullable<MethodTags['views']>

const BLOCK: Views = {
  standard: '`pending` is empty, without number and hash',
  preconf: '`pending` is the preconf block',
}
const STATE: Views = { standard: "`pending` is the head's state", preconf: '`pending` is the preconf block' }
const SEALED: Views = {
  standard: 'sealed blocks',
  preconf: 'sealed blocks, and `pending` is the preconf block',
}
const TRANSACTIONS: Views = {
  standard: 'sealed transactions',
  preconf: 'sealed and pre-confirmed transactions',
}

/** By what answers on a fork, which follows from what a method reads. */
const VIEWS: Readonly<Partial<Record<Extract<OnFork, string>, Views>>> = {
  block: BLOCK,
  blockDetails: SEALED,
  blockDetailsByHash: SEALED,
  blockTransactions: SEALED,
  frames: TRANSACTIONS,
  hasCode: SEALED,
  hashByNonce: TRANSACTIONS,
  header: SEALED,
  internalOperations: TRANSACTIONS,
  proof: STATE,
  receipt: TRANSACTIONS,
  storageAt: STATE,
  storageValues: STATE,
  tracedCall: STATE,
  traces: SEALED,
  transaction: TRANSACTIONS,
  transactionByNonce: TRANSACTIONS,
  transactionError: TRANSACTIONS,
}

/** What the views answer from; undefined if both answer alike. */
export function viewsOf(name: string): Views | undefined {
  const { class: kind, onFork = 'local' } = methods.get(name)!
  const { views } = TAGS.get(name)!
  if (views !== undefined || typeof onFork === 'string') return views ?? VIEWS[onFork as keyof typeof VIEWS]
  if (onFork.reads === 'transaction') return TRANSACTIONS
  if (onFork.reads === 'state') return STATE
  return kind === 'debug' ? SEALED : BLOCK
}
