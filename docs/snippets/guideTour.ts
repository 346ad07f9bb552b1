/** The members of a chain, in the order in which a test needs them. */
import { createChain, createManualClock } from 'preseal'

// #region tour
const chain = await createChain({ clock: createManualClock() })
const [alice, bob] = chain.accounts // prefunded: { address, privateKey }
const { standard, live } = chain // EIP-1193 providers, as is chain.preconf

const hash = await live.request({
  method: 'eth_sendTransaction',
  params: [{ from: alice.address, to: bob!.address, value: '0x1' }],
})
chain.once('preconf', ({ index, receipts }) =>
  console.log(`preconf block ${index}: ${receipts.length} receipt`),
)
await chain.advance(200) // a tick publishes the next preconf block
const receipt = await live.request({
  method: 'eth_getTransactionReceipt',
  params: [hash],
})
const sealed = await standard.request({
  method: 'eth_getTransactionReceipt',
  params: [hash],
})
console.log(sealed === null) // it is not sealed yet

const { block } = await chain.seal() // the block has the hash of its last preconf block
console.log(block.hash === receipt!.blockHash)

const id = await chain.snapshot() // a point to revert to
await chain.setBalance(alice.address, 0n) // a cheat, and there are more
await chain.revert(id)
chain.faults.set('late-ticks') // a fault of real nodes
await chain.reorg({ depth: 1 }) // replaces the block
await chain.close() // leaves no timer and no handle
// #endregion tour
// => preconf block 1: 1 receipt
// => true
// => true
