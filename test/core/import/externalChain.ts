/**
 * A chain built by stock @ethereumjs alone: proof of work with uncles, then the merge, up to Osaka, with a fork every
 * block or two, and in each block a call that stores what it reads of the block.
 */
import type { Common } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import { createAddressFromPrivateKey, createAddressFromString, generateAddress } from '@ethereumjs/util'
import {
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  concatBytes,
  hexToBytes,
} from '../../../src/base/bytes.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import type { Withdrawal } from '../../../src/ethereum/block.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../src/ethereum/systemContracts.ts'
import type { GethGenesis } from '../../../src/index.ts'
import { StockChain } from './stockChain.ts'

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
  const chain = await StockChain.create(GENESIS)
  const nonces = { next: 0n }
  const blocks: ForeignBlock[] = []
  for (let number = 1; number <= HEAD; number++) {
    const timestamp = timeOf(number)
    const block = await chain.make({
      timestamp,
      coinbase: MINER,
      transactions: toTransactions(number, chain.rulesAt(timestamp), nonces),
      uncles: (UNCLES[number] ?? []).map((generation) => chain.uncleAt(number - generation, UNCLE_MINER)),
      withdrawals: withdrawalsOf(number),
    })
    blocks.push({ rlp: block.serialize(), hash: bytesToHex(block.hash()), state: await readState(chain) })
  }
  return blocks
}

/** The uncles of blocks, each a sibling of an ancestor this many blocks back. */
const UNCLES: Readonly<Record<number, readonly number[]>> = { 4: [1], 7: [1, 2], 11: [3] }

async function readState({ state }: StockChain): Promise<StockState> {
  const accountOf = (address: Address) => state.getAccount(createAddressFromString(address))
  const slotOf = async (slot: number) =>
    bytesToBigint(
      await state.getStorage(createAddressFromString(NOTEBOOK_ADDRESS), bigintToBytes32(BigInt(slot))),
    )
  return {
    balances: await Promise.all(WATCHED.map(async (address) => (await accountOf(address))?.balance ?? 0n)),
    nonce: (await accountOf(SENDER))!.nonce,
    slots: await Promise.all([0, 1, 2].map(slotOf)),
  }
}

/** Calls the notebook in every block but the first, which creates it; adds transactions of each fork's new types. */
function toTransactions(number: number, common: Common, nonces: { next: bigint }): TypedTransaction[] {
  const sign = (fields: object) => {
    const nonce = nonces.next
    nonces.next += 1n
    const usual = {
      nonce,
      gasLimit: 200_000n,
      ...(common.gteHardfork('paris') ? DYNAMIC : { gasPrice: GAS_PRICE }),
    }
    return createTx({ ...usual, ...fields } as never, { common: common.copy() }).sign(key)
  }
  const transactions = [sign(number === 1 ? { data: INIT } : note(number)), sign({ to: PAID, value: number })]
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

function withdrawalsOf(number: number): Withdrawal[] {
  const index = BigInt(number)
  return [
    { index, validatorIndex: 7n, address: WITHDRAWER, amount: index },
    { index: index + 100n, validatorIndex: 8n, address: PAID, amount: 0n },
  ]
}
