/** Everything that a chain answers about its sealed blocks and their states. */

import { hexToBytes } from '../../src/base/bytes.ts'
import { WITHDRAWAL_REQUESTS } from '../../src/ethereum/systemContracts.ts'
import type { Hex, PresealChain } from '../../src/index.ts'
import { RECIPIENT } from '../core/sequencer/support.ts'
import { CONTRACT, STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'

const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
const WORDS = ['0x0', '0x1'] as const

/** The whole state at the head. */
export async function accountsOf({ standard }: PresealChain): Promise<unknown> {
  const file = hexToBytes((await standard.request({ method: 'anvil_dumpState' })) as Hex)
  const json = new Blob([file]).stream().pipeThrough(new DecompressionStream('gzip'))
  const { accounts } = (await new Response(json).json()) as { readonly accounts: unknown }
  return accounts
}

interface RpcBlock {
  readonly hash: Hex
  readonly parentHash: Hex
  readonly transactions: readonly { readonly hash: Hex }[]
}

/** The answers about a block. */
interface BlockAnswers extends Readonly<Record<string, unknown>> {
  readonly block: unknown
}

/** The answers of {@link everythingOf}. */
export interface Everything {
  /** By the numbers of the blocks. */
  readonly answers: Readonly<Record<string, BlockAnswers>>
  readonly accounts: unknown
}

const UNAVAILABLE = 'error -32000 state not available'

/**
 * The same answers without those that `expected` does not have: after a revert, a chain in memory has lost more of its
 * history than its database.
 */
export function asFarAs(expected: unknown, answers: unknown): unknown {
  if (expected === UNAVAILABLE) return UNAVAILABLE
  if (typeof expected !== 'object' || expected === null || typeof answers !== 'object' || answers === null) {
    return answers
  }
  const at = expected as Readonly<Record<string, unknown>>
  if (Array.isArray(answers)) return answers.map((one, i) => asFarAs(at[i], one))
  const isPruned = at['receipts'] === UNAVAILABLE
  const of = (name: string, one: unknown) =>
    isPruned && name === 'transactions' ? at[name] : asFarAs(at[name], one)
  return Object.fromEntries(Object.entries(answers).map(([name, one]) => [name, of(name, one)]))
}

/**
 * The answers to all requests about sealed blocks; those that fail as their errors.
 *
 * @param newestFirst - the order of the blocks that are asked about.
 * @param known - tells the hashes of blocks that cannot be read by number.
 */
export async function everythingOf(
  chain: PresealChain,
  newestFirst = false,
  known?: Everything,
): Promise<Everything> {
  const { standard } = chain
  const one = (method: string, ...params: unknown[]) => ask(standard, method, params)
  const head = Number(await one('eth_blockNumber'))
  const accounts = [
    ...chain.accounts.slice(0, 3).map(({ address }) => address),
    CONTRACT,
    STRANGER,
    RECIPIENT,
  ]
  const contracts = [CONTRACT, BEACON_ROOTS, WITHDRAWAL_REQUESTS.address]
  const numbers = Array.from({ length: head + 1 }, (_, n) => n)
  const answers: Record<string, BlockAnswers> = {}
  for (const n of newestFirst ? numbers.toReversed() : numbers) {
    const number = `0x${n.toString(16)}`
    const block = await one('eth_getBlockByNumber', number, true)
    const found = (typeof block === 'string' ? known?.answers[n]?.block : block) as RpcBlock
    const state: unknown[] = []
    for (const address of accounts) {
      state.push(
        await one('eth_getBalance', address, number),
        await one('eth_getTransactionCount', address, number),
      )
      state.push(await one('eth_getCode', address, number))
    }
    for (const address of contracts) {
      for (const slot of WORDS) state.push(await one('eth_getStorageAt', address, slot, number))
    }
    const transactions: unknown[] = []
    for (const { hash } of found.transactions) {
      transactions.push(
        await one('eth_getTransactionByHash', hash),
        await one('eth_getTransactionReceipt', hash),
      )
      transactions.push(await one('debug_traceTransaction', hash, { tracer: 'callTracer' }))
    }
    answers[n] = {
      block,
      byHash: await one('eth_getBlockByHash', found.hash, false),
      receipts: await one('eth_getBlockReceipts', number),
      raw: await one('debug_getRawReceipts', number),
      logs: await one('eth_getLogs', { fromBlock: number }),
      ofContract: await one('eth_getLogs', { fromBlock: number, toBlock: number, address: CONTRACT }),
      call: await one('eth_call', { to: CONTRACT, from: accounts[0] }, number),
      // The fee after the head depends on the settings of the blocks to come.
      fees: n < head && (await one('eth_feeHistory', '0x3', number, [50])),
      state,
      transactions,
    }
  }
  return { answers, accounts: await accountsOf(chain) }
}
