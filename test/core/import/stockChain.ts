/** A chain of blocks built by stock @ethereumjs alone, by the rules of any fork. */
import {
  type Block,
  type BlockHeader,
  createBlock,
  createBlockHeader,
  genTransactionsTrieRoot,
  genWithdrawalsTrieRoot,
} from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { type Common, createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { NobleBLS } from '@ethereumjs/evm'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import type { TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromString, createWithdrawal } from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
import { bigintToBytes32 } from '../../../src/base/bytes.ts'
import type { Address } from '../../../src/base/types.ts'
import type { Withdrawal } from '../../../src/ethereum/block.ts'
import { verifyProof } from '../../../src/ethereum/kzg.ts'
import type { GethGenesis } from '../../../src/index.ts'

/** The content of a block beyond what follows from its parent. */
export interface StockContent {
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly coinbase: Address
  readonly transactions: readonly TypedTransaction[]
  readonly uncles?: readonly BlockHeader[]
  /** Ignored before Shanghai. */
  readonly withdrawals?: readonly Withdrawal[]
  readonly extraData?: Uint8Array
}

/** See the file's header. */
export class StockChain {
  readonly #vm: VM
  readonly #blockchain: Blockchain
  /** From genesis on. */
  readonly blocks: Block[]

  private constructor(vm: VM, blockchain: Blockchain, genesis: Block) {
    this.#vm = vm
    this.#blockchain = blockchain
    this.blocks = [genesis]
  }

  static async create(genesis: GethGenesis): Promise<StockChain> {
    const customCrypto = { kzg: { verifyProof } as never }
    const common = createCommonFromGethGenesis(genesis as never, { chain: 'foreign', customCrypto })
    const stateManager = new MerkleStateManager({ common })
    await stateManager.generateCanonicalGenesis(parseGethGenesisState(genesis as never))
    common.setHardforkBy({ blockNumber: 0n, timestamp: 0n })
    const stateRoot = await stateManager.getStateRoot()
    const { gasLimit, difficulty } = genesis
    const genesisBlock = createBlock({ header: { gasLimit, difficulty, stateRoot } as never }, { common })
    const blockchain = await createBlockchain({
      common,
      genesisBlock,
      validateBlocks: false,
      validateConsensus: false,
    })
    const vm = await createVM({ common, stateManager, blockchain })
    // An EVM that is created before Prague lacks the curve, and fails its precompiles later.
    Object.assign(vm.evm, { _bls: new NobleBLS() })
    return new StockChain(vm, blockchain, genesisBlock)
  }

  get state(): VM['stateManager'] {
    return this.#vm.stateManager
  }

  /** The rules of the next block, if it has this timestamp. */
  rulesAt(timestamp: number): Common {
    const { common } = this.#vm
    common.setHardforkBy({ blockNumber: BigInt(this.blocks.length), timestamp: BigInt(timestamp) })
    return common
  }

  /** The header of a sibling of block `number`, by another miner, which can be an uncle of later blocks. */
  uncleAt(number: number, coinbase: Address): BlockHeader {
    const [parent, sibling] = [this.blocks[number - 1]!, this.blocks[number]!]
    const common = this.#vm.common.copy()
    common.setHardforkBy({ blockNumber: sibling.header.number, timestamp: sibling.header.timestamp })
    const { baseFeePerGas, extraData } = sibling.header
    return createBlockHeader(
      {
        parentHash: parent.hash(),
        number: sibling.header.number,
        timestamp: sibling.header.timestamp + 1n,
        coinbase: createAddressFromString(coinbase),
        gasLimit: sibling.header.gasLimit,
        extraData,
        ...(baseFeePerGas !== undefined && { baseFeePerGas }),
      },
      { common, calcDifficultyFromHeader: parent.header },
    )
  }

  /** Builds the next block. */
  async make({ timestamp, coinbase, transactions, uncles = [], ...rest }: StockContent): Promise<Block> {
    const parent = this.blocks.at(-1)!
    const number = this.blocks.length
    const common = this.rulesAt(timestamp)
    const isProofOfWork = !common.gteHardfork('paris')
    const isFirstOfLondon = common.isActivatedEIP(1559) && parent.header.baseFeePerGas === undefined
    const withdrawals = common.isActivatedEIP(4895)
      ? (rest.withdrawals ?? []).map(({ address, ...fields }) =>
          createWithdrawal({ ...fields, address: createAddressFromString(address) }),
        )
      : undefined
    const blobs = transactions.reduce((sum, tx) => sum + ('numBlobs' in tx ? tx.numBlobs() : 0), 0)
    const header = {
      parentHash: parent.hash(),
      number,
      timestamp,
      coinbase: createAddressFromString(coinbase),
      gasLimit: isFirstOfLondon ? parent.header.gasLimit * 2n : parent.header.gasLimit + BigInt(number),
      extraData: rest.extraData ?? Uint8Array.of(number),
      mixHash: bigintToBytes32(BigInt(number) << 128n),
      ...(isProofOfWork && { nonce: bigintToBytes32(BigInt(number)).subarray(24) }),
      uncleHash: keccak256(RLP.encode(uncles.map((uncle) => uncle.raw()))),
      ...(common.isActivatedEIP(1559) && {
        baseFeePerGas: isFirstOfLondon ? 1_000_000_000n : parent.header.calcNextBaseFee(),
      }),
      ...(withdrawals && {
        withdrawalsRoot: await genWithdrawalsTrieRoot(withdrawals, new MerklePatriciaTrie({ common })),
      }),
      ...(common.isActivatedEIP(4844) && {
        excessBlobGas: parent.header.calcNextExcessBlobGas(common),
        blobGasUsed: BigInt(blobs) * 131_072n,
        parentBeaconBlockRoot: bigintToBytes32(BigInt(number) << 64n),
      }),
    }
    const body = { transactions, uncleHeaders: uncles, ...(withdrawals && { withdrawals }) }
    const options = {
      common,
      setHardfork: true,
      ...(isProofOfWork && { calcDifficultyFromHeader: parent.header }),
    }
    const draft = createBlock({ header, ...body } as never, options)
    // What a block without transactions has touched would be touched in the next one too.
    this.#vm.evm.journal.cleanJournal()
    const run = await runBlock(this.#vm, { block: draft, generate: true, skipBlockValidation: true })
    const executed = {
      ...header,
      stateRoot: run.stateRoot,
      receiptTrie: run.receiptsRoot,
      transactionsTrie: await genTransactionsTrieRoot([...transactions]),
      logsBloom: run.logsBloom,
      gasUsed: run.gasUsed,
      ...(run.requestsHash && { requestsHash: run.requestsHash }),
    }
    const block = createBlock({ header: executed, ...body } as never, { ...options, common: common.copy() })
    await this.#blockchain.putBlock(block)
    this.blocks.push(block)
    return block
  }
}
