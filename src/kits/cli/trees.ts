/** Call trees that are printed one after the other, in the order in which they were asked for. Owns: those that wait. */

import { toError } from '../../base/emitter.ts'
import { printable } from '../../base/printable.ts'
import type { Hash } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Artifacts } from '../../inspect/explain/artifacts.ts'
import { loadArtifacts } from '../../inspect/explain/loadArtifacts.ts'
import { explanationToText } from '../../inspect/explain/text.ts'
import type { ExplainCall, ExplainOptions } from '../../inspect/explain/tree.ts'

/** Trees that wait at most; further ones are left out. */
const MAX_WAITING = 1000

/** Prints trees. */
export interface Trees {
  /** Prints the tree of a transaction or a call, named so if it cannot be made. */
  add(name: string, target: Hash | ExplainCall, options?: ExplainOptions): void
}

/**
 * Creates the printer of a chain's trees. A tree that cannot be made, such as one of a block that is no longer in the history,
 * is one line.
 *
 * @param folder - of the artifacts; undefined for none.
 * @param print - prints a text of one or more lines.
 * @throws ArtifactsFolderError
 */
export async function createTrees(
  chain: PresealChain,
  folder: string | undefined,
  print: (text: string) => void,
): Promise<Trees> {
  const artifacts: Artifacts = folder === undefined ? {} : await loadArtifacts(folder)
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  const printTree = async (
    name: string,
    target: Hash | ExplainCall,
    options?: ExplainOptions,
  ): Promise<void> => {
    try {
      print(explanationToText(await chain.explain(target, { ...options, artifacts })).trimEnd())
    } catch (error) {
      print(`${name} cannot be traced: ${printable(toError(error).message)}`)
    } finally {
      waiting -= 1
    }
  }
  return {
    add(name, target, options) {
      if (waiting === MAX_WAITING) {
        print(`${name} is not traced: ${MAX_WAITING} others wait`)
        return
      }
      waiting += 1
      last = last.then(() => printTree(name, target, options))
    },
  }
}
