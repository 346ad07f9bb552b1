/**
 * The parts of @ethereumjs' blockchain that the store needs, loaded by `import()` when the store is first used. They
 * are imported by name here, since the build keeps all of a package that is itself the target of `import()`.
 */
import { type BlockHeader, Block as EthereumjsBlock } from '@ethereumjs/block'
import { DBOp, DBSetBlockOrHeader, DBSetHashToNumber } from '@ethereumjs/blockchain'
import { Common, Mainnet } from '@ethereumjs/common'
import { hexToBytes } from '../../primitives/bytes.ts'
import { encodeRlp, type RlpItem } from '../../primitives/rlp.ts'
import type { Block } from '../../protocol/block.ts'
import { encodeBody } from '../../protocol/blockEncoding.ts'
import { headerItems } from '../../protocol/header.ts'

/** Storing a block does not read its `common`, but @ethereumjs requires one. */
const MAINNET = new Common({ chain: Mainnet })

/** A block of @ethereumjs for storing: only its encoding is read. */
class RawBlock extends EthereumjsBlock {
  readonly #items: readonly RlpItem[]

  constructor(block: Block) {
    const { header, hash, number } = block
    const items = headerItems(header)
    const stored = {
      common: MAINNET,
      number,
      hash: () => hexToBytes(hash),
      serialize: () => encodeRlp(items),
      isGenesis: () => number === 0n,
    }
    super(stored as unknown as BlockHeader, [], [], undefined, { freeze: false })
    this.#items = [items, ...encodeBody(block)] as readonly RlpItem[]
  }

  override raw(): ReturnType<EthereumjsBlock['raw']> {
    return this.#items as unknown as ReturnType<EthereumjsBlock['raw']>
  }
}

/** The operations of its database, and the blocks that they store. */
export const ethereumjs = { DBOp, DBSetBlockOrHeader, DBSetHashToNumber, RawBlock }
