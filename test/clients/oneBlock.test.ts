/**
 * The use of a preconf connection with both of its options: stock clients do all their steps within one block.
 * The chain only ticks, and seals once at the end.
 */
import {
  BrowserProvider,
  Contract,
  ContractFactory,
  NonceManager,
  type TransactionResponse,
  Wallet,
} from 'ethers'
import { createNonceManager, createPublicClient, createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { jsonRpc } from 'viem/nonce'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Token } from '../contracts/artifacts.ts'
import { startChain, type TestChain } from '../harness.ts'
import { wiretap } from './wiretap.ts'

/** viem names `latest` in reads; with this field in the chain definition, it names `pending`. */
const definition = { ...foundry, experimental_preconfirmationTime: 200 } as const

/** A chain and a tapped connection whose reads default to pending and whose nonces count waiting transactions. */
async function start() {
  const chain = await startChain()
  const tap = wiretap(chain.provider('preconf', { defaultBlock: 'pending', pendingNonce: 'pool' }))
  const [alice, bob] = chain.accounts
  return { chain, tap, key: alice!.privateKey, bob: bob!.address }
}

/** Seals a block, which must have exactly these transactions in this order; returns its hash. */
async function sealExactly(chain: TestChain, hashes: readonly string[]) {
  const { block, receipts } = await chain.seal()
  expect(block.number).toBe('0x1')
  expect(block.transactions.map(({ hash }) => hash)).toEqual(hashes)
  expect(receipts.map(({ status }) => status)).toEqual(hashes.map(() => '0x1'))
  return block.hash
}

describe('within one block', () => {
  it('viem deploys, gets the receipt, writes, and sends twice before a tick', async () => {
    const { chain, tap, key, bob } = await start()
    const options = { chain: definition, transport: custom(tap), cacheTime: 0 } as const
    const client = createPublicClient(options)
    const wallet = createWalletClient({ ...options, account: privateKeyToAccount(key) })
    const balanceOf = (address: `0x${string}`) =>
      client.readContract({ abi: Token.abi, address, functionName: 'balanceOf', args: [bob] })

    const deployment = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    await chain.tick()
    const deployed = await client.waitForTransactionReceipt({ hash: deployment })
    const address = deployed.contractAddress!
    const transfer = (value: bigint) =>
      wallet.writeContract({ abi: Token.abi, address, functionName: 'transfer', args: [bob, value] })

    const write = await transfer(1n)
    await chain.tick()
    const written = await client.waitForTransactionReceipt({ hash: write })
    expect(await balanceOf(address)).toBe(1n)

    const first = await transfer(2n)
    const second = await transfer(3n)
    expect(await balanceOf(address)).toBe(1n)
    const { block } = await chain.tick()
    expect(await balanceOf(address)).toBe(6n)
    const twice = await Promise.all([first, second].map((hash) => client.waitForTransactionReceipt({ hash })))
    expect([deployed, written, ...twice].map(({ blockNumber }) => blockNumber)).toEqual([1n, 1n, 1n, 1n])
    expect(twice.map(({ blockHash }) => blockHash)).toEqual([block.hash, block.hash])

    const hashes = [deployment, write, first, second]
    const sealed = await sealExactly(chain, hashes)
    expect(sealed).toBe(block.hash)
    const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
    expect(receipts.map(({ blockHash }) => blockHash)).toEqual(hashes.map(() => sealed))
  })

  it('viem sends concurrently with its nonce manager', async () => {
    const { chain, tap, key, bob } = await start()
    const nonceManager = createNonceManager({ source: jsonRpc() })
    const account = privateKeyToAccount(key, { nonceManager })
    const options = { chain: definition, transport: custom(tap) } as const
    const wallet = createWalletClient({ ...options, account })
    const client = createPublicClient(options)
    const values = [1n, 2n, 3n]
    const hashes = await Promise.all(values.map((value) => wallet.sendTransaction({ to: bob, value })))
    const { block } = await chain.tick()
    expect([...(await client.getBlock()).transactions].sort()).toEqual([...hashes].sort())
    const sent = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
    expect(sent.map(({ nonce }) => nonce).sort()).toEqual([0, 1, 2])
    expect((await chain.seal()).block.hash).toBe(block.hash)
  })

  it('viem deploys and writes with the sync actions, each answered by the tick', async () => {
    const { chain, tap, key, bob } = await start()
    const wallet = createWalletClient({
      account: privateKeyToAccount(key),
      chain: definition,
      transport: custom(tap),
    })
    const answered = async <T>(act: () => Promise<T>): Promise<T> => {
      const arrived = new Promise<void>((resolve) => void chain.once('transaction', () => resolve()))
      const answer = act()
      await arrived
      await chain.tick()
      return answer
    }
    const deployed = await answered(() => wallet.sendTransactionSync({ data: Token.bytecode }))
    const written = await answered(() =>
      wallet.writeContractSync({
        abi: Token.abi,
        address: deployed.contractAddress!,
        functionName: 'transfer',
        args: [bob, 1n],
      }),
    )
    expect(written).toMatchObject({ status: 'success', blockNumber: deployed.blockNumber })
    const sealed = await sealExactly(chain, [deployed.transactionHash, written.transactionHash])
    expect(sealed).toBe(written.blockHash)
  })

  it('ethers deploys, gets the receipt, writes, and sends twice before a tick', async () => {
    const { chain, tap, key, bob } = await start()
    // ethers caches answers for 250 ms, which is longer than a preconf block lasts.
    const provider = new BrowserProvider(tap, undefined, { cacheTimeout: -1 })
    onTestFinished(() => provider.destroy())
    const signer = new Wallet(key, provider)

    const contract = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
    await chain.tick()
    const deployed = await contract.deploymentTransaction()!.wait(0)
    const token = new Contract(await contract.getAddress(), Token.abi, signer)
    const transfer = (value: bigint): Promise<TransactionResponse> =>
      token.getFunction('transfer')(bob, value)
    // ethers names `latest` in reads.
    const balanceOf = () => token.getFunction('balanceOf')(bob, { blockTag: 'pending' })

    const write = await transfer(1n)
    await chain.tick()
    const written = await write.wait(0)
    expect(await balanceOf()).toBe(1n)

    const first = await transfer(2n)
    const second = await transfer(3n)
    expect(await balanceOf()).toBe(1n)
    const { block } = await chain.tick()
    expect(await balanceOf()).toBe(6n)
    const twice = [await first.wait(0), await second.wait(0)]
    expect([deployed, written, ...twice].map((receipt) => receipt!.blockNumber)).toEqual([1, 1, 1, 1])
    expect(twice.map((receipt) => receipt!.blockHash)).toEqual([block.hash, block.hash])

    const hashes = [deployed!, write, first, second].map(({ hash }) => hash)
    const sealed = await sealExactly(chain, hashes)
    expect(sealed).toBe(block.hash)
    const receipts = await Promise.all(hashes.map((hash) => provider.getTransactionReceipt(hash)))
    expect(receipts.map((receipt) => receipt!.blockHash)).toEqual(hashes.map(() => sealed))
  })

  it('ethers sends concurrently with its nonce manager', async () => {
    const { chain, tap, key, bob } = await start()
    const provider = new BrowserProvider(tap, undefined, { cacheTimeout: -1 })
    onTestFinished(() => provider.destroy())
    const signer = new NonceManager(new Wallet(key, provider))
    const sent = await Promise.all([1n, 2n, 3n].map((value) => signer.sendTransaction({ to: bob, value })))
    expect(sent.map(({ nonce }) => nonce)).toEqual([0, 1, 2])
    const { block } = await chain.tick()
    expect(
      await sealExactly(
        chain,
        sent.map(({ hash }) => hash),
      ),
    ).toBe(block.hash)
  })
})
