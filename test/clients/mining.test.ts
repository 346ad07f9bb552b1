/** Stock clients on a chain that seals automatically: after each send, or by its clock. */
import { BrowserProvider, ContractFactory, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ChainOptions } from '../../src/index.ts'
import { Token } from '../contracts/artifacts.ts'
import { startChain } from '../harness.ts'
import { stepUntil } from './stepUntil.ts'
import { wiretap } from './wiretap.ts'

async function start(view: 'standard' | 'preconf', options: ChainOptions) {
  const chain = await startChain(options)
  const tap = wiretap(chain[view])
  const transport = { chain: foundry, transport: custom(tap), pollingInterval: 5, cacheTime: 0 } as const
  const [alice, bob] = chain.accounts
  const provider = new BrowserProvider(tap, undefined, { cacheTimeout: -1, pollingInterval: 5 })
  onTestFinished(() => provider.destroy())
  return {
    chain,
    tap,
    to: bob!.address,
    client: createPublicClient(transport),
    wallet: createWalletClient({ ...transport, account: privateKeyToAccount(alice!.privateKey) }),
    provider,
    signer: new Wallet(alice!.privateKey, provider),
  }
}

describe.each(['standard', 'preconf'] as const)('auto mining, on %s', (view) => {
  it('has the receipt when viem gets the hash', async () => {
    const { client, wallet, to } = await start(view, { mining: 'auto' })
    const deployment = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    const { contractAddress, blockNumber } = await client.getTransactionReceipt({ hash: deployment })
    expect(blockNumber).toBe(1n)
    const address = contractAddress!
    const transfer = (value: bigint) =>
      wallet.writeContract({ abi: Token.abi, address, functionName: 'transfer', args: [to, value] })
    for (const value of [1n, 2n]) {
      const hash = await transfer(value)
      expect(await client.getTransactionReceipt({ hash })).toMatchObject({ blockNumber: 1n + value })
    }
    expect(
      await client.readContract({ abi: Token.abi, address, functionName: 'balanceOf', args: [to] }),
    ).toBe(3n)
    expect(await wallet.sendTransactionSync({ to, value: 1n })).toMatchObject({ blockNumber: 4n })
  })

  it('has the receipt when ethers gets the hash', async () => {
    const { provider, signer, to } = await start(view, { mining: 'auto' })
    const contract = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
    const deployed = await provider.getTransactionReceipt(contract.deploymentTransaction()!.hash)
    expect(deployed!.blockNumber).toBe(1)
    const sent = await contract.getFunction('transfer')(to, 5n)
    expect((await provider.getTransactionReceipt(sent.hash))!.blockNumber).toBe(2)
    expect((await sent.wait())!.status).toBe(1)
    expect(await contract.getFunction('balanceOf')(to)).toBe(5n)
  })

  it('keeps a transaction behind a nonce gap, and seals it with the missing one', async () => {
    const { client, wallet, to } = await start(view, { mining: 'auto' })
    const later = await wallet.sendTransaction({ to, nonce: 1, gas: 21_000n })
    expect(await client.getBlockNumber()).toBe(0n)
    const sooner = await wallet.sendTransaction({ to, nonce: 0 })
    const receipts = await Promise.all([sooner, later].map((hash) => client.getTransactionReceipt({ hash })))
    expect(receipts.map(({ blockNumber, transactionIndex }) => [blockNumber, transactionIndex])).toEqual([
      [1n, 0],
      [1n, 1],
    ])
  })
})

describe('interval mining under the manual clock', () => {
  const interval = { mining: 'interval', blockTime: 2000, preconfInterval: 200 } as const

  it('shows viem a receipt after 200 ms on preconf, and after the block on standard', async () => {
    const { chain, client, wallet, to } = await start('preconf', interval)
    const standard = createPublicClient({
      chain: foundry,
      transport: custom(wiretap(chain.standard)),
      pollingInterval: 5,
      cacheTime: 0,
    })
    const hash = await wallet.sendTransaction({ to, value: 1n })
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
    const sealed = standard.waitForTransactionReceipt({ hash })
    await chain.clock.advance(200)
    const preconf = await client.waitForTransactionReceipt({ hash })
    expect(preconf).toMatchObject({ status: 'success', blockNumber: 1n })
    await expect(standard.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
    await chain.clock.advance(1800)
    expect(await stepUntil(sealed, () => chain.clock.advance(2000))).toEqual(preconf)
    expect(await client.getTransactionReceipt({ hash })).toEqual(preconf)
    expect((await standard.getBlock({ blockNumber: 1n })).timestamp).toBe(1_700_000_002n)
  })

  it('answers the sync actions of viem after 200 ms on preconf, and after the block on standard', async () => {
    for (const [view, wait] of [
      ['preconf', 200],
      ['standard', 2000],
    ] as const) {
      const { chain, wallet, to } = await start(view, interval)
      const arrived = new Promise<void>((resolve) => void chain.once('transaction', () => resolve()))
      let answered = false
      const answer = wallet.sendTransactionSync({ to, value: 1n }).finally(() => {
        answered = true
      })
      await arrived
      await chain.clock.advance(wait - 1)
      expect(answered).toBe(false)
      await chain.clock.advance(1)
      expect(await answer).toMatchObject({ status: 'success', blockNumber: 1n })
      await chain.clock.advance(2000 - wait)
    }
  })

  it('shows ethers a receipt after 200 ms with wait(0), and after the block with wait()', async () => {
    const { chain, signer, to } = await start('preconf', interval)
    const sent = await signer.sendTransaction({ to, value: 1n })
    await chain.clock.advance(200)
    const preconf = await sent.wait(0)
    expect(preconf).toMatchObject({ status: 1, blockNumber: 1 })
    const confirmed = sent.wait()
    await chain.clock.advance(1800)
    const sealed = await stepUntil(confirmed, () => chain.clock.advance(2000))
    expect(sealed!.blockHash).toBe(preconf!.blockHash)
  })

  it('seals every block on time while clients send', async () => {
    const { chain, client, wallet, to } = await start('preconf', interval)
    const hashes: string[] = []
    chain.on('block', ({ block }) => hashes.push(block.hash))
    for (let nonce = 0; nonce < 3; nonce++) {
      await wallet.sendTransaction({ to, nonce })
      await chain.clock.advance(2000)
    }
    const blocks = await Promise.all([1n, 2n, 3n].map((blockNumber) => client.getBlock({ blockNumber })))
    expect(blocks.map(({ hash }) => hash)).toEqual(hashes)
    expect(blocks.map(({ timestamp, transactions }) => [timestamp, transactions.length])).toEqual([
      [1_700_000_002n, 1],
      [1_700_000_004n, 1],
      [1_700_000_006n, 1],
    ])
  })
})
