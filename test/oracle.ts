/**
 * The oracle: every block a test seals, validated and executed again by stock @ethereumjs on a state of its own.
 *
 * It is fed with bytes alone, so it shares no object with the chain it checks.
 */
import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import type { TypedTransaction } from '@ethereumjs/tx'
import { Address as EthereumjsAddress, equalsBytes } from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { bytesToHex, hexToBytes } from '../src/bytes.ts'
import type { Address, GethGenesis } from '../src/index.ts'
import { createKZG } from '../src/kzg.ts'

/** What was done on purpose that makes a header invalid. */
export interface OracleOptions {
  readonly skipHeaderValidation?: boolean
}

/** Senders by the index of their transaction. */
export type Senders = ReadonlyMap<number, Address>

/** What code a sender may have (EIP-7702). */
const DELEGATION = hexToBytes(`0xef0100${'00'.repeat(20)}`)

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
   *
   * @param senders - of its transactions that nobody signed, by index.
   */
  async follow(rlp: Uint8Array, senders: Senders = new Map()): Promise<void> {
    const { common } = this.#vm
    const block = createBlockFromRLP(rlp, { common, setHardfork: true, freeze: senders.size === 0 })
    for (const [index, sender] of senders) this.#sendAs(sender, block.transactions[index]!)
    const skipHeaderValidation = this.#options.skipHeaderValidation ?? false
    const root = this.#roots.get(bytesToHex(block.header.parentHash))!
    await runBlock(this.#vm, { block, root, skipHeaderValidation, setHardfork: true })
    await this.#blockchain.putBlock(block)
    this.#note(block)
  }

  #note({ header }: Block): void {
    this.#roots.set(bytesToHex(header.hash()), header.stateRoot)
  }

  /** Gives a transaction its sender, which may then be a contract: stock has no other way past EIP-3607. */
  #sendAs(sender: Address, transaction: TypedTransaction): void {
    const address = new EthereumjsAddress(hexToBytes(sender))
    const { stateManager, events } = this.#vm
    Object.assign(transaction, { getSenderAddress: () => address, verifySignature: () => true })
    const getCode = stateManager.getCode.bind(stateManager)
    events.on('beforeTx', (started, resume) => {
      void stateManager.getAccount(address).then((account) => {
        // The code of a contract that sends is first asked for by that rule.
        if (started === transaction && account?.isContract()) {
          stateManager.getCode = async () => {
            stateManager.getCode = getCode
            return DELEGATION
          }
        }
        resume?.()
      })
    })
  }
}
