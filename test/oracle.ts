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
import {
  createAccount,
  createAddressFromString,
  Address as EthereumjsAddress,
  equalsBytes,
} from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import type { Address, GethGenesis } from '../src/index.ts'
import { bytesToHex, hexToBytes } from '../src/primitives/bytes.ts'
import type { Hash } from '../src/primitives/types.ts'
import { verifyProof } from '../src/protocol/kzg.ts'
import type { StatePatch } from '../src/state/patch.ts'

/** What was done on purpose that makes a header invalid. */
export interface OracleOptions {
  readonly skipHeaderValidation?: boolean
  /** Whether code may be of any size. */
  readonly allowUnlimitedContractSize?: boolean
}

/** Senders by the index of their transaction. */
export type Senders = ReadonlyMap<number, Address>

/** What a block does not say of itself. */
export interface BlockContext {
  /** Of its transactions that nobody signed. */
  readonly senders?: Senders | undefined
  /** What it was executed with; the genesis's. */
  readonly chainId?: bigint | undefined
}

/** What code a sender may have (EIP-7702). */
const DELEGATION = hexToBytes(`0xef0100${'00'.repeat(20)}`)
/** keccak256(rlp('')): the root of a storage without slots. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** A stock VM that follows a chain block by block. */
export class Oracle {
  readonly #vm: VM
  readonly #blockchain: Blockchain
  /** What stock knows of the chain, its id among it. */
  readonly #chain: object
  readonly #options: OracleOptions
  readonly #blocks = new Map<string, Block>()
  /** State roots by block: what a block is built on is not always what came before it. */
  readonly #roots = new Map<string, Uint8Array>()
  /** The same as their headers have them. */
  readonly #sealedRoots = new Map<string, Uint8Array>()

  private constructor(vm: VM, blockchain: Blockchain, options: OracleOptions) {
    this.#vm = vm
    this.#chain = (vm.common as unknown as { readonly _chainParams: object })._chainParams
    this.#blockchain = blockchain
    this.#options = options
  }

  /** Starts from a genesis and the block it gave. Throws where the genesis state has another root. */
  static async create(genesis: GethGenesis, block: Uint8Array, options: OracleOptions = {}): Promise<Oracle> {
    const stock = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0', ...genesis }
    // The point evaluation precompile has no stock library; ours is checked against known answers by its own test.
    const customCrypto = { kzg: { verifyProof } as never }
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
    const isUnlimited = options.allowUnlimitedContractSize === true
    const vm = await createVM({
      common,
      stateManager,
      blockchain,
      evmOpts: { allowUnlimitedContractSize: isUnlimited, allowUnlimitedInitCodeSize: isUnlimited },
    })
    const oracle = new Oracle(vm, blockchain, options)
    oracle.#note(genesisBlock)
    const { dbManager } = blockchain
    // Its own would decode a block by the rules of the moment, which may have another chain id than the block's.
    dbManager.getBlock = async (id) => {
      const hash = id instanceof Uint8Array ? id : await dbManager.numberToHash(BigInt(id!))
      return hash && oracle.#blocks.get(bytesToHex(hash))
    }
    return oracle
  }

  /**
   * Executes a block (RLP) after its parent, which was followed before. Throws where its header is invalid, or a root, the
   * gas used or the bloom differs.
   *
   * @param context - what it does not say itself.
   */
  async follow(rlp: Uint8Array, { senders = new Map(), chainId }: BlockContext = {}): Promise<void> {
    const { common } = this.#vm
    // Stock has no chain whose id changes.
    Object.assign(common, { _chainParams: { ...this.#chain, ...(chainId && { chainId: Number(chainId) }) } })
    const { allowUnlimitedContractSize: allowUnlimitedInitCodeSize } = this.#options
    const options = { common, setHardfork: true, freeze: senders.size === 0, allowUnlimitedInitCodeSize }
    const block = createBlockFromRLP(rlp, options)
    for (const [index, sender] of senders) this.#sendAs(sender, block.transactions[index]!)
    const skipHeaderValidation = this.#options.skipHeaderValidation ?? false
    const root = this.#roots.get(bytesToHex(block.header.parentHash))!
    await runBlock(this.#vm, { block, root, skipHeaderValidation, setHardfork: true })
    await this.#blockchain.putBlock(block)
    this.#note(block)
  }

  /** Takes note that what follows a block is built on its state with a patch. */
  async patch(hash: Hash, patch: StatePatch | undefined): Promise<void> {
    const { stateManager } = this.#vm
    await stateManager.setStateRoot(this.#sealedRoots.get(hash)!)
    for (const [key, { balance, nonce, code, state, stateDiff }] of patch ?? []) {
      const address = createAddressFromString(key)
      const account = (await stateManager.getAccount(address)) ?? createAccount({})
      if (balance !== undefined) account.balance = balance
      if (nonce !== undefined) account.nonce = nonce
      await stateManager.putAccount(address, account)
      if (code !== undefined) await stateManager.putCode(address, code)
      if (state !== undefined) await stateManager.clearStorage(address)
      for (const [slot, value] of state ?? stateDiff ?? []) {
        const word = hexToBytes(value)
        await stateManager.putStorage(
          address,
          hexToBytes(slot),
          word.slice(word.findIndex((byte) => byte > 0)),
        )
      }
      const after = (await stateManager.getAccount(address))!
      const holdsSlots = bytesToHex(after.storageRoot) !== EMPTY_ROOT
      if (after.isEmpty() && !holdsSlots) await stateManager.deleteAccount(address)
    }
    this.#roots.set(hash, await stateManager.getStateRoot())
  }

  #note(block: Block): void {
    const { header } = block
    this.#blocks.set(bytesToHex(header.hash()), block)
    this.#roots.set(bytesToHex(header.hash()), header.stateRoot)
    this.#sealedRoots.set(bytesToHex(header.hash()), header.stateRoot)
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
