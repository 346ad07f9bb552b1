import { meanOf, perSecond, readReceipts, sendAndMine } from '../measure.ts'
import type { RowGroup } from './row.ts'

const BLOCK_TRANSACTIONS = 200

const INTERPRETER = 'the interpreter of @ethereumjs turns bigints into bytes and back'

export const reads: RowGroup = {
  name: 'reads',
  rows: [
    { label: 'eth_call balanceOf', unit: 'ops/s', aim: { ganache: 8 }, spent: INTERPRETER },
    { label: 'eth_getBalance', unit: 'ops/s', aim: { edr: 1 } },
    {
      label: 'eth_estimateGas of an ERC-20 transfer',
      unit: 'ops/s',
      aim: { ganache: 8 },
      spent: `${INTERPRETER}, and executes at least twice`,
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
    const balance = await chain.request('eth_call', [
      { to: token.address, data: token.balanceOf[0] },
      'latest',
    ])
    if (BigInt(balance as string) === 0n) throw new Error('the token balance is 0')

    const addresses = accounts.addresses
    const means = [
      await meanOf((turn) => {
        const data = token.balanceOf[turn % token.balanceOf.length]
        return chain.request('eth_call', [{ to: token.address, data }, 'latest'])
      }),
      await meanOf((turn) => chain.request('eth_getBalance', [addresses[turn % addresses.length], 'latest'])),
      await meanOf((turn) => {
        const from = addresses[turn % addresses.length]
        return chain.request('eth_estimateGas', [{ from, to: token.address, data: token.transfer }, 'latest'])
      }),
      await meanOf(() => chain.request('eth_getBlockByNumber', [number, true])),
    ]
    await chain.close()
    return means.map(perSecond)
  },
}
