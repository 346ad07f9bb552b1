/** Replaces sealed blocks on request, and prints the announcements. */
// #region reorg
import { createChain, type Hex } from 'preseal'

const chain = await createChain({ mining: 'auto' })
const [alice, bob] = chain.accounts
const send = (value: string) =>
  chain.live.request({
    method: 'eth_sendTransaction',
    params: [{ from: alice.address, to: bob!.address, value }],
  })
chain.on('retracted', ({ reason, blocks, transactions }) => {
  console.log(
    `${reason}: ${blocks.length} blocks, ${transactions.length} transactions`,
  )
})

const first = await send('0x1')
await send('0x2')
const raw = await chain.standard.request({
  method: 'eth_getRawTransactionByHash',
  params: [first],
})

// Block 1 is replaced by a block with only this transaction, block 2
// by an empty one.
await chain.reorg({ depth: 2, replace: [[raw as Hex]] })
// => reorg: 2 blocks, 2 transactions
for (const number of ['0x1', '0x2'] as const) {
  const block = await chain.standard.request({
    method: 'eth_getBlockByNumber',
    params: [number, false],
  })
  console.log(
    `block ${Number(number)}: ${block!.transactions.length} transactions`,
  )
}
// => block 1: 1 transactions
// => block 2: 0 transactions
// #endregion reorg
await chain.close()
