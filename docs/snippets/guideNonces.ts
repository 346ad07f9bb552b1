/** Concurrent sends of a local account: a nonce manager counts them. */
import { createChain } from 'preseal'
import { createWalletClient, custom } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts

// #region nonces
const client = createWalletClient({
  account: privateKeyToAccount(alice.privateKey, { nonceManager }),
  chain: foundry,
  transport: custom(chain.live),
})
const send = () => client.sendTransaction({ to: bob!.address, value: 1n })
await Promise.all([send(), send(), send()])
// #endregion nonces

const { receipts } = await chain.tick()
console.log(`${receipts.length} transactions`) // => 3 transactions
await chain.close()
