/** viem and ethers on the package, each through its sub-path and as stock clients. */
import { Wallet } from 'ethers'
import { createChain, createManualClock } from 'preseal'
import { PresealProvider } from 'preseal/ethers'
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** The statuses of the receipts, and bob's balance after three transfers. */
export interface ClientsResult {
  readonly pushed: string
  readonly stock: string
  readonly ethers: number | null | undefined
  readonly balance: bigint
}

/** Sends one transfer each, all pre-confirmed, and closes everything. */
export async function clients(): Promise<ClientsResult> {
  const clock = createManualClock()
  const chain = await createChain({ clock })
  const [alice, bob] = chain.accounts
  const transfer = { to: bob!.address, value: parseEther('1') }
  const account = privateKeyToAccount(alice!.privateKey)

  const wallet = createWalletClient({ account, chain: preseal, transport: chainTransport(chain) })
  const pushed = wallet.extend(preconfActions()).waitForPreconfirmation({
    hash: await wallet.sendTransaction(transfer),
  })
  await clock.advance(200)

  const client = createPublicClient({ chain: preseal, transport: custom(chain.preconf) })
  const hash = await createWalletClient({
    account,
    chain: preseal,
    transport: custom(chain.preconf),
  }).sendTransaction(transfer)
  await clock.advance(200)
  const stock = await client.getTransactionReceipt({ hash })

  const provider = new PresealProvider(chain)
  const sent = await new Wallet(alice!.privateKey, provider).sendTransaction(transfer)
  const waited = sent.wait()
  await clock.advance(200)

  const result = {
    pushed: (await pushed).status,
    stock: stock.status,
    ethers: (await waited)?.status,
    balance: await client.getBalance({ address: bob!.address, blockTag: 'pending' }),
  }
  await chain.close()
  return result
}
