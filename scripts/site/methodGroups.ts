/** The methods by topic, with what they answer on each view; the index of the methods and their pages show it. */
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

/** What the views answer from; undefined if both answer alike. */
export function viewsOf(name: string): Views | undefined {
  const { onFork = 'local' } = methods.get(name)!
  const { views } = TAGS.get(name)!
  if (views !== undefined || onFork === 'local') return views
  switch (onFork.reads) {
    case 'block':
      return name.startsWith('eth_') ? BLOCK : SEALED
    case 'range':
      return undefined
    case 'state':
    case 'trie':
      return STATE
    case 'transaction':
      return TRANSACTIONS
  }
}
