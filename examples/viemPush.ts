/** viem with push: the receipt arrives at the tick, and events as they are pre-confirmed, without polling. */
import { createChain, createManualClock } from 'preseal'
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { createWalletClient, parseAbiItem, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Token } from './contracts/token.ts'

const clock = createManualClock()
const chain = await createChain({ clock })
const [alice, bob] = chain.accounts
const client = createWalletClient({
  account: privateKeyToAccount(alice.privateKey),
  chain: preseal,
  transport: chainTransport(chain),
})
  .extend(publicActions)
  .extend(preconfActions())
const elapsed = () => `${clock.elapsed} ms`

const deployment = client.waitForPreconfirmation({
  hash: await client.deployContract({ abi: Token.abi, bytecode: Token.bytecode }),
})
await clock.advance(200)
const { contractAddress } = await deployment
const address = contractAddress!
console.log(`${elapsed()}: deployed`)

client.watchPendingLogs({
  address,
  event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
  onLogs: ([log]) => console.log(`${elapsed()}: transfer of ${log!.args.value} pre-confirmed`),
})
client.watchBlocks({
  onBlock: ({ number, transactions }) =>
    console.log(`${elapsed()}: block ${number} sealed, ${transactions.length} transactions`),
})

const args = [bob!.address, 5n] as const
const hash = await client.writeContract({ abi: Token.abi, address, functionName: 'transfer', args })
const { stage } = await client.getTransactionStatus({ hash })
console.log(`${elapsed()}: ${stage}`)
await clock.advance(200)
await clock.advance(1600)
await chain.close()
