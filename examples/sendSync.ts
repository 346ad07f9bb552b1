/** Waiting for a pre-confirmation under the manual clock, which advances once the transaction has arrived. */
import { createChain, createManualClock } from 'preseal'
import { createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'

const clock = createManualClock()
const chain = await createChain({ clock })
const [alice, bob] = chain.accounts
const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.live) })

const arrived = new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
const sent = wallet.sendTransactionSync({ to: bob!.address, value: parseEther('1') })
await arrived
await clock.advance(200)
console.log(`pre-confirmed after ${clock.elapsed} ms: ${(await sent).status}`)
await chain.close()
