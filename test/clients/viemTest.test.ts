/** Every test action of viem has its documented effect in each mode. */
import { createTestClient, custom, type Hex, parseEther, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { startChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'

const STRANGER = '0x00000000000000000000000000000000000abcde'
const START = 1_700_000_000n

async function scene(mode: 'anvil' | 'hardhat' | 'ganache') {
  const chain = await startChain({}, {}, { skipHeaderValidation: true })
  const client = createTestClient({
    mode,
    chain: foundry,
    transport: custom(chain.standard),
    account: privateKeyToAccount(chain.accounts[0]!.privateKey),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
  const pay = (nonce: number, maxFeePerGas = 10n ** 11n) =>
    client.sendTransaction({
      to: STRANGER,
      value: 1n,
      nonce,
      gas: 21_000n,
      maxFeePerGas,
      maxPriorityFeePerGas: 1n,
    })
  const latest = () => client.getBlock()
  return { chain, client, pay, latest }
}

describe.each(['anvil', 'hardhat', 'ganache'] as const)('in mode %s', (mode) => {
  it('dropTransaction drops a waiting transaction', async () => {
    const { client, pay, latest } = await scene(mode)
    await client.dropTransaction({ hash: await pay(0) })
    await client.mine({ blocks: 1 })
    expect((await latest()).transactions).toEqual([])
  })

  it('dropTransaction drops a pre-confirmed transaction; later ones wait', async () => {
    const { chain, client, pay } = await scene(mode)
    const hash = await pay(0)
    const later = await pay(1)
    await chain.tick()
    await client.dropTransaction({ hash })
    expect((await chain.seal()).block.transactions).toEqual([])
    expect(await ask(chain.preconf, 'chain_transactionStatus', [hash])).toEqual({
      status: 'Unknown',
      stage: 'dropped',
    })
    expect(await ask(chain.preconf, 'chain_transactionStatus', [later])).toEqual({
      status: 'Known',
      stage: 'queued',
    })
  })

  it('dumpState and loadState copy accounts and blocks to another chain', async () => {
    const { chain, client, pay } = await scene(mode)
    await pay(0)
    await chain.seal()
    await client.setCode({ address: STRANGER, bytecode: '0x6001' })
    await client.setStorageAt({ address: STRANGER, index: 3, value: `0x${'7'.padStart(64, '0')}` })
    const state = await client.dumpState()
    const { client: other } = await scene(mode)
    await other.loadState({ state })
    expect(await other.getBalance({ address: STRANGER })).toBe(1n)
    expect(await other.getCode({ address: STRANGER })).toBe('0x6001')
    expect(await other.getStorageAt({ address: STRANGER, slot: '0x3' })).toBe(`0x${'7'.padStart(64, '0')}`)
    expect(await other.getTransactionCount({ address: chain.accounts[0]!.address })).toBe(1)
    expect(await other.getBlockNumber()).toBe(1n)
  })

  it('setAutomine seals at each send, and getAutomine returns the setting', async () => {
    const { client, pay, latest } = await scene(mode)
    expect(await client.getAutomine()).toBe(false)
    await pay(0)
    await client.setAutomine(true)
    expect(await client.getAutomine()).toBe(true)
    expect((await latest()).number).toBe(1n)
    await pay(1)
    expect((await latest()).number).toBe(2n)
    await client.setAutomine(false)
    expect(await client.getAutomine()).toBe(false)
    await pay(2)
    expect((await latest()).number).toBe(2n)
  })

  it('getTxpoolContent, getTxpoolStatus and inspectTxpool show waiting transactions', async () => {
    const { client, pay } = await scene(mode)
    await pay(0)
    await pay(2)
    expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 1 })
    const content = await client.getTxpoolContent()
    expect(Object.keys(Object.values(content.queued)[0]!)).toEqual(['2'])
    expect(Object.keys(Object.values((await client.inspectTxpool()).pending)[0]!)).toEqual(['0'])
  })

  it('increaseTime and setNextBlockTimestamp move the next block', async () => {
    const { client, latest } = await scene(mode)
    await client.increaseTime({ seconds: 420 })
    await client.mine({ blocks: 1 })
    expect((await latest()).timestamp).toBe(START + 420n)
    await client.setNextBlockTimestamp({ timestamp: START + 1000n })
    await client.mine({ blocks: 1 })
    expect((await latest()).timestamp).toBe(START + 1000n)
  })

  it('mine seals blocks, with an interval between them if one is given', async () => {
    const { client, pay, latest } = await scene(mode)
    const hash = await pay(0)
    await client.mine({ blocks: 3, interval: 60 })
    expect((await client.getBlock({ blockNumber: 1n })).transactions).toEqual([hash])
    const { number, timestamp } = await latest()
    expect(number).toBe(3n)
    // anvil moves the time before each block, Hardhat between two blocks; viem sends no interval to ganache.
    expect(timestamp).toBe(START + { anvil: 180n, hardhat: 121n, ganache: 3n }[mode])
  })

  it('setBlockTimestampInterval and removeBlockTimestampInterval set the time between blocks', async () => {
    const { client, latest } = await scene(mode)
    await client.setBlockTimestampInterval({ interval: 5 })
    await client.mine({ blocks: 3 })
    expect((await latest()).timestamp).toBe(START + 15n)
    await client.removeBlockTimestampInterval()
    await client.mine({ blocks: 1 })
    expect((await latest()).timestamp).toBe(START + 16n)
  })

  it('reset returns to genesis', async () => {
    const { client, pay } = await scene(mode)
    const genesis = await client.getBlock()
    await client.setBalance({ address: STRANGER, value: 5n })
    await pay(0)
    await client.mine({ blocks: 2 })
    await pay(1)
    await client.reset()
    expect(await client.getBlock()).toEqual(genesis)
    expect(await client.getBalance({ address: STRANGER })).toBe(0n)
    expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 })
    await pay(0)
    await client.mine({ blocks: 1 })
    expect(await client.getBalance({ address: STRANGER })).toBe(1n)
  })

  it('setRpcUrl is an error on a chain that is no fork, and reset to one needs a node', async () => {
    const { client } = await scene(mode)
    await expect(client.setRpcUrl('http://localhost:1')).rejects.toMatchObject({
      code: -32000,
      details:
        'the chain is no fork, so it has no node to change; reset it with forking, or start it with fork',
    })
    await expect(client.reset({ blockNumber: 1n })).rejects.toMatchObject({
      code: -32602,
      details: 'invalid argument 0.forking.jsonRpcUrl: expected a URL, since the chain is no fork',
    })
  })

  it('revert restores a snapshot', async () => {
    const { client } = await scene(mode)
    const id = await client.snapshot()
    await client.setBalance({ address: STRANGER, value: 5n })
    await client.mine({ blocks: 1 })
    await client.revert({ id })
    expect(await client.getBlockNumber()).toBe(0n)
    expect(await client.getBalance({ address: STRANGER })).toBe(0n)
  })

  it('setBalance, setCode, setNonce and setStorageAt apply at once, and in later blocks', async () => {
    const { client } = await scene(mode)
    await client.setBalance({ address: STRANGER, value: parseEther('3') })
    await client.setCode({ address: STRANGER, bytecode: '0x60016000f3' })
    await client.setNonce({ address: STRANGER, nonce: 9 })
    await client.setStorageAt({ address: STRANGER, index: 2, value: `0x${'f'.padStart(64, '0')}` })
    const account = async () => [
      await client.getBalance({ address: STRANGER }),
      await client.getCode({ address: STRANGER }),
      await client.getTransactionCount({ address: STRANGER }),
      await client.getStorageAt({ address: STRANGER, slot: '0x2' }),
    ]
    const expected = [parseEther('3'), '0x60016000f3', 9, `0x${'f'.padStart(64, '0')}`]
    expect(await account()).toEqual(expected)
    await client.mine({ blocks: 2 })
    expect(await account()).toEqual(expected)
  })

  it('setBlockGasLimit, setCoinbase and setNextBlockBaseFeePerGas change later blocks', async () => {
    const { client, latest } = await scene(mode)
    await client.setBlockGasLimit({ gasLimit: 9_000_000n })
    await client.setCoinbase({ address: STRANGER })
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 77n })
    await client.mine({ blocks: 1 })
    const { gasLimit, miner, baseFeePerGas } = await latest()
    expect({ gasLimit, miner, baseFeePerGas }).toEqual({
      gasLimit: 9_000_000n,
      miner: STRANGER,
      baseFeePerGas: 77n,
    })
    await client.mine({ blocks: 1 })
    const next = await latest()
    expect([next.gasLimit, next.miner, next.baseFeePerGas]).toEqual([9_000_000n, STRANGER, 68n])
  })

  it('setIntervalMining seals by the clock', async () => {
    const { chain, client } = await scene(mode)
    await client.setIntervalMining({ interval: 5 })
    await chain.clock.advance(15_000)
    expect(await client.getBlockNumber()).toBe(3n)
    await client.setIntervalMining({ interval: 0 })
    await chain.clock.advance(15_000)
    expect(await client.getBlockNumber()).toBe(3n)
  })

  it('setMinGasPrice refuses lower fee caps', async () => {
    const { client, pay } = await scene(mode)
    await client.setMinGasPrice({ gasPrice: 10n ** 11n })
    await expect(pay(0, 10n ** 11n - 1n)).rejects.toThrow('transaction underpriced')
    const hash: Hex = await pay(0, 10n ** 11n)
    await client.mine({ blocks: 1 })
    expect((await client.getTransactionReceipt({ hash })).status).toBe('success')
  })

  it('impersonateAccount and stopImpersonatingAccount let an account send without its key', async () => {
    const { client } = await scene(mode)
    await client.setBalance({ address: STRANGER, value: parseEther('1') })
    const send = () => client.sendTransaction({ account: STRANGER, to: STRANGER, value: 1n, gas: 21_000n })
    await expect(send()).rejects.toThrow()
    await client.impersonateAccount({ address: STRANGER })
    const hash = await send()
    await client.mine({ blocks: 1 })
    expect((await client.getTransaction({ hash })).from).toBe(STRANGER)
    await client.stopImpersonatingAccount({ address: STRANGER })
    await expect(send()).rejects.toThrow()
  })

  it('sendUnsignedTransaction sends for any account', async () => {
    const { client } = await scene(mode)
    await client.setBalance({ address: STRANGER, value: parseEther('1') })
    const hash = await client.sendUnsignedTransaction({ from: STRANGER, to: STRANGER, value: 1n })
    await client.mine({ blocks: 1 })
    expect((await client.getTransactionReceipt({ hash })).from).toBe(STRANGER)
  })

  it('setLoggingEnabled is accepted', async () => {
    const { client } = await scene(mode)
    expect(await client.setLoggingEnabled(true)).toBeUndefined()
    expect(await client.setLoggingEnabled(false)).toBeUndefined()
  })
})
