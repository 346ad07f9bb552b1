/** What the files of the suite share: a deployed token, and payments of it. */
import { chainTransport, preconfActions, preseal } from 'preseal/viem'
import { type ChainFixtures, createChainTest } from 'preseal/vitest'
import { createWalletClient, publicActions } from 'viem'
import { Token } from '../../../contracts/artifacts.ts'

export const test = createChainTest({
  async deploy({ chain, preconfirm }: ChainFixtures) {
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const client = createWalletClient({ account: alice!, chain: preseal, transport: chainTransport(chain) })
      .extend(publicActions)
      .extend(preconfActions())
    const hash = await preconfirm(client.deployContract({ ...Token, args: [] } as never))
    const { contractAddress } = await client.waitForPreconfirmation({ hash })
    const token = { abi: Token.abi, address: contractAddress! } as const
    const pay = (amount: bigint, to = bob!) =>
      client.writeContract({ ...token, functionName: 'transfer', args: [to, amount] })
    return { client, token, bob: bob!, pay }
  },
})
