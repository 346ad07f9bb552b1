/**
 * The cost of a tick in a large block on a large state: `npx tsx bench/tick.ts`, from the repository root after a
 * build.
 */
import type { Address, Hex } from 'viem'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../src/protocol/systemContracts.ts'
import type { TickInput, TickResult } from './children/tick.ts'
import { buildChildren, runChild, writeInput } from './children.ts'
import { CHAIN_ID } from './engines/engine.ts'
import { quantile } from './measure.ts'
import { recipient } from './recipients.ts'
import { alignColumns, formatValue } from './table.ts'
import { account, type Plan, sign } from './transactions.ts'

const ACCOUNTS = 50_000
/** One transfer of each, to as many recipients, changes 100 accounts. */
const SENDERS = 50
const WAITING = 1_000
const TICKS_PER_BLOCK = 10
const BLOCKS = 10
/** Milliseconds. */
const TICK_AIM = 15
const PER_BLOCK = WAITING + TICKS_PER_BLOCK * SENDERS

console.error('signing (once; kept in bench/dist)')
const input: TickInput = {
  genesis: createGenesis(),
  transactions: await sign(
    Array.from({ length: (BLOCKS + 1) * PER_BLOCK }, (_, index): Plan => {
      const nonce = Math.floor(index / SENDERS)
      return { sender: index % SENDERS, nonce, gas: 21_000n, to: recipient(index % 1_000), value: 1n }
    }),
  ),
  blocks: BLOCKS,
  waiting: WAITING,
  ticksPerBlock: TICKS_PER_BLOCK,
  transactionsPerTick: SENDERS,
}

buildChildren()
const result = await runChild<TickResult>('tick', [writeInput('tick', input)])
if (!result) process.exit(1)

const thousands = (count: number) => count.toLocaleString('en')
console.log(
  `${thousands(ACCOUNTS)} accounts; ${thousands(WAITING)} to ${thousands(PER_BLOCK)} transactions in the block; ms\n`,
)
console.log(
  alignColumns([
    ['', 'times', 'p50', 'p99'],
    line(`tick, ${SENDERS} transfers: ${2 * SENDERS} accounts changed`, result.ticks),
    line('tick, nothing new', result.idleTicks),
    line('the same by chain.tick(), with its result', result.manualTicks),
    line(`seal of ${thousands(PER_BLOCK)} transactions`, result.seals),
  ]),
)

const typical = quantile(result.ticks, 0.5)
console.log(
  typical < TICK_AIM
    ? `\nA tick takes less than ${TICK_AIM} ms, as intended.`
    : `\nMissed: a tick takes ${formatValue(typical)} ms, aimed at ${TICK_AIM}; most of it is hashing the changed accounts.`,
)

function line(label: string, values: readonly number[]): string[] {
  return [label, `${values.length}`, formatValue(quantile(values, 0.5)), formatValue(quantile(values, 0.99))]
}

/** Prague from the start, with the senders, the recipients and others up to `ACCOUNTS`. */
function createGenesis() {
  const alloc: Record<Address, { balance: Hex; nonce?: Hex; code?: Hex }> = {}
  for (const { address, code } of [BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS]) {
    alloc[address] = { balance: '0x0', nonce: '0x1', code }
  }
  const balance = `0x${(10_000n * 10n ** 18n).toString(16)}` as const
  for (let index = 0; index < SENDERS; index++) alloc[account(index).address] = { balance }
  for (let index = SENDERS; index < ACCOUNTS; index++) alloc[recipient(index - SENDERS)] = { balance }
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
      cancunTime: 0,
      pragueTime: 0,
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
