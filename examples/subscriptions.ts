/** Subscriptions: preconf blocks, pre-confirmed logs and sealed blocks, as `message` events of the provider (EIP-1193). */
import { createChain, type PreconfBlock, type PresealRpcBlock, type PresealRpcLog } from 'preseal'
import { createWalletClient, custom, getContractAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { Token } from './contracts/token.ts'

const chain = await createChain({ mining: 'manual' })
const [alice, bob] = chain.accounts
const connection = chain.live
const account = privateKeyToAccount(alice.privateKey)
const wallet = createWalletClient({ account, chain: foundry, transport: custom(connection) })
const token = getContractAddress({ from: account.address, nonce: 0n })

const subscribe = (...params: [string, object?]) => connection.request({ method: 'eth_subscribe', params })
const preconfBlocks = await subscribe('newPreconfBlocks')
const logs = await subscribe('pendingLogs', { address: token })
const heads = await subscribe('newHeads')

connection.on('message', ({ data: { subscription, result } }) => {
  if (subscription === preconfBlocks) {
    const { index, added, block } = result as PreconfBlock
    const fresh = block.transactions.length - added
    console.log(
      `preconf block ${index} of block ${Number(block.number)}: ${fresh} new of ${block.transactions.length}`,
    )
  } else if (subscription === logs) {
    const { data, logIndex } = result as PresealRpcLog
    console.log(`  transfer of ${BigInt(data)}, log ${Number(logIndex)}`)
  } else if (subscription === heads) {
    console.log(`block ${Number((result as PresealRpcBlock).number)} is sealed`)
  }
})

const gas = 1_000_000n
await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode, gas })
await chain.tick()
for (const value of [5n, 7n]) {
  const args = [bob!.address, value] as const
  await wallet.writeContract({ abi: Token.abi, address: token, functionName: 'transfer', args, gas })
}
await chain.tick()
await chain.seal()
await connection.request({ method: 'eth_unsubscribe', params: [logs] })
await chain.close()
