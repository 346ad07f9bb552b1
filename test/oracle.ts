/**
 * The oracle: validates and re-executes every block that a test seals, by stock @ethereumjs on its own state.
 *
 * It gets only bytes, so it shares no object with the chain it checks, but for cryptography after `shareCrypto`. The
 * result for a block depends only on the genesis, the block's bytes, its {@link BlockContext} and the state it is built
 * on; so it is cached, and the same block of another chain is not executed again.
 */
import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { type CustomCrypto, createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
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
import { bytesToHex, hexToBytes } from '../src/base/bytes.ts'
import { loadCrypto } from '../src/base/crypto/crypto.ts'
import type { Hash } from '../src/base/types.ts'
import { toCustomCrypto } from '../src/ethereum/evm/ethereumjs/common.ts'
import { verifyProof } from '../src/ethereum/kzg.ts'
import type { StatePatch } from '../src/ethereum/state/patch.ts'
import type { Address, GethGenesis } from '../src/index.ts'

/** Options for chains whose blocks are deliberately invalid. */
export interface OracleOptions {
  readonly skipHeaderValidation?: boolean
  /** Whether code may be of any size. */
  readonly allowUnlimitedContractSize?: boolean
}

/** Senders by the index of their transaction. */
export type Senders = ReadonlyMap<number, Address>

/** What a block's bytes do not contain. */
export interface BlockContext {
  /** The senders of its unsigned transactions. */
  readonly senders?: Senders | undefined
  /** The chain id of its execution; by default the genesis's. */
  readonly chainId?: bigint | undefined
}

/** Code that a sender may have (EIP-7702). */
const DELEGATION = hexToBytes(`0xef0100${'00'.repeat(20)}`)
/** keccak256(rlp('')): the root of a storage without slots. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** What replaces stock's own cryptography. */
let sharedCrypto: CustomCrypto = {}

/**
 * Lets all oracles to come hash and recover senders by the functions of the chain, in WebAssembly, which take a fraction of the
 * time. `test/base/crypto` compares those with the stock ones.
 */
export async function shareCrypto(): Promise<void> {
  sharedCrypto = toCustomCrypto(await loadCrypto())
}

/** Caches by genesis and options; a new one replaces the oldest. */
const caches = new Map<string, Promise<GenesisCache>>()
const MAX_CACHES = 16
/** The maximum number of blocks in a cache. */
const MAX_VALIDATED = 5000

/** A block that is valid. */
interface ValidatedBlock {
  readonly hash: Hash
  readonly parent: Hash
  readonly root: Uint8Array
  /** The state roots and contexts it was executed with, as text. */
  readonly contexts: Set<string>
}

/** What all chains of one genesis share. */
interface GenesisCache {
  readonly stock: object
  readonly genesis: Uint8Array
  readonly hash: Hash
  /** The database of all oracles of the genesis; its nodes are never deleted. */
  readonly trie: MerklePatriciaTrie
  /** Valid blocks by the keccak256 of their bytes. */
  readonly validated: Map<Hash, ValidatedBlock>
}

/** A stock VM, and the blockchain that it reads blocks from. */
interface StockVM {
  readonly vm: VM
  readonly blockchain: Blockchain
  /** Stock's parameters of the chain, including its id. */
  readonly chain: object
}

/** A stock VM that follows a chain block by block. */
export class Oracle {
  readonly #cache: GenesisCache
  readonly #options: OracleOptions
  /** Created for the first block that is not in the cache. */
  #stockVM: StockVM | undefined
  /** Cached blocks that the VM's blockchain does not have yet. */
  #skipped: (readonly [rlp: Uint8Array, context: BlockContext])[] = []
  readonly #blocks = new Map<string, Block>()
  /** State roots by block hash, since a block is not always built on the one executed before it. */
  readonly #roots = new Map<string, Uint8Array>()
  /** The state roots of the headers, by block hash. */
  readonly #sealedRoots = new Map<string, Uint8Array>()

  private constructor(cache: GenesisCache, options: OracleOptions) {
    this.#cache = cache
    this.#options = options
    this.#setRoots(cache.hash, cache.trie.root())
  }

  /** Starts from a genesis and its block (RLP). Throws if the genesis state has another root. */
  static async create(genesis: GethGenesis, block: Uint8Array, options: OracleOptions = {}): Promise<Oracle> {
    const key = JSON.stringify([genesis, bytesToHex(block), options])
    let cache = caches.get(key)
    if (cache === undefined) {
      cache = createCache(genesis, block)
      const [oldest] = caches.keys()
      if (caches.size === MAX_CACHES) caches.delete(oldest!)
      caches.set(key, cache)
    }
    return new Oracle(await cache, options)
  }

  /**
   * Executes a block (RLP) after its parent, which was followed before. Throws if its header is invalid, or a root, the
   * gas used or the bloom differs.
   *
   * @param context - what its bytes do not contain.
   */
  async follow(rlp: Uint8Array, context: BlockContext = {}): Promise<void> {
    const { validated } = this.#cache
    const id = bytesToHex(keccak256(rlp))
    const known = validated.get(id)
    if (known?.contexts.has(this.#contextOf(known.parent, context)) === true) {
      this.#skipped.push([rlp, context])
      this.#setRoots(known.hash, known.root)
      return
    }
    const stockVM = await this.#open()
    const block = this.#decode(stockVM, rlp, context)
    const parent = bytesToHex(block.header.parentHash)
    const skipHeaderValidation = this.#options.skipHeaderValidation ?? false
    const root = this.#roots.get(parent)!
    await runBlock(stockVM.vm, { block, root, skipHeaderValidation, setHardfork: true })
    await this.#put(stockVM, block)

    const [hash, { stateRoot }] = [bytesToHex(block.hash()), block.header]
    const contexts = (known?.contexts ?? new Set()).add(this.#contextOf(parent, context))
    if (validated.size === MAX_VALIDATED) validated.clear()
    validated.set(id, { hash, parent, root: stateRoot, contexts })
    this.#setRoots(hash, stateRoot)
  }

  /** Applies a patch to the state after a block, which later blocks build on. */
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
      const hasSlots = bytesToHex(after.storageRoot) !== EMPTY_ROOT
      if (after.isEmpty() && !hasSlots) await stateManager.deleteAccount(address)
    }
    this.#roots.set(hash, await stateManager.getStateRoot())
  }

  #setRoots(hash: Hash, root: Uint8Array): void {
    this.#roots.set(hash, root)
    this.#sealedRoots.set(hash, root)
  }

  /** The state root and the context that a block is executed with, as text. */
  #contextOf(parent: Hash, { senders = new Map(), chainId }: BlockContext): string {
    return JSON.stringify([bytesToHex(this.#roots.get(parent)!), [...senders], chainId?.toString()])
  }

  /** The VM, with all blocks so far. */
  async #open(): Promise<StockVM> {
    this.#stockVM ??= await this.#createStockVM()
    for (const [rlp, context] of this.#skipped) {
      await this.#put(this.#stockVM, this.#decode(this.#stockVM, rlp, context))
    }
    this.#skipped = []
    return this.#stockVM
  }

  async #createStockVM(): Promise<StockVM> {
    const { stock, genesis, trie } = this.#cache
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
    // Stock's method decodes a block by the current rules, whose chain id may differ from the block's.
    dbManager.getBlock = async (id) => {
      const hash = id instanceof Uint8Array ? id : await dbManager.numberToHash(BigInt(id!))
      return hash && this.#blocks.get(bytesToHex(hash))
    }
    dbManager.getHeader = async (hash) => this.#blocks.get(bytesToHex(hash))!.header
    const chain = (common as unknown as { readonly _chainParams: object })._chainParams
    return { vm, blockchain, chain }
  }

  #decode({ vm, chain }: StockVM, rlp: Uint8Array, { senders = new Map(), chainId }: BlockContext): Block {
    const { common } = vm
    // Stock does not support a changing chain id.
    Object.assign(common, { _chainParams: { ...chain, ...(chainId && { chainId: Number(chainId) }) } })
    const { allowUnlimitedContractSize: allowUnlimitedInitCodeSize } = this.#options
    const options = { common, setHardfork: true, freeze: senders.size === 0, allowUnlimitedInitCodeSize }
    const block = createBlockFromRLP(rlp, options)
    for (const [index, sender] of senders) this.#sendAs(vm, sender, block.transactions[index]!)
    return block
  }

  async #put({ blockchain }: StockVM, block: Block): Promise<void> {
    await blockchain.putBlock(block)
    this.#blocks.set(bytesToHex(block.hash()), block)
  }

  /** Sets the sender of a transaction, which may be a contract: stock has no option to skip EIP-3607. */
  #sendAs({ stateManager, events }: VM, sender: Address, transaction: TypedTransaction): void {
    const address = new EthereumjsAddress(hexToBytes(sender))
    Object.assign(transaction, { getSenderAddress: () => address, verifySignature: () => true })
    const getCode = stateManager.getCode.bind(stateManager)
    events.on('beforeTx', (started, resume) => {
      void stateManager.getAccount(address).then((account) => {
        // EIP-3607 is the first check that reads the sender's code.
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
  const customCrypto = { ...sharedCrypto, kzg: { verifyProof } as never }
  return createCommonFromGethGenesis(stock as never, { chain: 'oracle', customCrypto })
}

async function createCache(genesis: GethGenesis, block: Uint8Array): Promise<GenesisCache> {
  const stock = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0', ...genesis }
  const common = createCommon(stock)
  const trie = new MerklePatriciaTrie({ useKeyHashing: true, common })
  const stateManager = new MerkleStateManager({ common, trie })
  await stateManager.generateCanonicalGenesis(parseGethGenesisState(stock as never))
  const { header } = createBlockFromRLP(block, { common, setHardfork: true })
  if (!equalsBytes(await stateManager.getStateRoot(), header.stateRoot)) {
    throw new Error('the genesis state has another root')
  }
  return { stock, genesis: block, hash: bytesToHex(header.hash()), trie, validated: new Map() }
}
