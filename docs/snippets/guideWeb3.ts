/** web3.js on the preconf view: no adapter is needed. */
import { createChain } from 'preseal'
import Web3 from 'web3'

// #region web3
const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const web3 = new Web3(chain.live)
// Nonces and calls refer to the block that is being built.
web3.defaultBlock = 'pending'

const sent = web3.eth.sendTransaction({
  from: alice.address,
  to: bob!.address,
  value: '1',
  gas: 21_000,
})
const hash = await new Promise(
  (resolve) => void sent.once('transactionHash', resolve),
)
await chain.tick()
const { status } = await web3.eth.getTransactionReceipt(`${hash}`)
console.log(
  `pre-confirmed: ${status}, bob has ${await web3.eth.getBalance(bob!.address)} wei`,
)
await chain.seal()
const { blockNumber } = await sent
console.log(`sealed in block ${blockNumber}`)
await chain.close()
// #endregion web3
