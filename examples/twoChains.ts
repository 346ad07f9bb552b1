/** Two chains on one clock: tokens locked on an L1 are paid out on an L2 once their block is sealed. */
import { createChain, createManualClock, type PresealChain } from 'preseal'
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { createWalletClient, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { Token } from './contracts/token.ts'

const clock = createManualClock()
// Both have a tick every 200 ms, at the same moment. The chain that was created first ticks first.
const l2 = await createChain({ clock, chainId: 901, blockTime: 2000 })
const l1 = await createChain({ clock, chainId: 900, blockTime: 12_000 })
const log = (text: string) => console.log(`${clock.elapsed} ms: ${text}`)

// The accounts are the same on both chains.
const [alice, bridge] = l1.accounts
function connect(chain: PresealChain, { privateKey }: { readonly privateKey: `0x${string}` }) {
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: { ...preseal, id: chain.chainId },
    transport: chainTransport(chain),
  })
    .extend(publicActions)
    .extend(preconfActions())
}
const user = connect(l1, alice)
const relayer = connect(l2, bridge!)

const deployments = [user, relayer].map(async (client) =>
  client.waitForPreconfirmation({
    hash: await client.deployContract({ abi: Token.abi, bytecode: Token.bytecode }),
  }),
)
await clock.advance(12_000)
const [onL1, onL2] = (await Promise.all(deployments)).map(({ contractAddress }) => contractAddress!)

async function relay(number: bigint) {
  const deposits = await user.getContractEvents({
    abi: Token.abi,
    address: onL1!,
    eventName: 'Transfer',
    args: { to: bridge!.address },
    fromBlock: number,
    toBlock: number,
  })
  for (const { args } of deposits) {
    log(`L1 block ${number} seals a deposit of ${args.value}`)
    await relayer.writeContract({
      abi: Token.abi,
      address: onL2!,
      functionName: 'transfer',
      args: [args.from!, args.value!],
    })
  }
}
// An advance waits for promises only for a while, so work that must be done before the next tick is awaited below.
let relayed = Promise.resolve()
l1.on('block', ({ block }) => {
  relayed = relay(BigInt(block.number))
})
l2.on('preconf', async ({ block, added }) => {
  if (block.transactions.length === added) return
  const balance = await relayer.readContract({
    abi: Token.abi,
    address: onL2!,
    functionName: 'balanceOf',
    args: [alice.address],
    blockTag: 'pending',
  })
  log(`L2 block ${Number(block.number)} pre-confirms it: alice has ${balance}`)
})
l2.on('block', ({ block }) => {
  if (block.transactions.length > 0) log(`L2 block ${Number(block.number)} seals it`)
})

const args = [bridge!.address, 5n] as const
await user.writeContract({ abi: Token.abi, address: onL1!, functionName: 'transfer', args })
log('alice deposits 5 on L1')
await clock.advance(12_000)
await relayed
await clock.advance(200) // L2's tick
await clock.advance(1_800) // L2's seal
await Promise.all([l1.close(), l2.close()])
