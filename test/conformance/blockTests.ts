/** Block tests in the format of ethereum/tests: a genesis, blocks, and the head and the state they must give. */
import type { GethGenesis, Hash, Hex } from '../../src/base/types.ts'
import { type Folder, readJson, type Sample } from './folder.ts'
import { type NetworkConfig, networkConfig } from './networks.ts'
import type { PreState } from './stateTests.ts'

/** One test of a file. */
export interface BlockTest {
  /** Such as `bcExample/basefeeExample.json basefeeExample_Cancun`. */
  readonly name: string
  /** The file, relative to the folder. */
  readonly file: string
  /** Such as `Osaka` or `ParisToShanghaiAtTime15k`. */
  readonly network: string
  readonly config?: NetworkConfig
  readonly genesisBlockHeader: TestHeader
  readonly genesisRLP: Hex
  readonly pre: PreState
  /** In the order in which a node would receive them. */
  readonly blocks: readonly TestBlock[]
  /** The hash of the head. */
  readonly lastblockhash: Hash
  /** The state after the head, or only its root. */
  readonly postState?: PreState
  readonly postStateHash?: Hash
}

interface TestHeader {
  readonly hash: Hash
  readonly parentHash: Hash
  readonly coinbase: Hex
  readonly difficulty: Hex
  readonly gasLimit: Hex
  readonly timestamp: Hex
  readonly extraData: Hex
  readonly mixHash: Hex
  readonly nonce: Hex
  readonly baseFeePerGas?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
}

type TestBlock = ValidBlock | InvalidBlock

/** A block that has to be imported. */
export interface ValidBlock {
  readonly rlp: Hex
  readonly blockHeader: TestHeader
  readonly expectException?: undefined
}

/** A block that has to be refused. */
export interface InvalidBlock {
  readonly rlp: Hex
  /** The reasons, one of which is enough, separated by `|`. */
  readonly expectException: string
  /** Absent if the bytes are not those of a block. */
  readonly rlp_decoded?: { readonly blockHeader?: TestHeader }
}

/** A line of blocks from the genesis on, without competing ones. */
export interface Branch {
  readonly blocks: readonly ValidBlock[]
  /** The blocks to refuse after the first n of `blocks`, by n. */
  readonly invalid: ReadonlyMap<number, readonly InvalidBlock[]>
  /** Whether its last block is the head that the test expects. */
  readonly isCanonical: boolean
}

/** The tests of a folder, in lexical order of their files. */
export async function* readBlockTests(folder: Folder): AsyncGenerator<BlockTest> {
  const files = (await folder.list()).filter((file) => file.endsWith('.json'))
  for (const file of files) {
    const tests = await readJson<Record<string, Omit<BlockTest, 'name' | 'file'>>>(folder, file)
    for (const [title, test] of Object.entries(tests)) yield { ...test, name: `${file} ${title}`, file }
  }
}

/** Some of the tests. */
export async function* sampleTests(
  tests: AsyncIterable<BlockTest>,
  [k, n]: Sample,
): AsyncGenerator<BlockTest> {
  let index = 0
  for await (const test of tests) if (index++ % n === k) yield test
}

/**
 * The branches of a test's blocks, one for each valid block without a valid successor. An invalid block is in one
 * of those that have its parent; if none has, it follows the valid block before it.
 */
export function branchesOf({ genesisBlockHeader, blocks, lastblockhash }: BlockTest): Branch[] {
  const genesis = genesisBlockHeader.hash
  const valid = new Map<Hash, ValidBlock>()
  const invalid = new Map<Hash, InvalidBlock[]>()
  const parents = new Set<Hash>()
  let last = genesis
  for (const block of blocks) {
    if (isValid(block)) {
      last = block.blockHeader.hash
      valid.set(last, block)
      parents.add(block.blockHeader.parentHash)
    } else {
      const named = block.rlp_decoded?.blockHeader?.parentHash ?? last
      const parent = named === genesis || valid.has(named) ? named : last
      invalid.set(parent, [...(invalid.get(parent) ?? []), block])
    }
  }
  const leaves = [...valid.keys()].filter((hash) => !parents.has(hash))
  return (leaves.length === 0 ? [genesis] : leaves).map((leaf) => {
    const line: ValidBlock[] = []
    for (let at = valid.get(leaf); at !== undefined; at = valid.get(at.blockHeader.parentHash))
      line.unshift(at)
    const hashes = [genesis, ...line.map(({ blockHeader }) => blockHeader.hash)]
    const refused = new Map<number, readonly InvalidBlock[]>()
    for (const [after, hash] of hashes.entries()) {
      const those = invalid.get(hash)
      // Once in the first branch that has the parent.
      invalid.delete(hash)
      if (those !== undefined) refused.set(after, those)
    }
    return { blocks: line, invalid: refused, isCanonical: leaf === lastblockhash }
  })
}

function isValid(block: TestBlock): block is ValidBlock {
  return block.expectException === undefined
}

/**
 * The genesis of a test.
 *
 * @param length - the number of blocks after which the chain is past the merge, if its network is before it;
 *   undefined: never.
 */
export function genesisOf(test: BlockTest, length?: number): GethGenesis {
  const { pre, network, config, genesisBlockHeader: header } = test
  const end = length === undefined ? undefined : length + 1
  return {
    config: networkConfig(network, config, end),
    alloc: pre,
    gasLimit: header.gasLimit,
    timestamp: header.timestamp,
    nonce: header.nonce,
    difficulty: header.difficulty,
    mixHash: header.mixHash,
    coinbase: header.coinbase,
    extraData: header.extraData,
    baseFeePerGas: header.baseFeePerGas ?? null,
    excessBlobGas: header.excessBlobGas ?? null,
    blobGasUsed: header.blobGasUsed ?? null,
  }
}
