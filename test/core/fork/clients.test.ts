/** Stock clients on the views of a fork. */
import { BrowserProvider } from 'ethers'
import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChain, createManualClock } from '../../../src/index.ts'
import { preseal } from '../../../src/kits/viem/index.ts'
import { startChain } from '../../harness.ts'
import { RECIPIENT } from '../sequencer/support.ts'
import { between } from './remoteChain.ts'

const account = mnemonicToAccount('test test test test test test test test test test test junk')
const BALANCE = parseEther('5')

/** A fork of a chain on which the recipient has five ether. */
async function startFork() {
  const original = await startChain()
  await original.setBalance(RECIPIENT, BALANCE)
  await original.seal()
  const fork = { provider: between(original.standard).provider as never }
  const chain = await createChain({ mining: 'manual', clock: createManualClock(), fork })
  onTestFinished(() => chain.close())
  return chain
}

describe('a fork with stock clients', () => {
  it('is read and written by viem on all views', async () => {
    const chain = await startFork()
    const clientOf = (view: 'standard' | 'preconf' | 'live') =>
      createPublicClient({ chain: preseal, transport: custom(chain[view]) })
    const balanceOn = (view: 'standard' | 'preconf' | 'live', blockTag: 'latest' | 'pending') =>
      clientOf(view).getBalance({ address: RECIPIENT, blockTag })
    for (const view of ['standard', 'preconf', 'live'] as const)
      expect(await balanceOn(view, 'latest')).toBe(BALANCE)

    const wallet = createWalletClient({ account, chain: preseal, transport: custom(chain.live) })
    const hash = await wallet.sendTransaction({ to: RECIPIENT, value: 1n })
    await chain.tick()
    expect((await clientOf('live').getTransactionReceipt({ hash })).blockNumber).toBe(2n)
    expect([
      await balanceOn('standard', 'pending'),
      await balanceOn('preconf', 'pending'),
      await balanceOn('live', 'pending'),
    ]).toEqual([BALANCE, BALANCE + 1n, BALANCE + 1n])

    await chain.seal()
    for (const view of ['standard', 'preconf', 'live'] as const)
      expect(await balanceOn(view, 'latest')).toBe(BALANCE + 1n)
  })

  it('is read and written by ethers', async () => {
    const chain = await startFork()
    // Without its cache of answers, which lasts 250 ms of real time.
    const [live, standard] = [chain.live, chain.standard].map(
      (provider) => new BrowserProvider(provider, undefined, { cacheTimeout: -1 }),
    ) as [BrowserProvider, BrowserProvider]
    onTestFinished(() => {
      live.destroy()
      standard.destroy()
    })
    expect(await standard.getBalance(RECIPIENT)).toBe(BALANCE)
    const signer = await live.getSigner(account.address)
    const { hash } = await signer.sendTransaction({ to: RECIPIENT, value: 1n })
    await chain.tick()
    expect(await live.getBalance(RECIPIENT, 'pending')).toBe(BALANCE + 1n)
    expect(await standard.getTransactionReceipt(hash)).toBe(null)
    await chain.seal()
    expect((await standard.getTransactionReceipt(hash))?.blockNumber).toBe(2)
    expect(await standard.getBalance(RECIPIENT)).toBe(BALANCE + 1n)
  })
})
