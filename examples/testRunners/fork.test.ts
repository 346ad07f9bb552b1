/** A forked chain for each test, without a network: the node's answers are in fork.jsonl, which is committed. */
import { join } from 'node:path'
import { chainTransport, preseal } from 'preseal/viem'
import { createChainTest } from 'preseal/vitest'
import { createWalletClient, parseEther, publicActions } from 'viem'
import { expect } from 'vitest'
import { Token } from '../contracts/token.ts'

/** The forked chain's node, to record missing answers: FORK_URL=https://… npx vitest run */
const url = process.env['FORK_URL']

const test = createChainTest({
  chainOptions: {
    fork: {
      url,
      offline: url === undefined,
      // Replace it by a block of your chain, and the token and its holder below. The file finds the block by its hash.
      block: '0x208345f62769bc2d166b7efb69b6dab6acc7619b79250fb4071026c2141bf03f',
      cache: join(import.meta.dirname, 'fork.jsonl'),
    },
  },
  /** Runs on the fork once; every test starts from the state after it. */
  async deploy({ chain }) {
    await chain.impersonateAccount(HOLDER)
    await chain.setBalance(HOLDER, parseEther('1'))
    const transport = chainTransport(chain)
    return createWalletClient({ account: HOLDER, chain: preseal, transport }).extend(publicActions)
  },
})

/** A token of the forked chain, and an account that holds 1000 there. */
const token = { abi: Token.abi, address: '0x5fbdb2315678afecb367f032d93f642f64180aa3' } as const
const HOLDER = '0x00000000000000000000000000000000000a11ce'
const RECIPIENT = '0x0000000000000000000000000000000000000b0b'

for (const amount of [300n, 1000n]) {
  test(`a holder of the forked chain pays ${amount}`, async ({ deployed: client, preconfirm }) => {
    const balanceOf = (account: `0x${string}`) =>
      client.readContract({ ...token, functionName: 'balanceOf', args: [account] })
    expect(await balanceOf(HOLDER)).toBe(1000n)
    await preconfirm(client.writeContract({ ...token, functionName: 'transfer', args: [RECIPIENT, amount] }))
    expect([await balanceOf(HOLDER), await balanceOf(RECIPIENT)]).toEqual([1000n - amount, amount])
  })
}
