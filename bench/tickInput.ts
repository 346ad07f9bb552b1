/** What `children/tick.ts` measures: ticks of 100 changed accounts in a large block on a large state. */
import type { Address, Hex } from 'viem'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../src/ethereum/systemContracts.ts'
import type { TickInput } from './children/tick.ts'
import { CHAIN_ID } from './engines/engine.ts'
import { recipient } from './recipients.ts'
import { account, type Plan, sign } from './transactions.ts'

/** In the genesis. */
export const ACCOUNTS = 50_000
/** One transfer of each, to as many recipients, changes 100 accounts. */
export const SENDERS = 50
/** Transactions in a block before the first of its ticks. */
export const WAITING = 1_000
const TICKS_PER_BLOCK = 10
const BLOCKS = 10
/** Transactions in a block after the last of its ticks. */
export const PER_BLOCK = WAITING + TICKS_PER_BLOCK * SENDERS

const RECIPIENTS = 1_000
/** Wei of each account in the genesis. */
const BALANCE = 10_000n * 10n ** 18n

/** Signs the transactions, unless they are stored. */
export async function createTickInput(): Promise<TickInput> {
  const count = (BLOCKS + 1) * PER_BLOCK
  return {
    genesis: createGenesis(ACCOUNTS),
    transactions: await sign(
      Array.from({ length: count }, (_, index): Plan => {
        const nonce = Math.floor(index / SENDERS)
        return { sender: index % SENDERS, nonce, gas: 21_000n, to: recipient(index % RECIPIENTS), value: 1n }
      }),
    ),
    balance: { address: recipient(0), wei: `${BALANCE + BigInt(Math.ceil(count / RECIPIENTS))}` },
    blocks: BLOCKS,
    waiting: WAITING,
    ticksPerBlock: TICKS_PER_BLOCK,
    transactionsPerTick: SENDERS,
  }
}

/** With the senders, and recipients up to so many accounts, by the rules of one fork. */
export function createGenesis(accounts: number, hardfork: 'shanghai' | 'prague' = 'prague') {
  const alloc: Record<Address, { balance: Hex; nonce?: Hex; code?: Hex }> = {}
  for (const { address, code } of [BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS]) {
    alloc[address] = { balance: '0x0', nonce: '0x1', code }
  }
  const balance = `0x${BALANCE.toString(16)}` as const
  for (let index = 0; index < SENDERS; index++) alloc[account(index).address] = { balance }
  for (let index = SENDERS; index < accounts; index++) alloc[recipient(index - SENDERS)] = { balance }
  return {
    config: {
      chainId: CHAIN_ID,
      homesteadBlock: 0,
      eip150Block: 0,
      eip155Block: 0,
      eip158Block: 0,
      byzantiumBlock: 0,
      constantinopleBlock: 0,
      petersburgBlock: 0,
      istanbulBlock: 0,
      berlinBlock: 0,
      londonBlock: 0,
      mergeNetsplitBlock: 0,
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      shanghaiTime: 0,
      ...(hardfork === 'prague' && { cancunTime: 0, pragueTime: 0 }),
      depositContractAddress: '0x00000000219ab540356cbb839cbe05303d7705fa',
      blobSchedule: {
        cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
        prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
      },
    },
    nonce: '0x0',
    timestamp: '0x6553f100',
    extraData: '0x',
    // Twice the gas that a block uses, so that the base fee does not change.
    gasLimit: `0x${(2 * PER_BLOCK * 21_000).toString(16)}`,
    difficulty: '0x0',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    baseFeePerGas: '0x3b9aca00',
    alloc,
  } as const
}
