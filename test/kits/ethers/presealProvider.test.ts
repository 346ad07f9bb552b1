import { Contract, ContractFactory, Wallet } from 'ethers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainOptions, createManualClock, systemClock, type ViewKind } from '../../../src/index.ts'
import { PresealProvider } from '../../../src/kits/ethers/index.ts'
import { wiretap } from '../../clients/wiretap.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'

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

/** Lets ethers go on: an answer may take a turn of the event loop, and what follows it further ones. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await systemClock.yield()
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await systemClock.yield()
}

async function deployToken({ chain, signer }: Awaited<ReturnType<typeof start>>) {
  const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
  await chain.seal()
  await deployed.waitForDeployment()
  return new Contract(await deployed.getAddress(), Token.abi, signer)
}

/** The value or the error of a promise, if it has one by now. */
function progress<T>(promise: Promise<T>) {
  const now: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(now, { value }),
    (error) => Object.assign(now, { error }),
  )
  return now
}

describe.each(['standard', 'preconf'] as const)('PresealProvider on %s', (view) => {
  it('signs for the current id of the chain', async () => {
    const { chain, provider, signer, to } = await start(view)
    expect((await provider.getNetwork()).chainId).toBe(31_337n)
    for (const id of [5n, 6n]) {
      await provider.send('anvil_setChainId', [Number(id)])
      const { hash, chainId } = await signer.sendTransaction({ to, value: 1n })
      expect([chainId, (await provider.getNetwork()).chainId]).toEqual([id, id])
      expect((await chain.seal()).block.transactions.map((tx) => tx.hash)).toEqual([hash])
    }
  })

  it('pushes blocks, waiting transactions and logs without polling', async () => {
    const setup = await start(view)
    const { chain, provider, signer, tap, to } = setup
    const token = await deployToken(setup)
    const seen: unknown[] = []
    await provider.on('block', (number) => seen.push(number))
    await provider.on('pending', (hash) => seen.push(hash))
    await token.on('Transfer', (_from, _to, value) => seen.push(value))
    await flush()
    const sent = await token.getFunction('transfer')(to, 5n, { gasLimit: 100_000n })
    const methods = await tap.during(async () => {
      await chain.tick()
      await chain.seal()
      await flush()
    })
    // Logs are reported when they are pre-confirmed.
    expect(seen).toEqual(view === 'preconf' ? [sent.hash, 5n, 2] : [sent.hash, 2, 5n])
    expect(methods).toEqual([])
    await provider.removeAllListeners()
    await token.removeAllListeners()
    await flush()
    expect(tap.count('eth_unsubscribe')).toBeGreaterThanOrEqual(3)
    await signer.sendTransaction({ to, value: 1n })
    await chain.seal()
    await flush()
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

  it('ends if the chain is closed already', async () => {
    const chain = await startChain()
    await chain.close()
    const provider = new PresealProvider(chain, { view })
    await expect(provider.getNetwork()).rejects.toThrow()
    expect(provider.destroyed).toBe(true)
  })

  it('rejects a wait for an invalid hash at once', async () => {
    const { provider } = await start(view)
    for (const timeout of [undefined, 60_000]) {
      await expect(provider.waitForTransaction('0x12', 1, timeout)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
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
  it('resolves every wait at the tick, for transfers and contracts', async () => {
    const clock = createManualClock()
    const { signer, provider, to } = await start('preconf', { mining: 'interval', clock })
    const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
    const transfer = await signer.sendTransaction({ to, value: 1n })
    const waiting = [
      deployed.waitForDeployment().then(() => deployed.deploymentTransaction()!.wait()),
      transfer.wait(),
      transfer.wait(0),
      transfer.wait(1, 60_000),
      provider.waitForTransaction(transfer.hash),
      provider.waitForTransaction(transfer.hash, 1, 60_000),
    ].map(progress)
    await flush()
    await clock.advance(199)
    expect(waiting).toEqual(waiting.map(() => ({})))
    await clock.advance(1)
    expect(waiting.map(({ value }) => value?.status)).toEqual(waiting.map(() => 1))
    expect(await provider.getBlockNumber()).toBe(0)
    expect(await waiting[1]!.value!.confirmations()).toBe(1)
  })

  it('waits for further confirmations block by block', async () => {
    const { chain, signer, provider, to } = await start()
    const transfer = await signer.sendTransaction({ to, value: 1n })
    const waiting = [transfer.wait(2), provider.waitForTransaction(transfer.hash, 2)].map(progress)
    for (const block of [1, 2]) {
      await chain.tick()
      await flush()
      expect(waiting).toEqual([{}, {}])
      expect((await chain.seal()).block.number).toBe(`0x${block}`)
      await flush()
    }
    expect(waiting.map(({ value }) => value?.blockNumber)).toEqual([1, 1])
  })

  it('returns the current receipt, or null, if no confirmation is required', async () => {
    const { chain, provider, signer, to } = await start()
    const { hash } = await signer.sendTransaction({ to, value: 1n })
    expect(await provider.getTransactionReceipt(hash)).toBeNull()
    expect(await provider.waitForTransaction(hash, 0)).toBeNull()
    await chain.tick()
    expect(await provider.getTransactionReceipt(hash)).toMatchObject({ hash, status: 1 })
    expect(await provider.waitForTransaction(hash, 0)).toMatchObject({ hash, status: 1 })
  })

  it('reports each log of a block once, at its tick', async () => {
    const setup = await start()
    const token = await deployToken(setup)
    const seen: unknown[] = []
    await token.on('Transfer', (_from, _to, value, { log }) => seen.push([value, log.index]))
    await flush()
    for (const value of [5n, 6n]) {
      await token.getFunction('transfer')(setup.to, value, { gasLimit: 100_000n })
      await setup.chain.tick()
      await flush()
    }
    expect(seen).toEqual([
      [5n, 0],
      [6n, 1],
    ])
    await setup.chain.seal()
    await flush()
    expect(seen).toHaveLength(2)
    await token.removeAllListeners()
  })

  it('reads pre-confirmed state if no block is named', async () => {
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

  it('shares subscriptions among all waits, and ends them after the last', async () => {
    const { chain, provider, signer, tap, to } = await start()
    const { hash: one } = await signer.sendTransaction({ to, value: 1n })
    const { hash: two } = await signer.sendTransaction({ to, value: 2n })
    const receipts = Promise.all([one, two, one].map((hash) => provider.waitForTransaction(hash)))
    await flush()
    expect(tap.count('eth_subscribe')).toBe(2)
    await chain.tick()
    expect((await receipts).map((receipt) => receipt!.index)).toEqual([0, 1, 0])
    await until(() => tap.count('eth_unsubscribe') >= 2)
    await flush()
    expect(tap.count('eth_unsubscribe')).toBe(2)
  })

  it('throws if a transaction is replaced, or not included in time', async () => {
    const { chain, provider, signer, tap, to } = await start()
    const options = { to, nonce: 0, gasLimit: 21_000n, maxPriorityFeePerGas: 1n, maxFeePerGas: 10n ** 10n }
    const replaced = await signer.sendTransaction({ ...options, value: 1n })
    const failure = replaced.wait(0).catch((error: unknown) => error)
    // ethers looks for a replacement at each block from its third subscription on.
    await until(() => tap.count('eth_subscribe') === 3)
    const fees = { maxFeePerGas: 2n * 10n ** 10n, maxPriorityFeePerGas: 2n }
    const replacement = await signer.sendTransaction({ ...options, ...fees, value: 2n })
    await chain.seal()
    expect(await failure).toMatchObject({
      code: 'TRANSACTION_REPLACED',
      receipt: { hash: replacement.hash },
    })
    const queued = await signer.sendTransaction({ ...options, nonce: 5 })
    await expect(queued.wait(1, 1)).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(provider.waitForTransaction(queued.hash, 1, 1)).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it('rejects every wait if the chain is closed', async () => {
    const { chain, provider, signer, to } = await start()
    const deployed = await new ContractFactory(Token.abi, Token.bytecode, signer).deploy()
    const sent = await signer.sendTransaction({ to, value: 1n })
    const waiting = [
      deployed.waitForDeployment(),
      sent.wait(),
      sent.wait(3),
      provider.waitForTransaction(sent.hash),
    ].map((promise) => progress<unknown>(promise))
    await flush()
    await chain.close()
    await flush()
    expect(waiting.map(({ error }) => error)).toEqual(
      waiting.map(() => expect.objectContaining({ code: 'UNSUPPORTED_OPERATION' })),
    )
  })

  it('throws if the transaction reverted', async () => {
    const setup = await start()
    const token = await deployToken(setup)
    const sent = await token.getFunction('transfer')(setup.to, 2n ** 255n, { gasLimit: 100_000n })
    const waiting = progress(sent.wait())
    await flush()
    await setup.chain.tick()
    await flush()
    expect(waiting.error).toMatchObject({ code: 'CALL_EXCEPTION' })
  })
})
