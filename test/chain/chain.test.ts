import { createPublicClient, createWalletClient, custom, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { InvalidOptionError } from '../../src/base/errors.ts'
import { hardforkConfig } from '../../src/ethereum/rules.ts'
import {
  type ChainSchedule,
  createManualClock,
  type ManualClock,
  type PresealChain,
  type Provider,
  systemClock,
} from '../../src/index.ts'
import { startChain } from '../harness.ts'
import { send } from '../rpc/scene.ts'

describe('chain', () => {
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
    const preconfBlock = await chain.tick()
    expect(preconfBlock.block.transactions.map((tx) => tx.hash)).toEqual([hash])
    expect(await preconf.getBalance({ address: to, blockTag: 'pending' })).toBe(before + parseEther('1'))
    expect(await preconf.getBalance({ address: to })).toBe(before)
    expect(await standard.getBalance({ address: to, blockTag: 'pending' })).toBe(before)
    expect((await preconf.getTransactionReceipt({ hash })).blockHash).toBe(preconfBlock.block.hash)

    const sealed = await chain.seal()
    expect(sealed.block.hash).toBe(preconfBlock.block.hash)
    expect(await standard.getBalance({ address: to })).toBe(before + parseEther('1'))
    expect((await standard.getTransactionReceipt({ hash })).blockHash).toBe(preconfBlock.block.hash)
  })

  it.each<[string, unknown[], string]>([
    ['an unknown view', ['foo'], "invalid option view: expected 'standard' or 'preconf'"],
    ['no view', [], "invalid option view: expected 'standard' or 'preconf'"],
    [
      'an unknown default block',
      ['preconf', { defaultBlock: 'safe' }],
      "invalid option defaultBlock: expected 'latest' or 'pending'",
    ],
    [
      'an unknown pendingNonce',
      ['standard', { pendingNonce: true }],
      "invalid option pendingNonce: expected 'preconf' or 'pool'",
    ],
  ])('refuses a provider with %s', async (_name, args, message) => {
    const chain = await startChain()
    const connect = () => (chain.provider as (...args: unknown[]) => unknown)(...args)
    expect(connect).toThrow(InvalidOptionError)
    expect(connect).toThrow(expect.objectContaining({ message }))
  })

  it('advances its clock, and runs everything that is due', async () => {
    const chain = await startChain({ mining: 'interval', clock: createManualClock() })
    await chain.advance(4000)
    expect([chain.clock.elapsed, await chain.standard.request({ method: 'eth_blockNumber' })]).toEqual([
      4000,
      '0x2',
    ])
    await expect(chain.advance(-1)).rejects.toThrow(InvalidOptionError)
    expect(chain.clock.elapsed).toBe(4000)
  })

  it('cannot be advanced after it is closed, but its clock can', async () => {
    const chain = await startChain()
    await chain.close()
    await expect(chain.advance(1)).rejects.toMatchObject({ code: 4900 })
    expect(chain.clock.elapsed).toBe(0)
    await chain.clock.advance(1)
    expect(chain.clock.elapsed).toBe(1)
  })

  it('cannot be advanced with a clock that is not manual', async () => {
    const chain: PresealChain = await startChain({ clock: systemClock })
    await expect((chain as PresealChain<ManualClock>).advance(1)).rejects.toMatchObject({
      name: 'ClockNotManualError',
      message:
        "the chain's clock is not manual, so it cannot be advanced; start the chain with createChain({ clock: createManualClock() })",
    })
  })

  it('has the chain id, block time and preconf interval of options and cheats (chain/DECISIONS.md 64)', async () => {
    const chain = await startChain({ chainId: 10, blockTime: 1000, preconfInterval: 300 })
    const settings = () => [chain.chainId, chain.blockTime, chain.preconfInterval]
    const request = (method: string, ...params: unknown[]) => chain.standard.request({ method, params })
    const schedules: ChainSchedule[] = []
    chain.on('schedule', (schedule) => schedules.push(schedule))
    expect(settings()).toEqual([10, 1000, 300])

    const id = await chain.snapshot()
    await request('anvil_setChainId', 11)
    await request('anvil_setIntervalMining', 5)
    expect(settings()).toEqual([11, 5000, 300])
    // A seal publishes a preconf block too.
    await request('evm_setIntervalMining', 100)
    await request('evm_setIntervalMining', 100)
    expect(settings()).toEqual([11, 100, 100])
    // Snapshots do not cover the mining mode; without the timer, a chain still has a block time.
    await chain.revert(id)
    await request('anvil_setIntervalMining', 0)
    expect(settings()).toEqual([10, 100, 100])
    expect(schedules).toEqual([
      { blockTime: 5000, preconfInterval: 300 },
      { blockTime: 100, preconfInterval: 100 },
    ])
    await chain.close()
    expect(settings()).toEqual([10, 100, 100])
  })

  it('has block time and interval by default, and the chain id of its genesis', async () => {
    const { chainId, blockTime, preconfInterval } = await startChain()
    expect([chainId, blockTime, preconfInterval]).toEqual([31_337, 2000, 200])
    const genesis = { config: hardforkConfig(7, 'prague'), alloc: {}, gasLimit: '0x1c9c380' }
    expect((await startChain({ genesis })).chainId).toBe(7)
  })

  it('defaults to pending reads on live, and to the reads of the specification on preconf', async () => {
    const chain = await startChain()
    const [alice, bob] = chain.accounts
    const before = await chain.live.request({ method: 'eth_getBalance', params: [bob!.address] })
    await send(chain, 0, { nonce: 0, to: bob!.address, value: 5n })
    await chain.tick()
    await send(chain, 0, { nonce: 1, to: bob!.address, value: 7n })
    const read = async (provider: Provider) => [
      BigInt(await provider.request({ method: 'eth_getBalance', params: [bob!.address] })) - BigInt(before),
      await provider.request({ method: 'eth_getTransactionCount', params: [alice.address, 'pending'] }),
    ]
    expect(await read(chain.live)).toEqual([5n, '0x2'])
    expect(await read(chain.preconf)).toEqual([0n, '0x1'])
    expect(await read(chain.standard)).toEqual([0n, '0x2'])
    const options = { defaultBlock: 'pending', pendingNonce: 'pool' } as const
    expect(await read(chain.provider('preconf', options))).toEqual(await read(chain.live))
  })

  it.each(['standard', 'preconf', 'live'] as const)('connects %s once, at its first use', async (name) => {
    const chain = await startChain()
    const events: unknown[] = []
    const connection = chain[name].on('connect', (info) => events.push(info))
    expect(events).toEqual([])
    expect(chain[name]).toBe(connection)
    expect(await connection.request({ method: 'eth_chainId' })).toBe('0x7a69')
    expect(events).toEqual([{ chainId: '0x7a69' }])
    expect(new Set([chain.standard, chain.preconf, chain.live]).size).toBe(3)
    await chain.close()
    expect([chain.standard, chain.preconf, chain.live].map(({ closed }) => closed)).toEqual([
      true,
      true,
      true,
    ])
  })

  it('answers an internal failure with -32603, and emits one error event', async () => {
    const failure = new Error('engine')
    const chain = await startChain(
      {},
      {
        executor: (own) => ({
          ...own,
          execute: () => {
            throw failure
          },
        }),
      },
    )
    const call = () =>
      chain.preconf
        .request({ method: 'eth_call', params: [{ to: chain.accounts[0]!.address }, 'latest'] })
        .catch((error: unknown) => error)
    const answer = { name: 'InternalError', code: -32603, message: 'internal error', cause: failure }

    // An uncaught error would fail the run.
    expect(await call()).toMatchObject(answer)
    await systemClock.yield()

    const errors: Error[] = []
    chain.on('error', (error) => errors.push(error))
    expect(await call()).toMatchObject(answer)
    expect(await chain.preconf.request({ method: 'eth_foo' }).catch(({ code }) => code)).toBe(-32601)
    await systemClock.yield()
    expect(errors).toEqual([failure])
  })
})
