/**
 * Blocks at rest, in @ethereumjs' blockchain on a key-value database.
 *
 * Owns: what is written to the database. Blocks are addressed by hash; which of them are canonical is told by the head
 * noted beside them, never by the blockchain's own idea of a head.
 */
import { type BlockHeader, Block as EthereumjsBlock } from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { RLP } from '@ethereumjs/rlp'
import type { DB } from '@ethereumjs/util'
import { MemoryLevel } from 'memory-level'
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, hexToBytes } from '../bytes.ts'
import { GenesisMismatchError } from '../errors.ts'
import type { ChainRules } from '../rules.ts'
import type { Hash } from '../types.ts'
import type { Block, StoredBlock } from './block.ts'
import { type Level, levelToDB } from './levelDB.ts'

const HEAD_KEY = 'preseal:head'
const GENESIS_KEY = 'preseal:genesis'
/** @ethereumjs' DBTarget.HashToNumber, which its package does not export. */
const HASH_TO_NUMBER = 3
const TEXT_KEY = { keyEncoding: 'string', valueEncoding: 'view' } as const

type BytesDB = DB<Uint8Array | string, Uint8Array>

/** See the file's header. */
export class BlockStore {
  readonly #db: BytesDB
  readonly #close: () => Promise<void>
  #blockchain: Blockchain | undefined

  private constructor(db: BytesDB, close: () => Promise<void>) {
    this.#db = db
    this.#close = close
  }

  /** Opens the database, or one in memory where none is given, which is then closed with the store. */
  static async open(database: object | undefined): Promise<BlockStore> {
    const level = (database ?? new MemoryLevel({ storeEncoding: 'view' })) as Level
    await level.open()
    const close = database === undefined ? () => level.close() : async () => {}
    return new BlockStore(levelToDB(level) as never, close)
  }

  /** Timestamp of the genesis block the database was started with, in seconds, if it was. */
  async genesisTimestamp(): Promise<bigint | undefined> {
    const stored = await this.#db.get(GENESIS_KEY, TEXT_KEY)
    return stored === undefined ? undefined : bytesToBigint(stored.subarray(32))
  }

  /**
   * Starts the chain, or goes on with the one the database holds.
   *
   * @returns the hash of the head that was noted last.
   * @throws GenesisMismatchError where the database holds a chain with another genesis block.
   */
  async begin(genesis: Block, rules: ChainRules): Promise<Hash> {
    const stored = await this.#db.get(GENESIS_KEY, TEXT_KEY)
    const known = stored === undefined ? undefined : bytesToHex(stored.subarray(0, 32))
    if (known !== undefined && known !== genesis.hash) throw new GenesisMismatchError(known, genesis.hash)
    if (known === undefined) {
      // First of all: a start that dies half-way must find its own genesis again.
      const value = concatBytes(hexToBytes(genesis.hash), bigintToBytes(genesis.timestamp))
      await this.#db.put(GENESIS_KEY, value, TEXT_KEY)
    }
    this.#blockchain = await createBlockchain({
      common: rules.stockCommon(),
      db: this.#db as never,
      genesisBlock: new RawBlock(genesis.header, []),
      validateBlocks: false,
      validateConsensus: false,
    })
    const head = await this.#db.get(HEAD_KEY, TEXT_KEY)
    return head === undefined ? genesis.hash : bytesToHex(head)
  }

  /** Writes a block under its hash. */
  async put(block: Block): Promise<void> {
    const transactions = block.transactions.map(({ raw }) => raw)
    await this.#blockchain!.putBlock(new RawBlock(block.header, transactions))
  }

  /** Notes which block is the head: where the next start takes the chain up. */
  async noteHead(hash: Hash): Promise<void> {
    await this.#db.put(HEAD_KEY, hexToBytes(hash), TEXT_KEY)
  }

  /** The block with this hash. */
  async get(hash: Hash): Promise<StoredBlock | undefined> {
    const bytes = hexToBytes(hash)
    const { dbManager } = this.#blockchain!
    // Asked for directly, as `hashToNumber` throws the same for a block that is not there and a database that failed.
    const place = await dbManager.get(HASH_TO_NUMBER, { blockHash: bytes })
    if (place === undefined) return undefined
    const number = bytesToBigint(place)
    const header = await dbManager.getHeader(bytes, number)
    const body = (await dbManager.getBody(bytes, number))!
    const transactions = (body[0] as readonly (Uint8Array | Uint8Array[])[]).map((tx) =>
      tx instanceof Uint8Array ? tx : RLP.encode(tx),
    )
    return { header, transactions, size: RLP.encode([header.raw(), ...body]).length }
  }

  /** Closes the database if the store opened it. */
  close(): Promise<void> {
    return this.#close()
  }
}

/** A block of @ethereumjs that carries its transactions as bytes: storing one needs no more. */
class RawBlock extends EthereumjsBlock {
  readonly #transactions: readonly Uint8Array[]

  constructor(header: BlockHeader, transactions: readonly Uint8Array[]) {
    super(header, [], [], undefined, { freeze: false })
    this.#transactions = transactions
  }

  override raw(): ReturnType<EthereumjsBlock['raw']> {
    const body = this.#transactions.map((raw) => (raw[0]! < 0x80 ? raw : RLP.decode(raw)))
    const withdrawals = this.header.withdrawalsRoot === undefined ? [] : [[]]
    return [this.header.raw(), body, [], ...withdrawals] as unknown as ReturnType<EthereumjsBlock['raw']>
  }
}
