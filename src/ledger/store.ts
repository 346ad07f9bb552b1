/**
 * Blocks at rest, in @ethereumjs' blockchain on a key-value database.
 *
 * Owns: what is written to the database. Blocks are addressed by hash; which of them are canonical is told by the head
 * noted beside them, never by the blockchain's own idea of a head.
 */
import { type BlockHeader, Block as EthereumjsBlock } from '@ethereumjs/block'
import type { Blockchain } from '@ethereumjs/blockchain'
import { RLP } from '@ethereumjs/rlp'
import type { DB } from '@ethereumjs/util'
import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, hexToBytes } from '../primitives/bytes.ts'
import { systemClock } from '../primitives/clock.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { Address, Hash } from '../primitives/types.ts'
import { createYielder } from '../primitives/yielder.ts'
import type { Block, StoredBlock } from '../protocol/block.ts'
import { type BlockBody, encodeBody } from '../protocol/blockEncoding.ts'
import { decodeHeader, decodeWithdrawal } from '../protocol/decodeBlock.ts'
import type { ChainRules } from '../protocol/rules.ts'
import { mergePatches, type Patches, type StatePatch } from '../state/patch.ts'
import { GenesisMismatchError } from './errors.ts'
import { type Level, levelToDB } from './levelDB.ts'
import { decodePatch, encodePatch } from './patchEncoding.ts'

const HEAD_KEY = 'preseal:head'
const GENESIS_KEY = 'preseal:genesis'
/** Before a block's hash: the senders of those of its transactions that nobody signed. */
const UNSIGNED_KEY = 'preseal:unsigned:'
/** Before a block's hash: the chain id it was executed with, where that is not the genesis's. */
const CHAIN_ID_KEY = 'preseal:chainId:'
/** Before a block's hash: what its state was changed by since it was sealed. */
const PATCH_KEY = 'preseal:patch:'
/** @ethereumjs' DBTarget, which its package does not export. */
const HEADER = 7
const BYTES = { keyEncoding: 'view', valueEncoding: 'view' } as const
const TEXT_KEY = { keyEncoding: 'string', valueEncoding: 'view' } as const

type BytesDB = DB<Uint8Array | string, Uint8Array>

/** A database with the blockchain on it. */
interface Opened {
  readonly level: Level
  readonly db: BytesDB
  readonly blockchain: Blockchain
  /** The entries of a block, by which it is found again. */
  entriesOf(block: Block): readonly Entry[]
  /** The encoded number of a block, undefined if there is none; the blockchain's manager also remembers removed ones. */
  placeOf(hash: Hash): Promise<Uint8Array | undefined>
}

interface Entry {
  readonly key: Uint8Array | string
  readonly value: Uint8Array
  readonly opts: typeof BYTES | typeof TEXT_KEY
}

/** See the file's header. */
export class BlockStore {
  /** Absent where the database is one of the store's own, in memory: that is loaded when there is a block to store. */
  readonly #given: Level | undefined
  #genesis: { readonly block: Block; readonly rules: ChainRules } | undefined
  #opened: Promise<Opened> | undefined

  private constructor(given: Level | undefined) {
    this.#given = given
  }

  /** Opens the database, or where none is given has one in memory, which is closed with the store. */
  static async open(database: object | undefined): Promise<BlockStore> {
    const given = database as Level | undefined
    await given?.open()
    return new BlockStore(given)
  }

  /** Timestamp of the genesis block the database was started with, in seconds, if it was. */
  async genesisTimestamp(): Promise<bigint | undefined> {
    if (this.#given === undefined) return this.#genesis?.block.timestamp
    const stored = await toBytesDB(this.#given).get(GENESIS_KEY, TEXT_KEY)
    return stored === undefined ? undefined : bytesToBigint(stored.subarray(32))
  }

  /**
   * Starts the chain, or goes on with the one the database holds.
   *
   * @returns the hash of the head that was noted last.
   * @throws GenesisMismatchError where the database holds a chain with another genesis block.
   */
  async begin(genesis: Block, rules: ChainRules): Promise<Hash> {
    this.#genesis = { block: genesis, rules }
    if (this.#given === undefined) return genesis.hash
    const { db } = await this.#open()
    const head = await db.get(HEAD_KEY, TEXT_KEY)
    return head === undefined ? genesis.hash : bytesToHex(head)
  }

  /** Writes a block under its hash. */
  async put(block: Block): Promise<void> {
    const { db, entriesOf } = await this.#open()
    // The blockchain's `putBlock` would look for a common ancestor with its own head, and fill caches that are rarely
    // read.
    await db.batch(entriesOf(block).map((entry) => ({ type: 'put', ...entry })))
  }

  /** Removes blocks, whose hashes are unknown from then on. */
  async remove(blocks: readonly Block[]): Promise<void> {
    const { db, entriesOf } = await this.#open()
    const pause = createYielder(systemClock)
    // One after the other: what a crash leaves behind is found by its hash alone, and is not canonical.
    for (const block of blocks) {
      const keys = [...entriesOf(block), { key: PATCH_KEY + block.hash, opts: TEXT_KEY }]
      await db.batch(keys.map(({ key, opts }) => ({ type: 'del', key, opts })))
      await pause()
    }
  }

  /** Writes what the state of a block was changed by since; undefined: by nothing. */
  async notePatches(hash: Hash, patches: Patches | undefined): Promise<void> {
    // A database of the store's own ends with it: nobody takes the chain up.
    if (this.#given === undefined) return
    const { db } = await this.#open()
    if (patches === undefined) await db.del(PATCH_KEY + hash, TEXT_KEY)
    else await db.put(PATCH_KEY + hash, encodePatch(mergePatches(patches)), TEXT_KEY)
  }

  /** What the state of a block was changed by since it was sealed. */
  async getPatch(hash: Hash): Promise<StatePatch | undefined> {
    if (this.#given === undefined) return undefined
    const stored = await (await this.#open()).db.get(PATCH_KEY + hash, TEXT_KEY)
    return stored === undefined ? undefined : decodePatch(stored)
  }

  /** Notes which block is the head: where the next start takes the chain up. */
  async noteHead(hash: Hash): Promise<void> {
    const { db } = await this.#open()
    await db.put(HEAD_KEY, hexToBytes(hash), TEXT_KEY)
  }

  /** The block with this hash. */
  async get(hash: Hash): Promise<StoredBlock | undefined> {
    const bytes = hexToBytes(hash)
    const { db, blockchain, placeOf } = await this.#open()
    const { dbManager } = blockchain
    // Asked for directly, as `hashToNumber` throws the same for a block that is not there and a database that failed.
    const place = await placeOf(hash)
    if (place === undefined) return undefined
    const number = bytesToBigint(place)
    // Its own `getHeader` takes the rules of a number and a time, which leave the merge of some chains open.
    const encoded = await dbManager.get(HEADER, { blockHash: bytes, blockNumber: number })
    const body = (await dbManager.getBody(bytes, number)) as unknown as BlockBody
    const senders = await db.get(UNSIGNED_KEY + hash, TEXT_KEY)
    const chainId = await db.get(CHAIN_ID_KEY + hash, TEXT_KEY)
    // A block is removed at once, and may have been while it was read.
    if ((await placeOf(hash)) === undefined) return undefined
    const { rules } = this.#genesis!
    const header = decodeHeader(RLP.decode(encoded as Uint8Array) as Uint8Array[], rules)
    const [transactions, uncles, withdrawals] = body
    return {
      header,
      transactions: transactions.map((tx) => (tx instanceof Uint8Array ? tx : RLP.encode(tx))),
      ...(senders && { unsigned: decodeSenders(senders) }),
      ...(chainId && { chainId: bytesToBigint(chainId) }),
      uncles: uncles.map((uncle) => decodeHeader(uncle, rules)),
      withdrawals: withdrawals?.map(decodeWithdrawal),
      size: RLP.encode([header.raw(), ...body] as never).length,
    }
  }

  /** Closes the database if it is the store's own. */
  async close(): Promise<void> {
    if (this.#given === undefined) await (await this.#opened)?.level.close()
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#start().catch((error) => {
      // It is tried again with the next block.
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #start(): Promise<Opened> {
    const { block: genesis, rules } = this.#genesis!
    const level = this.#given ?? (await openOwn())
    const db = toBytesDB(level)
    const stored = await db.get(GENESIS_KEY, TEXT_KEY)
    const known = stored === undefined ? undefined : bytesToHex(stored.subarray(0, 32))
    if (known !== undefined && known !== genesis.hash) throw new GenesisMismatchError(known, genesis.hash)
    if (known === undefined) {
      // First of all: a start that dies half-way must find its own genesis again.
      const value = concatBytes(hexToBytes(genesis.hash), bigintToBytes(genesis.timestamp))
      await db.put(GENESIS_KEY, value, TEXT_KEY)
    }
    const { ethereumjs } = await import('./ethereumjsBlockchain.ts')
    const blockchain = await ethereumjs.createBlockchain({
      common: rules.stockCommon(),
      db: db as never,
      genesisBlock: new RawBlock(genesis.header, encodeBody(genesis)),
      validateBlocks: false,
      validateConsensus: false,
    })
    const entriesOf: Opened['entriesOf'] = (block) => {
      const ops = [
        ...ethereumjs.DBSetBlockOrHeader(new RawBlock(block.header, encodeBody(block))),
        ethereumjs.DBSetHashToNumber(hexToBytes(block.hash), block.number),
      ]
      const entries: Entry[] = ops.map(({ baseDBOp: { key, value } }) => ({
        key: key as Uint8Array,
        value: value as Uint8Array,
        opts: BYTES,
      }))
      const senders = encodeSenders(block)
      if (senders !== undefined)
        entries.push({ key: UNSIGNED_KEY + block.hash, value: senders, opts: TEXT_KEY })
      const { chainId } = block.rules
      if (chainId !== rules.chainId)
        entries.push({ key: CHAIN_ID_KEY + block.hash, value: bigintToBytes(chainId), opts: TEXT_KEY })
      return entries
    }
    const placeOf: Opened['placeOf'] = (hash) => {
      const { key } = ethereumjs.DBSetHashToNumber(hexToBytes(hash), 0n).baseDBOp
      return db.get(key as Uint8Array, BYTES)
    }
    return { level, db, blockchain, entriesOf, placeOf }
  }
}

/** Index and sender of each transaction that nobody signed; undefined where all are signed. */
function encodeSenders({ transactions }: Block): Uint8Array | undefined {
  const unsigned = [...transactions.entries()].filter(([, tx]) => tx.unsigned)
  if (unsigned.length === 0) return undefined
  return encodeRlp(unsigned.map(([index, { from }]) => [bigintToBytes(BigInt(index)), hexToBytes(from)]))
}

function decodeSenders(bytes: Uint8Array): ReadonlyMap<number, Address> {
  const pairs = RLP.decode(bytes) as [Uint8Array, Uint8Array][]
  return new Map(pairs.map(([index, sender]) => [Number(bytesToBigint(index)), bytesToHex(sender)]))
}

async function openOwn(): Promise<Level> {
  const { openMemoryDatabase } = await import('./memoryDatabase.ts')
  return openMemoryDatabase()
}

function toBytesDB(level: Level): BytesDB {
  return levelToDB(level) as never
}

/** A block of @ethereumjs whose body is given as it is encoded: storing one needs no more. */
class RawBlock extends EthereumjsBlock {
  readonly #body: BlockBody

  constructor(header: BlockHeader, body: BlockBody) {
    super(header, [], [], undefined, { freeze: false })
    this.#body = body
  }

  override raw(): ReturnType<EthereumjsBlock['raw']> {
    return [this.header.raw(), ...this.#body] as unknown as ReturnType<EthereumjsBlock['raw']>
  }
}
