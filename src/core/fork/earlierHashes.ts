/**
 * The hashes of the blocks before a fork, for BLOCKHASH and for what looks for a block.
 *
 * Owns: the hashes that were asked for.
 */
import { quantity } from '../../base/bytes.ts'
import type { Hash } from '../../base/types.ts'
import { Missing } from '../../base/waiting.ts'
import { blockOfNumber, orNull, type RemoteBlock } from './answers.ts'
import { ForkedChainChangedError } from './errors.ts'
import type { Remote } from './remote.ts'

/** How far below the lowest known block the parents are walked; blocks before that are asked for alone. */
const MOST_WALKED = 256

/**
 * A function that returns the hash at a number below the fork's.
 *
 * @param parentHash - of the forked block.
 * @param check - of each block that leads to another one; throws a SchemaError.
 */
export function createEarlierHashes(
  remote: Remote,
  fork: bigint,
  parentHash: Hash,
  check: (block: RemoteBlock) => void = () => {},
): (number: bigint) => Hash | undefined {
  const known = new Map<bigint, Hash>([[fork - 1n, parentHash]])
  let lowest = fork - 1n

  const ask = async (numbers: readonly bigint[]): Promise<RemoteBlock[]> => {
    const answers = await remote.askAll(
      numbers.map((number) => ({
        method: 'eth_getBlockByNumber',
        params: [quantity(number), false],
        read: orNull((answer) => {
          const block = blockOfNumber(number)(answer)
          check(block)
          return block
        }),
        // A number names another block after a reorganisation.
        isPinned: false,
      })),
    )
    return answers.map((answer, i) => {
      if (answer.status === 'rejected') throw answer.reason
      if (answer.value === null) throw new ForkedChainChangedError(numbers[i]!)
      return answer.value as RemoteBlock
    })
  }

  const load = async (number: bigint): Promise<void> => {
    if (lowest - number > BigInt(MOST_WALKED)) {
      const [block] = await ask([number])
      known.set(number, lowerCase(block!.hash))
      return
    }
    const numbers: bigint[] = []
    for (let at = lowest; at > number; at -= 1n) numbers.push(at)
    // Each block names its parent: together they lead from the fork, which is pinned, to the block that is looked for.
    for (const [i, block] of (await ask(numbers)).entries()) {
      const at = numbers[i]!
      if (lowerCase(block.hash) !== known.get(at)) throw new ForkedChainChangedError(at)
      known.set(at - 1n, lowerCase(block.parentHash))
      if (at - 1n < lowest) lowest = at - 1n
    }
  }

  return (number) => {
    if (number < 0n) return undefined
    const hash = known.get(number)
    if (hash === undefined) throw new Missing(() => load(number))
    return hash
  }
}

function lowerCase(hash: Hash): Hash {
  return hash.toLowerCase() as Hash
}
