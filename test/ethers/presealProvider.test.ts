import { Contract, ContractFactory, Wallet } from 'ethers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PresealProvider } from '../../src/ethers/index.ts'
import { type ChainOptions, createManualClock, systemClock, type ViewKind } from '../../src/index.ts'
import { wiretap } from '../clients/wiretap.ts'
import { Token } from '../contracts/artifacts.ts'
import { startChain } from '../harness.ts'

async function start(view: ViewKind = 'preconf', options: ChainOptions = {}) {
  const chain = await startChain(options)
  let tap: ReturnType<typeof wiretap> | undefined
  const provider = new PresealProvider(
    {
      provider(...args) {
        const connection = chain.provider(...args)
        const request = connection.request.bind(connection)
        tap = wiretap({ ...connection, request } as typeof connection)
        return Object.assign(connection, { request: tap.request }) as typeof connection
      },
    },
    { view },
  )
  onTestFinished(() => provider.destroy())
  const signer = new Wallet(chain.accounts[0]!.privateKey, provider)
  return { chain, provider, signer, tap: tap!, to: chain.accounts[1]!.address }
}

const settled = () => systemClock.yield()

async function deployToken({ chain, signer }: Awaited<ReturnType<typeof start>>) {
  const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
  await chain.seal()
  await deployed.waitForDeployment()
  return new Contract(await deployed.getAddress(), Token.abi, signer)
}

/** What a promise came to so far. */
function progress<T>(promise: Promise<T>) {
  const now: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(now, { value }),
    (error) => Object.assign(now, { error }),
  )
  return now
}

describe.each(['standard', 'preconf'] as const)('PresealProvider on %s', (view) => {
  it('pushes blocks, waiting transactions and logs, and polls for nothing', async () => {
    const setup = await start(view)
    const { chain, provider, signer, tap, to } = setup
    const token = await deployToken(setup)
    const seen: unknown[] = []
    await provider.on('block', (number) => seen.push(number))
    await provider.on('pending', (hash) => seen.push(hash))
    await token.on('Transfer', (_from, _to, value) => seen.push(value))
    await settled()
    const sent = await token.getFunction('transfer')(to, 5n, { gasLimit: 100_000n })
    const asked = await tap.during(async () => {
      await chain.tick()
      await chain.seal()
      await settled()
    })
    expect(seen).toEqual([sent.hash, 2, 5n])
    expect(asked).toEqual([])
    await provider.removeAllListeners()
    await token.removeAllListeners()
    await settled()
    expect(tap.count('eth_unsubscribe')).toBeGreaterThanOrEqual(3)
    await signer.sendTransaction({ to, value: 1n })
    await chain.seal()
    await settled()
    expect(seen).toHaveLength(3)
  })

  it('ends with the chain', async () => {
    const { chain, provider, tap } = await start(view)
    await provider.getNetwork()
    await chain.close()
    expect(provider.destroyed).toBe(true)
    await expect(provider.getBlockNumber()).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' })
    expect(tap.count('eth_blockNumber')).toBe(0)
  })

  it('ends where the chain has ended before', async () => {
    const chain = await startChain()
    await chain.close()
    const provider = new PresealProvider(chain, { view })
    await expect(provider.getNetwork()).rejects.toThrow()
    expect(provider.destroyed).toBe(true)
  })

  it('reports errors as ethers does', async () => {
    const { provider, signer, to } = await start(view)
    const poor = Wallet.createRandom(provider)
    await expect(poor.sendTransaction({ to, value: 1n })).rejects.toMatchObject({
      code: 'INSUFFICIENT_FUNDS',
    })
    const used = { to, value: 1n, gasLimit: 21_000n }
    await signer.sendTransaction({ ...used, nonce: 0 })
    await expect(signer.sendTransaction({ ...used, nonce: 0, value: 2n })).rejects.toMatchObject({
      code: 'REPLACEMENT_UNDERPRICED',
    })
  })
})

describe('PresealProvider on preconf', () => {
  it.each([0, 1])('resolves wait(%i) at the tick, of transfers and contracts alike', async (confirms) => {
    const clock = createManualClock()
    const { signer, provider, to } = await start('preconf', { mining: 'interval', clock })
    const factory = new ContractFactory(Token.abi, Token.bytecode, signer)
    const deployed = await factory.deploy()
    const transfer = await signer.sendTransaction({ to, value: 1n })
    const waiting = [deployed.deploymentTransaction()!, transfer].map((sent) => progress(sent.wait(confirms)))
    await settled()
    await clock.advance(199)
    await settled()
    expect(waiting).toEqual([{}, {}])
    await clock.advance(1)
    await settled()
    expect(waiting.map(({ value }) => value?.status)).toEqual([1, 1])
    expect(await provider.getBlockNumber()).toBe(0)
  })

  it('reads what is pre-confirmed where no block is named', async () => {
    const setup = await start()
    const { chain, provider, to } = setup
    const token = await deployToken(setup)
    const before = await provider.getBalance(to)
    await token.getFunction('transfer')(to, 7n)
    await setup.signer.sendTransaction({ to, value: 1n })
    await chain.tick()
    expect(await token.getFunction('balanceOf')(to)).toBe(7n)
    expect((await provider.getBalance(to)) - before).toBe(1n)
    expect((await provider.getBlock('latest'))!.number).toBe(1)
    expect(await provider.getBalance(to, 'latest')).toBe(before)
  })

  it('subscribes while somebody waits, and for all of them once', async () => {
    const { chain, signer, tap, to } = await start()
    const sent = [
      await signer.sendTransaction({ to, value: 1n }),
      await signer.sendTransaction({ to, value: 2n }),
    ]
    const receipts = Promise.all([...sent, sent[0]!].map((transaction) => transaction.wait(0)))
    await settled()
    expect(tap.count('eth_subscribe')).toBe(2)
    await chain.tick()
    expect((await receipts).map((receipt) => receipt!.index)).toEqual([0, 1, 0])
    await settled()
    expect(tap.count('eth_unsubscribe')).toBe(2)
  })

  it('waits for nothing that does not come', async () => {
    const { chain, provider, signer, to } = await start()
    expect(await provider.getTransactionReceipt(`0x${'11'.repeat(32)}`)).toBeNull()
    const queued = await signer.sendTransaction({ to, value: 1n, nonce: 5, gasLimit: 21_000n })
    expect(await queued.wait(0)).toBeNull()
    const options = { to, nonce: 0, gasLimit: 21_000n, maxPriorityFeePerGas: 1n }
    const replaced = await signer.sendTransaction({ ...options, value: 1n, maxFeePerGas: 10n ** 10n })
    const waiting = replaced.wait(0)
    await settled()
    await signer.sendTransaction({
      ...options,
      value: 2n,
      maxFeePerGas: 2n * 10n ** 10n,
      maxPriorityFeePerGas: 2n,
    })
    await chain.seal()
    expect(await waiting).toBeNull()
  })

  it('lets go of those who wait where the chain ends', async () => {
    const { chain, signer, to } = await start()
    const sent = await signer.sendTransaction({ to, value: 1n })
    const waiting = progress(sent.wait(0))
    await settled()
    await chain.close()
    await settled()
    expect(waiting.error).toMatchObject({ code: 'UNSUPPORTED_OPERATION' })
  })

  it('throws what reverted', async () => {
    const setup = await start()
    const token = await deployToken(setup)
    const sent = await token.getFunction('transfer')(setup.to, 2n ** 255n, { gasLimit: 100_000n })
    const waiting = progress(sent.wait(0))
    await settled()
    await setup.chain.tick()
    await settled()
    expect(waiting.error).toMatchObject({ code: 'CALL_EXCEPTION' })
  })
})
