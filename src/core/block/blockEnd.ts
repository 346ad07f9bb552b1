/** The end of a block under construction, on a layer of its own: the next snapshot builds without it. */

import { whenLoaded } from '../../base/missing.ts'
import type { Hash, MaybePromise } from '../../base/types.ts'
import type { Yielder } from '../../base/yielder.ts'
import type { BlockEnv, Executor } from '../../ethereum/evm/executor.ts'
import type { StateChanges, StateReader } from '../../ethereum/state/account.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { endBlock } from './systemCalls.ts'

/** What the calls at the end of a block change, and the hash of its requests. */
export interface BlockEnd {
  readonly changes: StateChanges
  readonly requestsHash: Hash | undefined
}

/**
 * Executes what the protocol does at the end of a block.
 *
 * @returns a promise only if a call was suspended or something had to be loaded.
 */
export function executeBlockEnd(
  env: BlockEnv,
  { layer, deposits }: { readonly layer: StateReader; readonly deposits: Uint8Array },
  executor: Executor,
  pause: Yielder,
): MaybePromise<BlockEnd> {
  return whenLoaded(() => {
    const leaf = new Overlay(layer)
    const hash = endBlock(env, deposits, executor, leaf, pause)
    return hash instanceof Promise ? hash.then((ended) => toBlockEnd(leaf, ended)) : toBlockEnd(leaf, hash)
  })
}

function toBlockEnd(leaf: Overlay, requestsHash: Hash | undefined): BlockEnd {
  return { changes: leaf.changes(), requestsHash }
}
