import { createWalletClient, custom, encodeFunctionData, parseEther, parseGwei } from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { Delegate, Token } from '../contracts/artifacts.ts'
import { accountOf, deploy, start } from './viemSetup.ts'

describe.each(['standard', 'preconf'] as const)('viem on %s', (view) => {
  it('deploys a contract, writes to it, and reads it', async () => {
    const setup = await start(view)
    const { chain, client, wallet, account, show, blockTag, ensureSealed } = setup
    const address = await deploy(setup, Token)
    const to = chain.accounts[1]!.address

    const hash = await wallet.writeContract({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [to, 7n],
      // The estimate runs on `latest`, which on preconf does not have the contract yet.
      ...(view === 'preconf' && { gas: 100_000n }),
    })
    await show()
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', from: account.address.toLowerCase(), to: address })
    expect(
      await client.readContract({ abi: Token.abi, address, functionName: 'balanceOf', args: [to], blockTag }),
    ).toBe(7n)
    expect(await client.readContract({ abi: Token.abi, address, functionName: 'symbol', blockTag })).toBe(
      'TEST',
    )
    expect(await client.getCode({ address, blockTag })).toMatch(/^0x6080/)

    await ensureSealed()
    expect(await client.getTransactionReceipt({ hash })).toEqual(receipt)
    expect(await client.getTransaction({ hash })).toMatchObject({ hash, blockHash: receipt.blockHash })
    expect(await client.getTransactionConfirmations({ hash })).toBe(1n)
  })

  it('replaces a transaction by raising its fees', async () => {
    const { chain, client, wallet, show } = await start(view)
    const to = chain.accounts[1]!.address
    const fields = { to, nonce: 0, gas: 21_000n } as const
    const gwei = (fee: string, tip: string) => ({
      maxFeePerGas: parseGwei(fee),
      maxPriorityFeePerGas: parseGwei(tip),
    })
    const first = await wallet.sendTransaction({ ...fields, value: 1n, ...gwei('3', '1') })
    const second = await wallet.sendTransaction({ ...fields, value: 2n, ...gwei('3.3', '1.1') })
    await show()
    expect(await client.waitForTransactionReceipt({ hash: second })).toMatchObject({ status: 'success' })
    await expect(client.getTransactionReceipt({ hash: first })).rejects.toThrow(/could not be found/)
  })

  it('sends legacy, access list and fee market transactions', async () => {
    const { chain, client, wallet, show } = await start(view)
    const to = chain.accounts[1]!.address
    const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(32)}`] as const }]
    const gasPrice = parseGwei('3')
    const hashes = [
      await wallet.sendTransaction({ to, nonce: 0, type: 'legacy', gasPrice }),
      await wallet.sendTransaction({ to, nonce: 1, type: 'eip2930', gasPrice, accessList }),
      await wallet.sendTransaction({ to, nonce: 2, type: 'eip1559', accessList }),
    ]
    await show()
    const receipts = await Promise.all(hashes.map((hash) => client.waitForTransactionReceipt({ hash })))
    expect(receipts.map(({ type, gasUsed, status }) => [type, gasUsed, status])).toEqual([
      ['legacy', 21_000n, 'success'],
      ['eip2930', 25_300n, 'success'],
      ['eip1559', 25_300n, 'success'],
    ])
    const read = await Promise.all(hashes.map((hash) => client.getTransaction({ hash })))
    expect(read.map((tx) => [tx.type, tx.accessList])).toEqual([
      ['legacy', undefined],
      ['eip2930', accessList],
      ['eip1559', accessList],
    ])
  })

  it("delegates an account's code by an EIP-7702 authorisation, and acts through it", async () => {
    const setup = await start(view)
    const { chain, client, wallet, show, blockTag, ensureSealed } = setup
    const address = await deploy(setup, Delegate)
    await ensureSealed()
    const eoa = accountOf(chain, 3)
    const to = chain.accounts[4]!.address
    const before = await client.getBalance({ address: to })

    const authorization = await wallet.signAuthorization({ account: eoa, contractAddress: address })
    const data = encodeFunctionData({
      abi: Delegate.abi,
      functionName: 'execute',
      args: [to, parseEther('1'), '0x'],
    })
    const hash = await wallet.sendTransaction({ authorizationList: [authorization], to: eoa.address, data })
    await show()
    expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({
      status: 'success',
      type: 'eip7702',
    })
    expect(await client.getBalance({ address: to, blockTag })).toBe(before + parseEther('1'))
    expect(await client.getCode({ address: eoa.address, blockTag })).toBe(`0xef0100${address.slice(2)}`)
    const { authorizationList } = await client.getTransaction({ hash })
    expect(authorizationList).toMatchObject([{ address, chainId: 31_337, nonce: 0 }])
    await ensureSealed()
    expect(await client.getDelegation({ address: eoa.address })).toMatch(new RegExp(address, 'i'))

    // The owner of the account can still send.
    const own = createWalletClient({ account: eoa, chain: foundry, transport: custom(setup.tap) })
    const sent = await own.sendTransaction({ to, value: 1n })
    await show()
    expect(await client.waitForTransactionReceipt({ hash: sent })).toMatchObject({ status: 'success' })
  })

  it('waits in sendTransactionSync and writeContractSync until the view shows the receipt', async () => {
    const setup = await start(view)
    const { chain, wallet, show, ensureSealed } = setup
    const address = await deploy(setup, Token)
    await ensureSealed()
    const to = chain.accounts[1]!.address
    const once = () => new Promise<void>((resolve) => void chain.once('transaction', () => resolve()))

    let arrived = once()
    const transfer = wallet.sendTransactionSync({ to, value: 1n })
    await arrived
    await show()
    expect(await transfer).toMatchObject({ status: 'success', blockNumber: 2n })
    arrived = once()
    const write = wallet.writeContractSync({
      abi: Token.abi,
      address,
      functionName: 'transfer',
      args: [to, 1n],
    })
    await arrived
    const { block } = view === 'preconf' ? await chain.tick() : await chain.seal()
    expect(await write).toMatchObject({ status: 'success', blockHash: block.hash })
  })
})
