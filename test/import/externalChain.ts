/**
 * A chain built by stock @ethereumjs alone: proof of work with uncles, then the merge, up to Osaka, with a fork every
 * block or two, and in each block a call that stores what it reads of the block.
 */
import {
  type Block,
  type BlockHeader,
  createBlock,
  createBlockHeader,
  genWithdrawalsTrieRoot,
} from '@ethereumjs/block'
import { type Blockchain, createBlockchain } from '@ethereumjs/blockchain'
import { type Common, createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import {
  createAddressFromPrivateKey,
  createAddressFromString,
  createWithdrawal,
  generateAddress,
} from '@ethereumjs/util'
import { createVM, runBlock, type VM } from '@ethereumjs/vm'
import { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
import type { GethGenesis } from '../../src/index.ts'
import {
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  concatBytes,
  hexToBytes,
} from '../../src/primitives/bytes.ts'
import type { Address, Hash, Hex } from '../../src/primitives/types.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../src/protocol/systemContracts.ts'

/** The key that signs all transactions. */
export const KEY: Hex = `0x${'11'.repeat(32)}`
const key = hexToBytes(KEY)
export const SENDER = createAddressFromPrivateKey(key).toString() as Address
/** The coinbase, and the recipients of payments and withdrawals. */
export const MINER: Address = `0x${'c0'.repeat(20)}`
export const UNCLE_MINER: Address = `0x${'c1'.repeat(20)}`
export const PAID: Address = `0x${'0a'.repeat(20)}`
export const WITHDRAWER: Address = `0x${'0b'.repeat(20)}`

/** Writes its argument, the parent's hash and the difficulty or prevRandao to slots 0 to 2, and logs topic 0xaa. */
const NOTEBOOK = '60003560005560014303406001554460025560aa60006000a100'
const INIT: Hex = `0x60${(NOTEBOOK.length / 2).toString(16)}80600b6000396000f3${NOTEBOOK}`

/** The timestamp of a block: ten seconds each. */
const timeOf = (number: number) => 10 * number

/** The last block before the merge is 11. */
export const GENESIS: GethGenesis = {
  config: {
    chainId: 4321,
    homesteadBlock: 0,
    eip150Block: 2,
    eip155Block: 3,
    eip158Block: 3,
    byzantiumBlock: 4,
    constantinopleBlock: 5,
    petersburgBlock: 6,
    istanbulBlock: 7,
    berlinBlock: 8,
    londonBlock: 9,
    mergeNetsplitBlock: 12,
    terminalTotalDifficulty: 1_572_864,
    shanghaiTime: timeOf(13),
    cancunTime: timeOf(15),
    pragueTime: timeOf(17),
    osakaTime: timeOf(20),
  },
  alloc: {
    [SENDER]: { balance: `0x${(10n ** 24n).toString(16)}` },
    ...Object.fromEntries(
      [BEACON_ROOTS, BLOCK_HASHES, CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS].map((contract) => [
        contract.address,
        {
          balance: '0x0',
          nonce: '0x1',
          code: contract.code,
          ...(contract.storage && { storage: contract.storage }),
        },
      ]),
    ),
  },
  gasLimit: '0x5f5e100',
  difficulty: '0x20000',
  timestamp: '0x0',
  nonce: '0x0',
  extraData: '0x',
}
export const HEAD = 21

/** The state after a block under stock @ethereumjs. */
export interface StockState {
  readonly balances: readonly bigint[]
  readonly nonce: bigint
  readonly slots: readonly bigint[]
}

/** A block of stock @ethereumjs. */
export interface ForeignBlock {
  readonly rlp: Uint8Array
  readonly hash: Hash
  readonly state: StockState
}

/** The accounts whose balances {@link StockState} has. */
export const WATCHED: readonly Address[] = [SENDER, MINER, UNCLE_MINER, PAID, WITHDRAWER]

let made: Promise<readonly ForeignBlock[]> | undefined

/** The blocks from 1 on, built once. */
export function externalChain(): Promise<readonly ForeignBlock[]> {
  made ??= makeChain()
  return made
}

/** Some of the blocks' RLP, one after the other. */
export function toBytes(blocks: readonly ForeignBlock[]): Uint8Array {
  return concatBytes(...blocks.map(({ rlp }) => rlp))
}

/** The bytes of a block's transactions (EIP-2718). */
export function transactionsOf({ rlp }: ForeignBlock): Hex[] {
  const [, transactions] = RLP.decode(rlp) as unknown as [unknown, (Uint8Array | Uint8Array[])[]]
  return transactions.map((tx) => bytesToHex(tx instanceof Uint8Array ? tx : RLP.encode(tx)))
}

/** The contract that the first transaction creates. */
export const NOTEBOOK_ADDRESS = bytesToHex(generateAddress(hexToBytes(SENDER), new Uint8Array(0)))

async function makeChain(): Promise<ForeignBlock[]> {
  const customCrypto = { kzg: {} as never }
  const common = createCommonFromGethGenesis(GENESIS as never, { chain: 'foreign', customCrypto })
  const stateManager = new MerkleStateManager({ common })
  await stateManager.generateCanonicalGenesis(parseGethGenesisState(GENESIS as never))
  common.setHardforkBy({ blockNumber: 0n, timestamp: 0n })
  const stateRoot = await stateManager.getStateRoot()
  const { gasLimit, difficulty } = GENESIS
  const genesisBlock = createBlock({ header: { gasLimit, difficulty, stateRoot } as never }, { common })
  const blockchain = await createBlockchain({
    common,
    genesisBlock,
    validateBlocks: false,
    validateConsensus: false,
  })
  const maker = new Maker(await createVM({ common, stateManager, blockchain }), blockchain)
  const blocks: ForeignBlock[] = []
  let parent = genesisBlock
  for (let number = 1; number <= HEAD; number++) {
    parent = await maker.make(parent)
    blocks.push({ rlp: parent.serialize(), hash: bytesToHex(parent.hash()), state: await maker.state() })
  }
  return blocks
}

class Maker {
  readonly #vm: VM
  readonly #blockchain: Blockchain
  readonly #blocks: Block[] = []
  #nonce = 0n

  constructor(vm: VM, blockchain: Blockchain) {
    this.#vm = vm
    this.#blockchain = blockchain
  }

  async make(parent: Block): Promise<Block> {
    const number = Number(parent.header.number) + 1
    const { common } = this.#vm
    common.setHardforkBy({ blockNumber: BigInt(number), timestamp: BigInt(timeOf(number)) })
    const uncleHeaders = this.#unclesOf(number, common)
    const withdrawals = common.isActivatedEIP(4895) ? withdrawalsOf(number) : undefined
    const transactions = this.#transactionsOf(number, common)
    const blobs = transactions.reduce((sum, tx) => sum + ('numBlobs' in tx ? tx.numBlobs() : 0), 0)
    const header = {
      parentHash: parent.hash(),
      number,
      timestamp: timeOf(number),
      coinbase: createAddressFromString(MINER),
      gasLimit: number === 9 ? parent.header.gasLimit * 2n : parent.header.gasLimit + BigInt(number),
      extraData: Uint8Array.of(number),
      mixHash: bigintToBytes32(BigInt(number) << 128n),
      ...(!common.gteHardfork('paris') && { nonce: bigintToBytes32(BigInt(number)).subarray(24) }),
      uncleHash: keccak256(RLP.encode(uncleHeaders.map((uncle) => uncle.raw()))),
      ...(number === 9 && { baseFeePerGas: 1_000_000_000n }),
      ...(number > 9 && { baseFeePerGas: parent.header.calcNextBaseFee() }),
      ...(withdrawals && {
        withdrawalsRoot: await genWithdrawalsTrieRoot(withdrawals, new MerklePatriciaTrie({ common })),
      }),
      ...(common.isActivatedEIP(4844) && {
        excessBlobGas: parent.header.calcNextExcessBlobGas(common),
        blobGasUsed: BigInt(blobs) * 131_072n,
        parentBeaconBlockRoot: bigintToBytes32(BigInt(number) << 64n),
      }),
    }
    const body = { transactions, uncleHeaders, ...(withdrawals && { withdrawals }) }
    const options = {
      common,
      setHardfork: true,
      ...(!common.gteHardfork('paris') && { calcDifficultyFromHeader: parent.header }),
    }
    const draft = createBlock({ header, ...body } as never, options)
    const run = await runBlock(this.#vm, { block: draft, generate: true, skipBlockValidation: true })
    const executed = {
      ...header,
      stateRoot: run.stateRoot,
      receiptTrie: run.receiptsRoot,
      transactionsTrie: await draft.genTxTrie(),
      logsBloom: run.logsBloom,
      gasUsed: run.gasUsed,
      ...(run.requestsHash && { requestsHash: run.requestsHash }),
    }
    const block = createBlock({ header: executed, ...body } as never, { ...options, common: common.copy() })
    await this.#blockchain.putBlock(block)
    this.#blocks.push(block)
    return block
  }

  async state(): Promise<StockState> {
    const { stateManager } = this.#vm
    const accountOf = (address: Address) => stateManager.getAccount(createAddressFromString(address))
    const slotOf = async (slot: number) =>
      bytesToBigint(
        await stateManager.getStorage(
          createAddressFromString(NOTEBOOK_ADDRESS),
          bigintToBytes32(BigInt(slot)),
        ),
      )
    return {
      balances: await Promise.all(WATCHED.map(async (address) => (await accountOf(address))?.balance ?? 0n)),
      nonce: (await accountOf(SENDER))!.nonce,
      slots: await Promise.all([0, 1, 2].map(slotOf)),
    }
  }

  /** Blocks 4 and 11 have one uncle, block 7 has two; each is a sibling of an ancestor. */
  #unclesOf(number: number, common: Common): BlockHeader[] {
    const generations = { 4: [1], 7: [1, 2], 11: [3] }[number] ?? []
    return generations.map((generation) => {
      const sibling = this.#blocks[number - generation - 1]!
      const parent = this.#blocks[number - generation - 2]!
      const own = common.copy()
      own.setHardforkBy({ blockNumber: sibling.header.number, timestamp: sibling.header.timestamp })
      const { baseFeePerGas } = sibling.header
      return createBlockHeader(
        {
          parentHash: parent.hash(),
          number: sibling.header.number,
          timestamp: sibling.header.timestamp + 1n,
          coinbase: createAddressFromString(UNCLE_MINER),
          gasLimit: sibling.header.gasLimit,
          ...(baseFeePerGas !== undefined && { baseFeePerGas }),
        },
        { common: own, calcDifficultyFromHeader: parent.header },
      )
    })
  }

  /** Calls the notebook in every block but the first, which creates it; adds transactions of each fork's new types. */
  #transactionsOf(number: number, common: Common): TypedTransaction[] {
    const sign = (fields: object) => {
      const nonce = this.#nonce
      this.#nonce += 1n
      const usual = {
        nonce,
        gasLimit: 200_000n,
        ...(common.gteHardfork('paris') ? DYNAMIC : { gasPrice: GAS_PRICE }),
      }
      return createTx({ ...usual, ...fields } as never, { common: common.copy() }).sign(key)
    }
    const transactions = [
      sign(number === 1 ? { data: INIT } : note(number)),
      sign({ to: PAID, value: number }),
    ]
    // Runs out of gas, and is still included.
    transactions.push(sign({ to: NOTEBOOK_ADDRESS, gasLimit: 22_000n }))
    if (number === 8) transactions.push(sign({ ...note(0x801), type: 1, accessList: ACCESS_LIST }))
    if (number === 11) transactions.push(sign({ ...note(0xb01), type: 2, ...FEES }))
    if (number === 16) transactions.push(sign({ ...note(0x1001), type: 3, ...BLOBS }))
    if (number === 18) {
      const data = `0x${'ab'.repeat(48)}${'00'.repeat(8)}`
      transactions.push(sign({ to: WITHDRAWAL_REQUESTS.address, data, value: 1n }))
    }
    return transactions
  }
}

/** A call that stores a number. */
const note = (number: number) => ({ to: NOTEBOOK_ADDRESS, data: bytesToHex(bigintToBytes32(BigInt(number))) })

const GAS_PRICE = 3_000_000_000n
const FEES = { maxFeePerGas: GAS_PRICE, maxPriorityFeePerGas: 1n, gasPrice: undefined }
const DYNAMIC = { type: 2, ...FEES }
const ACCESS_LIST = [{ address: NOTEBOOK_ADDRESS, storageKeys: [bytesToHex(bigintToBytes32(0n))] }]
const BLOBS = {
  maxFeePerBlobGas: 10n,
  blobVersionedHashes: [`0x01${'aa'.repeat(31)}`, `0x01${'bb'.repeat(31)}`],
}

function withdrawalsOf(number: number) {
  const index = BigInt(number)
  return [
    createWithdrawal({
      index,
      validatorIndex: 7n,
      address: createAddressFromString(WITHDRAWER),
      amount: index,
    }),
    createWithdrawal({
      index: index + 100n,
      validatorIndex: 8n,
      address: createAddressFromString(PAID),
      amount: 0n,
    }),
  ]
}
