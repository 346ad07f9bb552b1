/**
 * The oracle: every block a test seals, validated and executed again by stock @ethereumjs on a state of its own.
 *
 * It is fed with bytes alone, so it shares no object with the chain it checks. What it has found of a block depends on
 * nothing but the genesis, the block's bytes, its {@link BlockContext} and the state it is built on; so it keeps its
 * finding, and the same block of another chain is not executed again.
 */
import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import type { TypedTransaction } from '@ethereumjs/tx'
import {
  createAccount,
  createAddressFromString,
  Address as EthereumjsAddress,
  equalsBytes,
} from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
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

/** Grounds by what they are of; the oldest is given up for a new one. */
const grounds = new Map<string, Promise<Ground>>()
const MAX_GROUNDS = 16
/** Blocks that a ground keeps its findings of. */
const MAX_PASSED = 5000

/** A block that was found to be valid. */
interface Passed {
  readonly hash: Hash
  readonly parent: Hash
  readonly root: Uint8Array
  /** What it was executed on and with. */
  readonly contexts: Set<string>
}

/** What all chains of one genesis have in common. */
interface Ground {
  readonly stock: object
  readonly genesis: Uint8Array
  readonly hash: Hash
  /** Its nodes are never deleted, so that all oracles of the genesis add theirs to one database. */
  readonly trie: MerklePatriciaTrie
  /** By the keccak256 of their bytes. */
  readonly passed: Map<Hash, Passed>
}

/** A VM under way, and what it reads blocks from. */
interface Machine {
  readonly vm: VM
  readonly blockchain: Blockchain
  /** What stock knows of the chain, its id among it. */
  readonly chain: object
}

/** A stock VM that follows a chain block by block. */
export class Oracle {
  readonly #ground: Ground
  readonly #options: OracleOptions
  /** Made for the first block that is not known to be valid. */
  #machine: Machine | undefined
  /** Blocks that the machine was not told of yet. */
  #skipped: (readonly [rlp: Uint8Array, context: BlockContext])[] = []
  readonly #blocks = new Map<string, Block>()
  /** State roots by block: what a block is built on is not always what came before it. */
  readonly #roots = new Map<string, Uint8Array>()
  /** The same as their headers have them. */
  readonly #sealedRoots = new Map<string, Uint8Array>()

  private constructor(ground: Ground, options: OracleOptions) {
    this.#ground = ground
    this.#options = options
    this.#note(ground.hash, ground.trie.root())
  }

  /** Starts from a genesis and the block it gave. Throws where the genesis state has another root. */
  static async create(genesis: GethGenesis, block: Uint8Array, options: OracleOptions = {}): Promise<Oracle> {
    const key = JSON.stringify([genesis, bytesToHex(block), options])
    let ground = grounds.get(key)
    if (ground === undefined) {
      ground = createGround(genesis, block)
      const [oldest] = grounds.keys()
      if (grounds.size === MAX_GROUNDS) grounds.delete(oldest!)
      grounds.set(key, ground)
    }
    return new Oracle(await ground, options)
  }

  /**
   * Executes a block (RLP) after its parent, which was followed before. Throws where its header is invalid, or a root, the
   * gas used or the bloom differs.
   *
   * @param context - what it does not say itself.
   */
  async follow(rlp: Uint8Array, context: BlockContext = {}): Promise<void> {
    const { passed } = this.#ground
    const id = bytesToHex(keccak256(rlp))
    const known = passed.get(id)
    if (known?.contexts.has(this.#contextOf(known.parent, context)) === true) {
      this.#skipped.push([rlp, context])
      this.#note(known.hash, known.root)
      return
    }
    const machine = await this.#open()
    const block = this.#decode(machine, rlp, context)
    const parent = bytesToHex(block.header.parentHash)
    const skipHeaderValidation = this.#options.skipHeaderValidation ?? false
    const root = this.#roots.get(parent)!
    await runBlock(machine.vm, { block, root, skipHeaderValidation, setHardfork: true })
    await this.#put(machine, block)

    const [hash, { stateRoot }] = [bytesToHex(block.hash()), block.header]
    const contexts = (known?.contexts ?? new Set()).add(this.#contextOf(parent, context))
    if (passed.size === MAX_PASSED) passed.clear()
    passed.set(id, { hash, parent, root: stateRoot, contexts })
    this.#note(hash, stateRoot)
  }

  /** Takes note that what follows a block is built on its state with a patch. */
  async patch(hash: Hash, patch: StatePatch | undefined): Promise<void> {
    const { stateManager } = (await this.#open()).vm
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

  #note(hash: Hash, root: Uint8Array): void {
    this.#roots.set(hash, root)
    this.#sealedRoots.set(hash, root)
  }

  /** What a block is executed on and with, as text. */
  #contextOf(parent: Hash, { senders = new Map(), chainId }: BlockContext): string {
    return JSON.stringify([bytesToHex(this.#roots.get(parent)!), [...senders], chainId?.toString()])
  }

  /** The machine, told of all blocks so far. */
  async #open(): Promise<Machine> {
    this.#machine ??= await this.#createMachine()
    for (const [rlp, context] of this.#skipped) {
      await this.#put(this.#machine, this.#decode(this.#machine, rlp, context))
    }
    this.#skipped = []
    return this.#machine
  }

  async #createMachine(): Promise<Machine> {
    const { stock, genesis, trie } = this.#ground
    const common = createCommon(stock)
    const genesisBlock = createBlockFromRLP(genesis, { common, setHardfork: true })
    const blockchain = await createBlockchain({
      common,
      genesisBlock,
      validateBlocks: this.#options.skipHeaderValidation !== true,
      validateConsensus: false,
    })
    const isUnlimited = this.#options.allowUnlimitedContractSize === true
    const vm = await createVM({
      common,
      stateManager: new MerkleStateManager({ common, trie: trie.shallowCopy(false), caches: new Caches() }),
      blockchain,
      evmOpts: { allowUnlimitedContractSize: isUnlimited, allowUnlimitedInitCodeSize: isUnlimited },
    })
    this.#blocks.set(bytesToHex(genesisBlock.hash()), genesisBlock)
    const { dbManager } = blockchain
    // Its own would decode a block by the rules of the moment, which may have another chain id than the block's.
    dbManager.getBlock = async (id) => {
      const hash = id instanceof Uint8Array ? id : await dbManager.numberToHash(BigInt(id!))
      return hash && this.#blocks.get(bytesToHex(hash))
    }
    dbManager.getHeader = async (hash) => this.#blocks.get(bytesToHex(hash))!.header
    const chain = (common as unknown as { readonly _chainParams: object })._chainParams
    return { vm, blockchain, chain }
  }

  #decode({ vm, chain }: Machine, rlp: Uint8Array, { senders = new Map(), chainId }: BlockContext): Block {
    const { common } = vm
    // Stock has no chain whose id changes.
    Object.assign(common, { _chainParams: { ...chain, ...(chainId && { chainId: Number(chainId) }) } })
    const { allowUnlimitedContractSize: allowUnlimitedInitCodeSize } = this.#options
    const options = { common, setHardfork: true, freeze: senders.size === 0, allowUnlimitedInitCodeSize }
    const block = createBlockFromRLP(rlp, options)
    for (const [index, sender] of senders) this.#sendAs(vm, sender, block.transactions[index]!)
    return block
  }

  async #put({ blockchain }: Machine, block: Block): Promise<void> {
    await blockchain.putBlock(block)
    this.#blocks.set(bytesToHex(block.hash()), block)
  }

  /** Gives a transaction its sender, which may then be a contract: stock has no other way past EIP-3607. */
  #sendAs({ stateManager, events }: VM, sender: Address, transaction: TypedTransaction): void {
    const address = new EthereumjsAddress(hexToBytes(sender))
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

function createCommon(stock: object) {
  // The point evaluation precompile has no stock library; ours is checked against known answers by its own test.
  const customCrypto = { kzg: { verifyProof } as never }
  return createCommonFromGethGenesis(stock as never, { chain: 'oracle', customCrypto })
}

async function createGround(genesis: GethGenesis, block: Uint8Array): Promise<Ground> {
  const stock = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0', ...genesis }
  const common = createCommon(stock)
  const trie = new MerklePatriciaTrie({ useKeyHashing: true, common })
  const stateManager = new MerkleStateManager({ common, trie })
  await stateManager.generateCanonicalGenesis(parseGethGenesisState(stock as never))
  const { header } = createBlockFromRLP(block, { common, setHardfork: true })
  if (!equalsBytes(await stateManager.getStateRoot(), header.stateRoot)) {
    throw new Error('the genesis state has another root')
  }
  return { stock, genesis: block, hash: bytesToHex(header.hash()), trie, passed: new Map() }
}
