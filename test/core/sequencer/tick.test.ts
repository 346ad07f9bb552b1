import { encodeFunctionData, type Hex, parseEther, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import { realNow, replaceRealTime } from '../../../src/base/clock.ts'
import { createManualClock } from '../../../src/base/manualClock.ts'
import { type ChainParts, type Core, openCore } from '../../../src/core/open/core.ts'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { Transaction } from '../../../src/ethereum/transaction.ts'
import type { ChainOptions, Hash, PresealChain } from '../../../src/index.ts'
import { Delegate, Factory } from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { startAfter } from '../../suspending.ts'
import { hashesOf, RECIPIENT, send, sign, TestClock } from './support.ts'

/** Calls `before` before every execution of a transaction. */
function executing(before: (tx: Transaction) => unknown): ChainParts {
  return {
    executor: (own) => ({
      ...own,
      execute: (execution) => startAfter(before(execution.tx as Transaction), () => own.execute(execution)),
    }),
  }
}

function recordDrops(chain: PresealChain) {
  const drops: { hash: Hash; reason: string }[] = []
  chain.on('dropped', ({ hash, reason }) => drops.push({ hash, reason }))
  return drops
}

const statusOf = (chain: PresealChain, hash: Hash) =>
  chain.preconf.request({ method: 'chain_transactionStatus', params: [hash] })

/** A chain, and a tick that takes no turn, as those of the timer under the system clock: sends do not wait for it. */
async function startUnordered(options: ChainOptions, parts: ChainParts) {
  let core: Core | undefined
  const inspect = (opened: Core): void => {
    core = opened
  }
  const chain = await startChain(options, { ...parts, inspect })
  const tick = async (): Promise<Hash[]> => {
    const { block } = await core!.sequencer.tick()
    return block.transactions.map(({ hash }) => hash)
  }
  return { chain, tick }
}

describe('tick', () => {
  it('stops between transactions when its time is up, publishes, and leaves the rest in the mempool', async () => {
    const clock = new TestClock()
    const chain = await startChain(
      { mining: 'interval', clock, tickBudget: 100 },
      executing(() => (clock.time += 40)),
    )
    const preconfBlocks: Hash[][] = []
    chain.on('preconf', (preconfBlock) => preconfBlocks.push(hashesOf(preconfBlock)))
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 8; nonce++) hashes.push(await send(chain, { nonce }))
    await clock.fire()
    expect(preconfBlocks).toEqual([hashes.slice(0, 3)])
    const status = await chain.preconf.request({ method: 'txpool_status', params: [] })
    expect(status).toEqual({ pending: '0x5', queued: '0x0' })
    await clock.fire()
    expect(preconfBlocks).toEqual([hashes.slice(0, 3), hashes.slice(0, 6)])
  })

  it('has no time limit if it is manual', async () => {
    const clock = new TestClock()
    const chain = await startChain(
      { clock, tickBudget: 1 },
      executing(() => (clock.time += 1000)),
    )
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 3; nonce++) hashes.push(await send(chain, { nonce }))
    expect(hashesOf(await chain.tick())).toEqual(hashes)
    hashes.push(await send(chain, { nonce: 3 }), await send(chain, { nonce: 4 }))
    expect(hashesOf(await chain.seal())).toEqual(hashes)
  })

  it('executes one transaction at least, however long it takes', async () => {
    const clock = new TestClock()
    const chain = await startChain(
      { mining: 'interval', clock, tickBudget: 1 },
      executing(() => (clock.time += 50)),
    )
    const preconfBlocks: Hash[][] = []
    chain.on('preconf', (preconfBlock) => preconfBlocks.push(hashesOf(preconfBlock)))
    const hashes = [await send(chain, { nonce: 0 }), await send(chain, { nonce: 1 })]
    await clock.fire()
    await clock.fire()
    expect(preconfBlocks).toEqual([hashes.slice(0, 1), hashes])
  })

  it('yields to the event loop between transactions once 10 ms of real time have passed', async () => {
    const clock = new TestClock()
    let now = realNow()
    onTestFinished(replaceRealTime(() => now))
    let step = 5
    const chain = await startChain(
      { clock },
      executing(() => (now += step)),
    )
    for (let nonce = 0; nonce < 7; nonce++) await send(chain, { nonce })
    await chain.tick()
    // After 10, 20 and 30 ms.
    expect(clock.yields).toBe(3)
    step = 1
    for (let nonce = 7; nonce < 17; nonce++) await send(chain, { nonce })
    await chain.tick()
    expect(clock.yields).toBe(3)
  })

  it('has no time limit under the manual clock', async () => {
    const chain = await startChain(
      { tickBudget: 1 },
      executing(() => chain.clock.advance(1000)),
    )
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 5; nonce++) hashes.push(await send(chain, { nonce }))
    expect(hashesOf(await chain.tick())).toEqual(hashes)
  })

  it('lets a transaction that does not fit wait with its later nonces, and includes others meanwhile', async () => {
    const chain = await startChain({ gasLimit: 100_000n })
    const first = await send(chain, { from: 0, nonce: 0, tip: 9n })
    const large = await send(chain, { from: 1, nonce: 0, tip: 8n, gas: 90_000n })
    const behind = await send(chain, { from: 1, nonce: 1, tip: 8n })
    const small = await send(chain, { from: 2, nonce: 0, tip: 1n })
    const drops = recordDrops(chain)
    expect(hashesOf(await chain.seal())).toEqual([first, small])
    expect(await statusOf(chain, large)).toEqual({ status: 'Known', stage: 'pending' })
    expect(hashesOf(await chain.seal())).toEqual([large, behind])
    expect(drops).toEqual([])
  })

  it('drops a transaction that no block will have room for', async () => {
    const { accounts } = await startChain()
    const genesis = toGethGenesis(resolveOptions({ hardfork: 'prague' }), accounts, 1_700_000_000n)
    const chain = await startChain({ genesis, accounts, gasLimit: 5_000_000n })
    const gas = 30_000_000n - 30_000_000n / 1024n + 1n
    const fits = await send(chain, { from: 0, nonce: 0, gas, tip: 2n })
    const waits = await send(chain, { from: 1, nonce: 0, gas })
    const drops = recordDrops(chain)
    expect(hashesOf(await chain.seal())).toEqual([fits])
    expect(drops).toEqual([])
    expect(hashesOf(await chain.seal())).toEqual([])
    expect(drops).toEqual([{ hash: waits, reason: 'invalid' }])
  })

  it('lets a transaction whose fee cap is below the base fee wait until that has fallen', async () => {
    const chain = await startChain({ initialBaseFeePerGas: 1000n })
    const hash = await send(chain, { nonce: 0, cap: 800n, tip: 0n })
    expect(await statusOf(chain, hash)).toEqual({ status: 'Known', stage: 'queued' })
    const included: number[] = []
    for (let number = 1; number <= 4; number++) {
      const { block } = await chain.seal()
      if (block.transactions.length > 0) included.push(number)
    }
    // 1000, an eighth less in each empty block: 875, 766.
    expect(included).toEqual([2])
  })

  it('drops a transaction that earlier ones left without funds, and lets its later nonces wait', async () => {
    const chain = await startChain()
    const { wallet } = viemOn(chain)
    const [, victim] = chain.accounts
    await wallet(0).deployContract(Delegate)
    const deployed = await chain.seal()
    const delegate = deployed.receipts[0]!.contractAddress!
    const authorization = await privateKeyToAccount(victim!.privateKey).signAuthorization({
      chainId: 31_337,
      address: delegate,
      nonce: 0,
    })
    await wallet(0).sendTransaction({ to: zeroAddress, authorizationList: [authorization], gas: 100_000n })
    await chain.seal()

    const poor = await send(chain, { from: 1, nonce: 1, value: parseEther('5000') })
    const behind = await send(chain, { from: 1, nonce: 2 })
    const drain = encodeFunctionData({
      abi: Delegate.abi,
      functionName: 'execute',
      args: [RECIPIENT, parseEther('6000'), '0x'],
    })
    const thief = await send(chain, {
      from: 2,
      nonce: 0,
      to: victim!.address,
      data: drain,
      value: 0n,
      gas: 200_000n,
      tip: 100n,
    })
    const drops: unknown[] = []
    chain.on('dropped', (drop) => drops.push(drop))
    expect(hashesOf(await chain.seal())).toEqual([thief])
    expect(drops).toEqual([
      { hash: poor, reason: 'funds', message: 'insufficient funds for gas * price + value' },
    ])
    expect(await statusOf(chain, poor)).toEqual({ status: 'Unknown', stage: 'dropped' })
    expect(await statusOf(chain, behind)).toEqual({ status: 'Known', stage: 'queued' })
    const again = await send(chain, { from: 1, nonce: 1 })
    expect(hashesOf(await chain.seal())).toEqual([again, behind])
  })

  it.each([
    ['in the same tick', true],
    ['in an earlier tick', false],
  ])('drops a transaction that lost its nonce to an authorisation %s', async (_when, together) => {
    const chain = await startChain()
    const account = privateKeyToAccount(chain.accounts[1]!.privateKey)
    const authorizations = await Promise.all([
      account.signAuthorization({ chainId: 31_337, address: RECIPIENT, nonce: 0 }),
      account.signAuthorization({ chainId: 31_337, address: RECIPIENT, nonce: 1 }),
    ])
    const sender = privateKeyToAccount(chain.accounts[0]!.privateKey)
    const raw = await sender.signTransaction({
      chainId: 31_337,
      nonce: 0,
      to: zeroAddress,
      gas: 200_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 100n,
      authorizationList: authorizations,
    })
    const drops = recordDrops(chain)
    const own: Hash[] = []
    // In the same tick, the first is executed and rejected; after a nonce gap it is not executed at all.
    for (const nonce of together ? [0, 1, 2] : [1, 2]) own.push(await send(chain, { from: 1, nonce }))
    await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
    await chain.tick()
    expect(drops).toEqual(own.slice(0, -1).map((hash) => ({ hash, reason: 'nonce' })))
    // The sender is delegated by now, and can still send.
    expect(hashesOf(await chain.seal()).slice(1)).toEqual(own.slice(-1))
  })

  it.each([
    ['is executed in the same tick', 10n ** 11n],
    ['is not executed for its low fee cap', 1000n],
  ])('drops what lost its nonce to a creation by delegated code, if it %s', async (_case, cap) => {
    const chain = await startChain()
    const { wallet } = viemOn(chain)
    const [, owner] = chain.accounts
    await wallet(0).deployContract(Factory)
    const factory = (await chain.seal()).receipts[0]!.contractAddress!
    const authorization = await privateKeyToAccount(owner!.privateKey).signAuthorization({
      chainId: 31_337,
      address: factory,
      nonce: 0,
    })
    await wallet(0).sendTransaction({ to: zeroAddress, authorizationList: [authorization], gas: 100_000n })
    await chain.seal()

    const waiting = await send(chain, { from: 1, nonce: 1, cap })
    const behind = await send(chain, { from: 1, nonce: 2 })
    const data = encodeFunctionData({ abi: Factory.abi, functionName: 'create', args: [7n] })
    const to = owner!.address
    const other = await send(chain, { from: 2, nonce: 0, to, data, value: 0n, gas: 500_000n, tip: 100n })
    const drops = recordDrops(chain)
    const preconfBlock = await chain.tick()
    expect(hashesOf(preconfBlock)[0]).toBe(other)
    expect(drops).toEqual([{ hash: waiting, reason: 'nonce' }])
    expect(await statusOf(chain, waiting)).toEqual({ status: 'Unknown', stage: 'dropped' })
    expect(hashesOf(await chain.seal())).toEqual([other, behind])
  })

  it('keeps one preconf block for each block hash of the slot, however often it is published', async () => {
    const errors: Error[] = []
    const options = resolveOptions({ mining: 'manual', clock: createManualClock() })
    const core = await openCore(options, {}, (error) => errors.push(error))
    onTestFinished(() => core.close())
    const { sequencer } = core
    const blocks: Hash[] = []
    for (let nonce = 0; nonce < 3; nonce++) {
      for (let i = 0; i < 100; i++) await sequencer.tick()
      blocks.push(sequencer.tip.preconf.block.hash)
      expect(sequencer.tip.preconfBlocks.map(({ block }) => block.hash)).toEqual(blocks)
      expect(sequencer.tip.preconfBlocks.at(-1)).toBe(sequencer.tip.preconf)
      await core.arrivals.sendRaw(hexToBytes(await sign(core, { nonce })), core.order.send(true))
    }
    expect(sequencer.tip.preconf.index).toBe(300)
    expect(errors).toEqual([])
  })

  it('keeps every preconf block of the slot available by its hash, even after ticks that changed nothing', async () => {
    const chain = await startChain()
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 3; nonce++) {
      for (let i = 0; i < 5; i++) hashes.push((await chain.tick()).block.hash)
      await send(chain, { nonce })
    }
    expect(new Set(hashes).size).toBe(3)
    const find = (hash: Hash) =>
      chain.preconf.request({ method: 'eth_getBlockByHash', params: [hash, false] })
    const found = async () => (await Promise.all(hashes.map(find))).map((block) => block?.hash)
    expect(await found()).toEqual(hashes)
    await chain.seal()
    expect(await found()).toEqual(hashes)
  })

  it('lets readers go on at the old tip while a long transaction is executed', async () => {
    // The other engine runs an execution to its end.
    const chain = await startChain({ engine: 'preseal' })
    const loop: Hex = '0x5b5f50600056'
    await ask(chain.preconf, 'anvil_setCode', [RECIPIENT, loop])
    const hash = await send(chain, { nonce: 0, gas: 10_000_000n })
    let now = realNow()
    onTestFinished(replaceRealTime(() => ++now))
    let isTicking = true
    const ticking = chain.tick().finally(() => {
      isTicking = false
    })
    const seen: unknown[] = []
    while (isTicking) seen.push(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash]))
    await ticking
    expect(seen.length).toBeGreaterThan(10)
    expect(seen.slice(0, -1).every((receipt) => receipt === null)).toBe(true)
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      status: '0x0',
      gasUsed: '0x989680',
    })
  })

  it('rejects a replacement of a transaction that is being executed or is about to be published', async () => {
    let during: () => Promise<unknown> = async () => {}
    const { chain, tick } = await startUnordered(
      {},
      {
        executor: (own) => ({
          execute: (execution) => startAfter(during(), () => own.execute(execution)),
          systemCall: (...args) => startAfter(during(), () => own.systemCall(...args)),
        }),
      },
    )
    const hash = await send(chain, { nonce: 0 })
    const replacement = await sign(chain, { nonce: 0, tip: 100n, cap: 2n * 10n ** 11n })
    const answers: unknown[] = []
    during = async () => {
      const answer = chain.preconf.request({ method: 'eth_sendRawTransaction', params: [replacement] })
      answers.push(await answer.catch(({ code, message }) => ({ code, message })))
    }
    expect(await tick()).toEqual([hash])
    // Once during its execution, twice during the system calls at the end of the block.
    const refused = { code: -32000, message: 'nonce too low' }
    expect(answers).toEqual([refused, refused, refused])
    during = async () => {}
    await chain.seal()
  })

  it('lets a transaction be replaced after it failed', async () => {
    let failing = true
    const chain = await startChain(
      {},
      executing(() => {
        if (failing) throw new Error('engine')
      }),
    )
    await send(chain, { nonce: 0 })
    await expect(chain.tick()).rejects.toThrow('engine')
    failing = false
    const replacement = await send(chain, { nonce: 0, tip: 100n, cap: 2n * 10n ** 11n })
    expect(hashesOf(await chain.seal())).toEqual([replacement])
  })

  it('leaves a transaction that was replaced before its execution to the next tick', async () => {
    let during: (tx: Transaction) => Promise<unknown> = async () => {}
    const { chain, tick } = await startUnordered(
      {},
      executing((tx) => during(tx)),
    )
    const first = await send(chain, { from: 0, nonce: 0, tip: 9n })
    const replaced = await send(chain, { from: 1, nonce: 0, tip: 1n })
    const behind = await send(chain, { from: 1, nonce: 1, tip: 1n })
    const drops = recordDrops(chain)
    let replacement: Hash | undefined
    during = async () => {
      replacement ??= await send(chain, { from: 1, nonce: 0, tip: 5n, cap: 2n * 10n ** 11n })
    }
    expect(await tick()).toEqual([first])
    expect(hashesOf(await chain.seal())).toEqual([first, replacement, behind])
    expect(drops).toEqual([{ hash: replaced, reason: 'replaced' }])
  })

  it('evicts no transaction that is being executed', async () => {
    let during: () => Promise<unknown> = async () => {}
    const { chain, tick } = await startUnordered(
      { mempool: { maxTransactions: 1 } },
      executing(() => during()),
    )
    const hash = await send(chain, { from: 0, nonce: 0 })
    const drops = recordDrops(chain)
    during = async () => {
      await expect(send(chain, { from: 1, nonce: 0, tip: 50n })).rejects.toThrow('transaction underpriced')
    }
    expect(await tick()).toEqual([hash])
    during = async () => {}
    const newcomer = await send(chain, { from: 1, nonce: 0, tip: 50n })
    expect(hashesOf(await chain.seal())).toEqual([hash, newcomer])
    expect(drops).toEqual([])
  })

  it('leaves a transaction that arrives meanwhile to the next tick', async () => {
    let late: Hash | undefined
    const { chain, tick } = await startUnordered(
      {},
      executing(async () => {
        late ??= await send(chain, { from: 1, nonce: 0, tip: 50n })
      }),
    )
    const hash = await send(chain, { from: 0, nonce: 0 })
    expect(await tick()).toEqual([hash])
    expect(await tick()).toEqual([hash, late])
  })

  it.each([
    ['a tick at another time', (chain: TestChain) => chain.clock.advance(2000).then(() => chain.tick())],
    [
      'a cheat',
      (chain: TestChain, i: number) => ask(chain.standard, 'anvil_setBalance', [RECIPIENT, `0x${i}`]),
    ],
    [
      'a setting',
      (chain: TestChain, i: number) => ask(chain.standard, 'anvil_setCoinbase', [`0x${`${i}`.repeat(40)}`]),
    ],
  ] as const)('replaces empty preconf blocks by the next empty one: %s', async (_name, renew) => {
    const chain = await startChain()
    const seen: unknown[] = []
    const record = async () => {
      const block = await chain.preconf.request({
        method: 'eth_getBlockByNumber',
        params: ['pending', false],
      })
      seen.push(block!.hash)
    }
    const found = async () => {
      const blocks = await Promise.all(
        seen.map((hash) => ask(chain.preconf, 'eth_getBlockByHash', [hash, false])),
      )
      return blocks.map((block) => block !== null)
    }
    await record()
    for (const i of [1, 2, 3]) {
      await renew(chain, i)
      await record()
    }
    expect(new Set(seen).size).toBe(4)
    expect(await found()).toEqual([false, false, false, true])
    await send(chain, { nonce: 0 })
    await chain.tick()
    await record()
    expect(await found()).toEqual([false, false, false, true, true])
  })
})
