/** Blocks with a transaction that may not be in them. */
import { genTransactionsTrieRoot } from '@ethereumjs/block'
import { RLP } from '@ethereumjs/rlp'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { bigintToBytes, hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, Hex } from '../../../src/base/types.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import { CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from '../../../src/ethereum/systemContracts.ts'
import type { GethGenesis } from '../../../src/index.ts'
import { openTarget } from './importTarget.ts'
import { StockChain } from './stockChain.ts'

const keys = [1, 2].map((n) => keccak256(`0x${n.toString(16).padStart(64, '0')}`))
const addressOf = (key: Hex) => privateKeyToAccount(key).address.toLowerCase() as Address
const [KEY, CONTRACT_KEY] = keys as [Hex, Hex]
const PAID: Address = `0x${'0a'.repeat(20)}`
const GAS_LIMIT = 10_000_000n
/** The block's, after one without transactions. */
const BASE_FEE = 875_000_000n

/** Logs an empty deposit event (EIP-6110). */
const BAD_DEPOSIT = '0x7f649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c55f5fa1'

const GENESIS: GethGenesis = {
  config: hardforkConfig(1, 'osaka'),
  alloc: {
    [addressOf(KEY)]: { balance: `0x${(10n ** 18n).toString(16)}` },
    [addressOf(CONTRACT_KEY)]: { balance: `0x${(10n ** 18n).toString(16)}`, code: '0x00' },
    [DEPOSIT_CONTRACT.address]: { balance: '0x0', code: BAD_DEPOSIT },
    [WITHDRAWAL_REQUESTS.address]: { balance: '0x0', code: WITHDRAWAL_REQUESTS.code },
    [CONSOLIDATION_REQUESTS.address]: { balance: '0x0', code: CONSOLIDATION_REQUESTS.code },
  },
  gasLimit: `0x${GAS_LIMIT.toString(16)}`,
  difficulty: '0x0',
  timestamp: '0x0',
  nonce: '0x0',
  extraData: '0x',
}

type Fields = Readonly<Record<string, unknown>>

let made: Promise<StockChain> | undefined

/** A block that is valid except for its transactions. */
async function blockWith(list: readonly Fields[]): Promise<Uint8Array> {
  made ??= StockChain.create(GENESIS)
  const chain = await made
  if (chain.blocks.length === 1) await chain.make({ timestamp: 10, coinbase: PAID, transactions: [] })
  const common = chain.rulesAt(10)
  const transactions = list.map(({ key = KEY, ...fields }): TypedTransaction => {
    const usual = { type: 2, to: PAID, gasLimit: 21_000n, maxFeePerGas: BASE_FEE, maxPriorityFeePerGas: 0n }
    return createTx({ ...usual, ...fields } as never, { common }).sign(hexToBytes(key as Hex))
  })
  const [header, , ...rest] = RLP.decode(chain.blocks[1]!.serialize()) as unknown as [Uint8Array[], unknown]
  header[4] = await genTransactionsTrieRoot(transactions)
  const blobs = transactions.reduce((sum, tx) => sum + ('numBlobs' in tx ? tx.numBlobs() : 0), 0)
  header[17] = bigintToBytes(131_072n * BigInt(blobs))
  return RLP.encode([
    header,
    transactions.map((tx) => (tx.type === 0 ? tx.raw() : tx.serialize())),
    ...rest,
  ] as never)
}

describe('a block is invalid if a transaction', () => {
  it.each<[string, Fields[], string]>([
    ['leaves a gap between nonces', [{ nonce: 0 }, { nonce: 2 }], 'transaction 1: nonce too high'],
    ['has a nonce that was used', [{ nonce: 0 }, { nonce: 0 }], 'transaction 1: nonce too low'],
    [
      'costs more than its sender has after those before it',
      [
        { nonce: 0, value: 10n ** 18n - 21_000n * BASE_FEE - 1n },
        { nonce: 1, value: 0n },
      ],
      'transaction 1: insufficient funds for gas * price + value',
    ],
    [
      'does not pay the base fee',
      [{ nonce: 0, maxFeePerGas: BASE_FEE - 1n }],
      `transaction 0: max fee per gas less than block base fee: maxFeePerGas: ${BASE_FEE - 1n}, baseFee: ${BASE_FEE}`,
    ],
    [
      'does not pay the blob base fee',
      [{ nonce: 0, type: 3, maxFeePerBlobGas: 0n, blobVersionedHashes: [`0x01${'aa'.repeat(31)}`] }],
      'transaction 0: max fee per blob gas less than block blob gas fee: blobGasFeeCap: 0, blobBaseFee: 1',
    ],
    [
      'has a gas limit above what those before it leave of the block',
      [{ nonce: 0 }, { nonce: 1, gasLimit: GAS_LIMIT - 20_000n }],
      'transaction 1: exceeds block gas limit',
    ],
    [
      'has a gas limit below its intrinsic gas',
      [{ nonce: 0, gasLimit: 20_999n }],
      'transaction 0: intrinsic gas too low: have 20999, want 21000',
    ],
    [
      'has a gas limit below the floor of its calldata',
      [
        { nonce: 0, gasLimit: 21_100n, data: '0x01' },
        { nonce: 1, gasLimit: 21_039n, data: '0x01' },
      ],
      'transaction 1: insufficient gas for floor data gas cost: have 21039, want 21040',
    ],
    ['is from a contract', [{ nonce: 0, key: CONTRACT_KEY }], 'transaction 0: sender not an eoa'],
    [
      'logs a deposit of another layout',
      [{ nonce: 0, to: DEPOSIT_CONTRACT.address, gasLimit: 100_000n }],
      'transaction 0: invalid deposit log',
    ],
  ])('%s', async (_name, list, problem) => {
    const block = await blockWith(list)
    const target = await openTarget(GENESIS)
    const { head } = target
    for (const options of [{}, { verify: 'ethereumjs' } as const]) {
      await expect(target.import(block, options)).rejects.toMatchObject({
        name: 'ImportError',
        message: `block 1 cannot be imported: ${problem}`,
      })
      expect(target.head).toBe(head)
    }
  })

  it('and a header with the blob gas of all transactions is valid again without it', async () => {
    const target = await openTarget(GENESIS)
    await target.import(await blockWith([]), { verify: 'ethereumjs' })
    expect(target.head.block).toMatchObject({ number: 1n, receipts: [] })
  })
})
