/** `--traces`: prints the call tree of every transaction, once it is pre-confirmed or dropped. Loaded on first use. */
import type { PresealChain } from '../chain/handle.ts'
import { loadArtifacts } from '../explain/loadArtifacts.ts'
import { explanationToText } from '../explain/text.ts'
import { toError } from '../primitives/emitter.ts'
import type { Hash } from '../primitives/types.ts'

/**
 * Starts to print, one tree after the other. A tree that cannot be made, such as one of a block that is no longer in the
 * history, is one line.
 *
 * @param folder - of the artifacts; undefined for none.
 * @param print - prints a text of one or more lines.
 * @throws ArtifactsFolderError
 */
export async function printTraces(
  chain: PresealChain,
  folder: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const artifacts = folder === undefined ? {} : await loadArtifacts(folder)
  let last: Promise<void> = Promise.resolve()
  const trace = (hash: Hash): void => {
    last = last.then(async () => {
      try {
        print(explanationToText(await chain.explain(hash, { artifacts })).trimEnd())
      } catch (error) {
        print(`transaction ${hash} cannot be traced: ${toError(error).message}`)
      }
    })
  }
  chain.on('preconf', ({ block, added }) => {
    for (const { hash } of block.transactions.slice(added)) trace(hash)
  })
  chain.on('dropped', ({ hash }) => trace(hash))
}
