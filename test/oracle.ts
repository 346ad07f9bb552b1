/**
 * The oracle: every block a test seals, validated and executed again by stock @ethereumjs on a state of its own.
 *
 * It is fed with bytes alone, so it shares no object with the chain it checks.
 */
import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { equalsBytes } from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { bytesToHex } from '../src/bytes.ts'
import type { GethGenesis } from '../src/index.ts'
import { createKZG } from '../src/kzg.ts'

/** What was done on purpose that makes a header invalid. */
export interface OracleOptions {
  readonly skipHeaderValidation?: boolean
}

/** A stock VM that follows a chain block by block. */
export class Oracle {
  readonly #vm: VM
  readonly #blockchain: Blockchain
  readonly #options: OracleOptions
  /** State roots by block: what a block is built on is not always what came before it. */
  readonly #roots = new Map<string, Uint8Array>()

  private constructor(vm: VM, blockchain: Blockchain, options: OracleOptions) {
    this.#vm = vm
    this.#blockchain = blockchain
    this.#options = options
  }

  /** Starts from a genesis and the block it gave. Throws where the genesis state has another root. */
  static async create(genesis: GethGenesis, block: Uint8Array, options: OracleOptions = {}): Promise<Oracle> {
    const stock = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0', ...genesis }
    // The point evaluation precompile has no stock library; ours is checked against known answers by its own test.
    const customCrypto = { kzg: createKZG() }
    const common = createCommonFromGethGenesis(stock as never, { chain: 'oracle', customCrypto })
    const stateManager = new MerkleStateManager({ common })
    await stateManager.generateCanonicalGenesis(parseGethGenesisState(stock as never))
    const genesisBlock = createBlockFromRLP(block, { common, setHardfork: true })
    if (!equalsBytes(await stateManager.getStateRoot(), genesisBlock.header.stateRoot)) {
      throw new Error('the genesis state has another root')
    }
    const blockchain = await createBlockchain({
      common,
      genesisBlock,
      validateBlocks: options.skipHeaderValidation !== true,
      validateConsensus: false,
    })
    const vm = await createVM({ common, stateManager, blockchain })
    const oracle = new Oracle(vm, blockchain, options)
    oracle.#note(genesisBlock)
    return oracle
  }

  /**
   * Executes a block (RLP) after its parent, which was followed before. Throws where its header is invalid, or a root, the
   * gas used or the bloom differs.
   */
  async follow(rlp: Uint8Array): Promise<void> {
    const { common } = this.#vm
    const block = createBlockFromRLP(rlp, { common, setHardfork: true })
    const skipHeaderValidation = this.#options.skipHeaderValidation ?? false
    const root = this.#roots.get(bytesToHex(block.header.parentHash))!
    await runBlock(this.#vm, { block, root, skipHeaderValidation, setHardfork: true })
    await this.#blockchain.putBlock(block)
    this.#note(block)
  }

  #note({ header }: Block): void {
    this.#roots.set(bytesToHex(header.hash()), header.stateRoot)
  }
}
