import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { expect, it } from 'vitest'
import { startChain } from './harness.ts'

it('shows a transfer on preconf after a tick and on standard after the seal', async () => {
  const chain = await startChain()
  const [alice, bob] = chain.accounts
  const account = privateKeyToAccount(alice!.privateKey)
  const wallet = createWalletClient({ account, chain: foundry, transport: custom(chain.preconf) })
  const preconf = createPublicClient({ chain: foundry, transport: custom(chain.preconf) })
  const standard = createPublicClient({ chain: foundry, transport: custom(chain.standard) })
  const to = bob!.address
  const before = await standard.getBalance({ address: to })

  const hash = await wallet.sendTransaction({ to, value: parseEther('1') })
  const snapshot = await chain.tick()
  expect(snapshot.block.transactions.map((tx) => tx.hash)).toEqual([hash])
  expect(await preconf.getBalance({ address: to, blockTag: 'pending' })).toBe(before + parseEther('1'))
  expect(await preconf.getBalance({ address: to })).toBe(before)
  expect(await standard.getBalance({ address: to, blockTag: 'pending' })).toBe(before)
  expect((await preconf.getTransactionReceipt({ hash })).blockHash).toBe(snapshot.block.hash)

  const sealed = await chain.seal()
  expect(sealed.block.hash).toBe(snapshot.block.hash)
  expect(await standard.getBalance({ address: to })).toBe(before + parseEther('1'))
  expect((await standard.getTransactionReceipt({ hash })).blockHash).toBe(snapshot.block.hash)
})
