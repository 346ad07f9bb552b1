/** Dev accounts in stock clients, which sign and send without having the key. */
import { BrowserProvider, TypedDataEncoder, Wallet } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  custom,
  encodeDeployData,
  getAddress,
  type Hex,
  parseEther,
  parseGwei,
  parseTransaction,
  recoverTransactionAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Probe, Token } from '../contracts/artifacts.ts'
import { startChain } from '../harness.ts'
import { stepUntil } from './stepUntil.ts'

async function start(view: 'standard' | 'preconf') {
  const chain = await startChain()
  const provider = chain.provider(view)
  const options = { chain: foundry, transport: custom(provider), pollingInterval: 10, cacheTime: 0 } as const
  const local = privateKeyToAccount(chain.accounts[0]!.privateKey)
  const ethers = new BrowserProvider(provider, undefined, { cacheTimeout: -1, pollingInterval: 5 })
  onTestFinished(() => ethers.destroy())
  return {
    chain,
    provider,
    local,
    client: createPublicClient(options),
    wallet: createWalletClient({ ...options, account: local.address }),
    ethers,
    to: chain.accounts[1]!.address,
    show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
  }
}

const MAIL = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: 'contents', type: 'string' },
      { name: 'attachment', type: 'bytes' },
      { name: 'id', type: 'bytes32' },
      { name: 'stamp', type: 'uint256' },
      { name: 'balance', type: 'int64' },
      { name: 'isRead', type: 'bool' },
      { name: 'grid', type: 'uint8[2][]' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Cow', wallets: ['0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'] },
    to: [
      { name: 'Bob', wallets: [] },
      { name: 'Zoë', wallets: ['0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB', `0x${'11'.repeat(20)}`] },
    ],
    contents: 'Hello, Bob! 👋',
    attachment: '0x0102030405',
    id: `0x${'ab'.repeat(32)}`,
    stamp: 2n ** 200n,
    balance: -5n,
    isRead: true,
    grid: [
      [1, 2],
      [3, 255],
    ],
  },
} as const

describe('JSON-RPC accounts of clients', () => {
  describe.each(['standard', 'preconf'] as const)('on %s', (view) => {
    it('sign messages as local accounts of viem and ethers do', async () => {
      const { wallet, local, ethers, chain } = await start(view)
      const own = new Wallet(chain.accounts[0]!.privateKey)
      const signer = await ethers.getSigner()
      for (const message of ['', 'hello', 'Zoë 👋', 'x'.repeat(1000)]) {
        expect(await wallet.signMessage({ message })).toBe(await local.signMessage({ message }))
        expect(await signer.signMessage(message)).toBe(await own.signMessage(message))
        expect(await signer._legacySignMessage(message)).toBe(await own.signMessage(message))
      }
      const raw = '0x00ff' as const
      expect(await wallet.signMessage({ message: { raw } })).toBe(
        await local.signMessage({ message: { raw } }),
      )
    })

    it('sign typed data as local accounts of viem and ethers do', async () => {
      const { wallet, local, ethers, chain } = await start(view)
      expect(await wallet.signTypedData(MAIL as never)).toBe(await local.signTypedData(MAIL as never))
      const signer = await ethers.getSigner()
      const { domain, types, message } = MAIL
      const own = new Wallet(chain.accounts[0]!.privateKey)
      const signature = await signer.signTypedData(domain, types as never, message)
      expect(signature).toBe(await own.signTypedData(domain, types as never, message))
      expect(signature).toBe(await local.signTypedData(MAIL as never))
    })

    it('sign typed data of a single type, also without a domain, as local accounts do', async () => {
      const { wallet, local } = await start(view)
      const types = { Vote: [{ name: 'yes', type: 'bool' }] }
      const bare = { domain: {}, types, primaryType: 'Vote', message: { yes: true } } as const
      expect(await wallet.signTypedData(bare)).toBe(await local.signTypedData(bare))
      const domain = { salt: `0x${'01'.repeat(32)}`, chainId: 2n ** 64n } as const
      const salted = { ...bare, domain }
      expect(await wallet.signTypedData(salted)).toBe(await local.signTypedData(salted))
    })

    it('send transactions of every type from viem', async () => {
      const { chain, client, wallet, show, to } = await start(view)
      const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
      const delegating = privateKeyToAccount(chain.accounts[2]!.privateKey)
      const authorization = await delegating.signAuthorization({ address: to, chainId: 31337, nonce: 0 })
      const value = parseEther('1')
      const hashes = [
        await wallet.sendTransaction({ to, value }),
        await wallet.sendTransaction({ to, value, gasPrice: parseGwei('3') }),
        await wallet.sendTransaction({ to, value, type: 'eip2930', accessList, gasPrice: parseGwei('3') }),
        await wallet.sendTransaction({ to, authorizationList: [authorization] }),
        await wallet.sendTransaction({ to, value, maxFeePerGas: parseGwei('9'), gas: 30_000n }),
      ]
      await show()
      const found = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
      expect(found.map(({ type, nonce, from, gas }) => ({ type, nonce, from, gas }))).toMatchObject([
        { type: 'eip1559', nonce: 0, gas: 21_000n },
        { type: 'legacy', nonce: 1, gas: 21_000n },
        { type: 'eip2930', nonce: 2, gas: 25_300n },
        { type: 'eip7702', nonce: 3 },
        { type: 'eip1559', nonce: 4, gas: 30_000n },
      ])
      const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
      expect(receipts.map(({ status }) => status)).toEqual(Array(5).fill('success'))
    })

    it('send transactions of every type from ethers', async () => {
      const { chain, client, ethers, show, to } = await start(view)
      const signer = await ethers.getSigner()
      const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }]
      const authority = new Wallet(chain.accounts[2]!.privateKey)
      const authorization = await authority.authorize({ address: to, chainId: 31337, nonce: 0 })
      const sent = [
        await signer.sendTransaction({ to, value: 1n, type: 0 }),
        await signer.sendTransaction({ to, value: 2n, type: 1, accessList }),
        await signer.sendTransaction({ to, value: 3n, type: 2, accessList }),
        await signer.sendTransaction({ to, type: 4, authorizationList: [authorization] }),
      ]
      await show()
      const found = await Promise.all(sent.map(({ hash }) => client.getTransaction({ hash: hash as Hex })))
      expect(found.map(({ type, nonce, gas }) => ({ type, nonce, gas }))).toMatchObject([
        { type: 'legacy', nonce: 0, gas: 21_000n },
        { type: 'eip2930', nonce: 1, gas: 25_300n },
        { type: 'eip1559', nonce: 2, gas: 25_300n },
        { type: 'eip7702', nonce: 3 },
      ])
      const receipts = await Promise.all(sent.map(({ hash }) => ethers.getTransactionReceipt(hash)))
      expect(receipts.map((receipt) => receipt!.status)).toEqual([1, 1, 1, 1])
      const delegated = await ethers.getCode(authority.address, view === 'preconf' ? 'pending' : 'latest')
      expect(delegated).toBe(`0xef0100${to.slice(2)}`)
    })

    it('sign transactions of every type as local accounts do', async () => {
      const { provider, wallet, local, chain, to } = await start(view)
      const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
      const authority = privateKeyToAccount(chain.accounts[2]!.privateKey)
      const authorizationList = [await authority.signAuthorization({ address: to, chainId: 31337, nonce: 0 })]
      const common = { to, value: 5n, data: '0x1234', gas: 100_000n, nonce: 7, chainId: 31337 } as const
      const fees = { maxFeePerGas: parseGwei('9'), maxPriorityFeePerGas: parseGwei('2') }
      const transactions = [
        { ...common, type: 'legacy', gasPrice: parseGwei('3') },
        { ...common, type: 'eip2930', gasPrice: parseGwei('3'), accessList },
        { ...common, type: 'eip1559', ...fees, accessList },
        { ...common, type: 'eip7702', ...fees, accessList, authorizationList },
        { type: 'eip1559', ...fees, data: '0x00', gas: 100_000n, nonce: 7, chainId: 31337 },
      ] as const
      for (const transaction of transactions) {
        const signed = await wallet.signTransaction(transaction as never)
        expect(signed).toBe(await local.signTransaction(transaction as never))
      }
      expect(await provider.request({ method: 'txpool_status' })).toEqual({ pending: '0x0', queued: '0x0' })
    })

    it('send concurrent transactions with different nonces', async () => {
      const { client, wallet, local, show, to } = await start(view)
      const values = [1n, 2n, 3n, 4n, 5n]
      const hashes = await Promise.all(values.map((value) => wallet.sendTransaction({ to, value })))
      await show()
      const found = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
      expect(found.map(({ nonce }) => nonce).sort()).toEqual([0, 1, 2, 3, 4])
      expect(await client.getTransactionCount({ address: local.address, blockTag: 'pending' })).toBe(5)
    })

    it('send from ethers, which waits for the receipt', async () => {
      const { ethers, show, to } = await start(view)
      const signer = await ethers.getSigner(1)
      expect(await signer.getAddress()).toBe(getAddress(to))
      const sent = await signer.sendTransaction({ to: signer, value: 1n, type: 0 })
      const waited = sent.wait(view === 'preconf' ? 0 : 1)
      await show()
      expect(await stepUntil(waited, show)).toMatchObject({ status: 1, from: getAddress(to) })
    })

    it('deploy and write by sync actions of viem, which return the receipt', async () => {
      const { chain, client, wallet, to } = await start(view)
      const arrived = () => new Promise<void>((resolve) => chain.once('transaction', () => resolve()))
      const deployed = arrived()
      const deployment = wallet.sendTransactionSync({ data: encodeDeployData(Token) })
      await deployed
      await chain.seal()
      const { contractAddress } = await deployment
      const written = arrived()
      const write = wallet.writeContractSync({
        abi: Token.abi,
        address: contractAddress!,
        functionName: 'transfer',
        args: [to, 7n],
      })
      await written
      await chain.seal()
      expect((await write).status).toBe('success')
      const balanceOf = { abi: Token.abi, address: contractAddress!, functionName: 'balanceOf' } as const
      expect(await client.readContract({ ...balanceOf, args: [to] })).toBe(7n)
    })

    it('sign transactions that are sent later', async () => {
      const { client, wallet, provider, local, show, to } = await start(view)
      const raw = await wallet.signTransaction({ to, value: 5n, gas: 21_000n } as never)
      expect(await recoverTransactionAddress({ serializedTransaction: raw as never })).toBe(local.address)
      expect(parseTransaction(raw as Hex)).toMatchObject({
        type: 'eip1559',
        nonce: 0,
        value: 5n,
        chainId: 31337,
      })
      expect(await provider.request({ method: 'txpool_status' })).toEqual({ pending: '0x0', queued: '0x0' })
      const hash = await client.sendRawTransaction({ serializedTransaction: raw as Hex })
      await show()
      expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
    })

    it('report to viem why a call would revert, and send nothing', async () => {
      const { chain, provider, wallet } = await start(view)
      const hash = await wallet.deployContract({ abi: Probe.abi, bytecode: Probe.bytecode })
      await chain.seal()
      const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
      const address = receipt!.contractAddress!
      const failing = wallet.writeContract({ abi: Probe.abi, address, functionName: 'fail' } as never)
      await expect(failing).rejects.toThrow('execution reverted')
      expect(await provider.request({ method: 'txpool_status' })).toEqual({ pending: '0x0', queued: '0x0' })
    })
  })

  it('sign typed data with the hash that ethers computes', async () => {
    const { wallet, local, ethers } = await start('preconf')
    const { domain, types, message } = MAIL
    // The payload of ethers has the signature of viem, so both clients sign the same hash.
    const payload = TypedDataEncoder.getPayload(domain, types as never, message)
    const signer = await ethers.getSigner()
    const request = { method: 'eth_signTypedData_v4', params: [signer.address.toLowerCase(), payload] }
    const signature = await wallet.request(request as never)
    expect(signature).toBe(await local.signTypedData(MAIL as never))
  })
})
