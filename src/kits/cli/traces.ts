/** `--traces`: prints the call tree of every transaction, once it is pre-confirmed or dropped. */

import type { Hash } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Trees } from './trees.ts'

/** Starts to print. */
export function printTraces(chain: PresealChain, trees: Trees): void {
  const trace = (hash: Hash): void => trees.add(`transaction ${hash}`, hash)
  chain.on('preconf', ({ block, added }) => {
    for (const { hash } of block.transactions.slice(added)) trace(hash)
  })
  chain.on('dropped', ({ hash }) => trace(hash))
}
