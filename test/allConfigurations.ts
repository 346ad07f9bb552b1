/** Options that users set, without what depends on the run of the tests. */

import { toGethGenesis } from '../src/core/open/genesis.ts'
import { resolveOptions } from '../src/core/options.ts'
import type { ChainOptions, GethGenesis } from '../src/index.ts'

/** A named set of options. */
export interface Configuration {
  readonly name: string
  readonly options: ChainOptions
  /** Random runs of each property in `npm test`; with 0, only `npm run test:full` runs it. */
  readonly runs: number
}

/** A genesis of Prague without the system contracts. */
const BARE_GENESIS: GethGenesis = {
  ...toGethGenesis(resolveOptions({ hardfork: 'prague' }), [], 1_700_000_000n),
  alloc: {},
}

/** Every configuration, the default first. */
export const ALL_CONFIGURATIONS: readonly Configuration[] = [
  { name: 'the default', options: {}, runs: 5 },
  // Empty blocks change no state before Cancun.
  { name: 'shanghai', options: { hardfork: 'shanghai' }, runs: 1 },
  {
    name: 'cancun, blocks with the same timestamp',
    options: { hardfork: 'cancun', allowBlocksWithSameTimestamp: true },
    runs: 1,
  },
  { name: 'osaka', options: { hardfork: 'osaka' }, runs: 0 },
  {
    name: 'a genesis without system contracts',
    options: { genesis: BARE_GENESIS, accounts: { count: 10 } },
    runs: 1,
  },
  { name: 'auto mining', options: { mining: 'auto' }, runs: 1 },
  {
    name: 'interval mining',
    options: { mining: 'interval', blockTime: 1000, preconfInterval: 500 },
    runs: 1,
  },
  { name: 'a small mempool', options: { mempool: { maxPerSender: 2, maxTransactions: 4 } }, runs: 1 },
  {
    name: 'a small mempool, first in first out',
    options: { mempool: { maxPerSender: 3, maxTransactions: 3, ordering: 'fifo' } },
    runs: 0,
  },
  { name: 'a short history', options: { history: { blocks: 3, proofs: 2 } }, runs: 1 },
  {
    name: 'a short history, shanghai',
    options: { hardfork: 'shanghai', history: { blocks: 3, proofs: 2 } },
    runs: 1,
  },
  { name: 'a short history without proofs', options: { history: { blocks: 2, proofs: 0 } }, runs: 0 },
  {
    name: 'auto mining, shanghai, a small mempool and a short history',
    options: {
      hardfork: 'shanghai',
      mining: 'auto',
      mempool: { maxPerSender: 2, maxTransactions: 4 },
      history: { blocks: 3, proofs: 2 },
    },
    runs: 0,
  },
  { name: 'a fixed base fee', options: { fixedBaseFee: 10n ** 9n }, runs: 0 },
]
