/** A block test under stock @ethereumjs, to find the cause of a difference. */
import { hexToBytes, hexToWord } from '../../src/base/bytes.ts'
import type { GethGenesis, Hex } from '../../src/base/types.ts'
import { Oracle } from '../oracle.ts'
import { type BlockTest, type Branch, branchesOf, genesisOf } from './blockTests.ts'

/** Runs a test on stock @ethereumjs. @returns the differences from what is expected; undefined if none. */
export async function runStockBlocks(test: BlockTest): Promise<string | undefined> {
  const differences: string[] = []
  for (const branch of branchesOf(test)) differences.push(...(await followBranch(test, branch)))
  return differences.length === 0 ? undefined : differences.join('\n  ')
}

async function followBranch(test: BlockTest, { blocks, invalid }: Branch): Promise<string[]> {
  const differences: string[] = []
  // After a failure its state is undefined, so each invalid block gets one of its own.
  const follow = async (rlps: readonly Hex[]): Promise<void> => {
    const oracle = await Oracle.create(stockGenesis(test), hexToBytes(test.genesisRLP))
    for (const rlp of rlps) await oracle.follow(hexToBytes(rlp))
  }
  const valid = blocks.map(({ rlp }) => rlp)
  await follow(valid).catch((error) => differences.push(`threw ${error}`))
  for (const [number, those] of invalid) {
    for (const { rlp, expectException } of those) {
      const isRefused = await follow([...valid.slice(0, number), rlp]).then(
        () => false,
        () => true,
      )
      if (!isRefused) differences.push(`block ${number + 1} was not refused: ${expectException}`)
    }
  }
  return differences
}

/** The genesis of a test, with slots as stock @ethereumjs needs them: keys of 32 bytes. */
function stockGenesis(test: BlockTest): GethGenesis {
  const genesis = genesisOf(test)
  const alloc = Object.entries(test.pre).map(([address, { storage, ...account }]) => {
    const slots = Object.entries(storage).map(([key, value]) => [hexToWord(key as Hex), value])
    return [address, { ...account, storage: Object.fromEntries(slots) }]
  })
  return { ...genesis, alloc: Object.fromEntries(alloc) }
}
