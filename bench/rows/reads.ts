import { callContract } from '../checks.ts'
import { meanOf, perSecond, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

const BLOCK_TRANSACTIONS = 200

/** A transaction cannot use less gas. */
const MIN_GAS = 21_000n

export const reads: RowGroup = {
  name: 'reads',
  rows: [
    { label: 'eth_call balanceOf', unit: 'ops/s', aim: { ganache: 8 } },
    { label: 'eth_getBalance', unit: 'ops/s', aim: { edr: 1 } },
    {
      label: 'eth_estimateGas of an ERC-20 transfer',
      unit: 'ops/s',
      aim: { ganache: 8 },
    },
    { label: 'eth_getBlockByNumber, 200 full transactions', unit: 'ops/s' },
  ],

  async measure(engine, { accounts, token }) {
    const chain = await engine.create({ accounts })
    await readReceipts(chain, await sendAndMine(chain, token.setup))
    await readReceipts(chain, await sendAndMine(chain, token.transfers.slice(0, BLOCK_TRANSACTIONS)))

    const number = await chain.request('eth_blockNumber', [])
    const block = (await chain.request('eth_getBlockByNumber', [number, true])) as { transactions: unknown[] }
    if (block.transactions.length !== BLOCK_TRANSACTIONS) throw new Error('the block is not full')

    const addresses = accounts.addresses
    const callOf = (index: number) => callContract(chain, token.address, token.balanceOf[index])
    const estimateOf = (index: number) => {
      const call = { from: addresses[index], to: token.address, data: token.transfer }
      return chain.request('eth_estimateGas', [call, 'latest'])
    }
    const means = [
      await meanOf(await repeatChecked(callOf, addresses.length, 1n)),
      await meanOf((turn) => chain.request('eth_getBalance', [addresses[turn % addresses.length], 'latest'])),
      await meanOf(await repeatChecked(estimateOf, addresses.length, MIN_GAS)),
      await meanOf(() => chain.request('eth_getBlockByNumber', [number, true])),
    ]
    await chain.close()
    return means.map(perSecond)
  },
}

/**
 * Requests for so many accounts in turn, each of which throws if the answer differs from the account's first.
 *
 * @throws Error if a first answer is less than `least`.
 */
async function repeatChecked(
  request: (index: number) => Promise<unknown>,
  accounts: number,
  least: bigint,
): Promise<(turn: number) => Promise<void>> {
  const expected: unknown[] = []
  for (let index = 0; index < accounts; index++) {
    const answer = await request(index)
    if (BigInt(answer as string) < least) throw new Error(`the answer is ${answer}, less than ${least}`)
    expected.push(answer)
  }
  return async (turn) => {
    const answer = await request(turn % accounts)
    if (answer !== expected[turn % accounts]) {
      throw new Error(`the answer is ${answer}, not ${expected[turn % accounts]}`)
    }
  }
}
