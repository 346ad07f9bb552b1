/** A chain that continues another one from a block on. */
import { encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { createManualClock, type Hex } from '../../../src/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ALICE } from '../../signing.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { startForkScene } from './forkScene.ts'
import { between, forkOf } from './remoteChain.ts'

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const SLOT_0 = `0x${'00'.repeat(32)}` as const
const ONE = `0x${'01'.padStart(64, '0')}` as const
const NOTHING = SLOT_0
/** Where tests put code. */
const AT = `0x${'ab'.repeat(20)}` as const

const transfer = (nonce: number, more: object = {}) => ({ nonce, value: 5n, ...more })

async function submit(chain: TestChain, plan: Parameters<typeof sign>[1]): Promise<unknown> {
  return ask(chain.preconf, 'eth_sendRawTransaction', [await sign(chain, plan)])
}

/** A chain with a sealed block, in which {@link RECIPIENT} got 7 wei. */
async function startRemote(): Promise<TestChain> {
  const remote = await startChain({}, {}, { skipHeaderValidation: true })
  await submit(remote, { nonce: 0, value: 7n })
  await remote.seal()
  return remote
}

describe('a fork', () => {
  it('starts on the head of the forked chain, and goes on by itself', async () => {
    const remote = await startRemote()
    const chain = await forkOf(remote.standard)
    expect(chain.chainId).toBe(31_337)
    const { hash: parentHash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as {
      hash: string
    }
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
    expect(await ask(chain.standard, 'eth_getTransactionCount', [ALICE, 'latest'])).toBe('0x1')
    const hash = await submit(chain as TestChain, transfer(1))
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getBalance', [RECIPIENT, 'pending'])).toBe('0xc')
    const { block } = await chain.seal()
    expect(block).toMatchObject({ number: '0x2', parentHash, transactions: [{ hash }] })
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0xc')
    expect(await ask(remote.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
  })

  it('shows nothing that the forked chain does later', async () => {
    const remote = await startRemote()
    const chain = await forkOf(remote.standard)
    await submit(remote, transfer(1))
    await ask(remote.standard, 'anvil_setStorageAt', [AT, SLOT_0, ONE])
    await remote.seal()
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
    expect(await ask(chain.standard, 'eth_getStorageAt', [AT, SLOT_0, 'latest'])).toBe(NOTHING)
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
  })

  it('can begin at an older block, by number and by hash', async () => {
    const remote = await startRemote()
    const genesis = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x0', false])) as {
      hash: `0x${string}`
    }
    for (const block of [0, genesis.hash]) {
      const chain = await forkOf(remote.standard, { fork: { block } })
      expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x0')
      expect((await chain.seal()).block).toMatchObject({ number: '0x1', parentHash: genesis.hash })
    }
  })

  it('can itself be forked', async () => {
    const remote = await startRemote()
    const first = (await forkOf(remote.standard)) as TestChain
    await submit(first, transfer(1))
    await first.seal()
    const second = (await forkOf(first.standard)) as TestChain
    await submit(second, transfer(2))
    await second.seal()
    const balances = [remote, first, second].map((chain) =>
      ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest']),
    )
    expect(await Promise.all(balances)).toEqual(['0x7', '0xc', '0x11'])
  })

  it('reverts to snapshots and reorganises its own blocks, but not those before the fork', async () => {
    const remote = await startRemote()
    const chain = (await forkOf(remote.standard)) as TestChain
    const balance = () => ask(chain.preconf, 'eth_getBalance', [RECIPIENT, 'pending'])
    const id = await chain.snapshot()
    await submit(chain, transfer(1))
    await chain.seal()
    expect(await balance()).toBe('0xc')
    await chain.revert(id)
    expect(await balance()).toBe('0x7')
    await submit(chain, transfer(1))
    await chain.seal()
    await chain.reorg({ depth: 1, replace: [[]] })
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
    await expect(chain.reorg({ depth: 2, replace: [] })).rejects.toThrow('state not available')
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x2')
  })

  it("has the node's proofs of the forked block, until a cheat writes to its state", async () => {
    const { remote, fork } = await startForkScene()
    const [alice] = remote.accounts
    const proof = () => ask(fork.standard, 'eth_getProof', [alice, [], 'latest'])
    expect(await proof()).toEqual(await ask(remote.chain.standard, 'eth_getProof', [alice, [], 'latest']))
    await fork.setBalance(alice!, 16n)
    const { hash } = (await ask(fork.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hex }
    await fork.seal()
    expect([
      await ask(fork.standard, 'eth_getProof', [alice, [], hash]),
      await ask(fork.standard, 'eth_getProof', [alice, [], '0x2']),
    ]).toEqual(Array.from({ length: 2 }, () => 'error -32000 state not available'))
  })

  it('has no state of the forked block once it has left the history, but its place', async () => {
    const { remote, fork } = await startForkScene({ history: { blocks: 2, proofs: 1 } })
    const [alice] = remote.accounts
    await fork.setBalance(alice!, 16n)
    const config = await ask(fork.standard, 'eth_config')
    for (let i = 0; i < 3; i++) await fork.seal()
    const unavailable = 'error -32000 state not available'
    expect(await ask(fork.standard, 'eth_getBalance', [alice, '0x2'])).toBe(unavailable)
    expect(await ask(fork.standard, 'eth_getProof', [alice, [], '0x2'])).toBe(unavailable)
    expect(await ask(fork.standard, 'eth_config')).toEqual(config)
    const capabilities = await ask(fork.standard, 'eth_capabilities')
    expect(capabilities).toEqual(expect.objectContaining({ head: expect.anything() }))
  })

  it('has no proofs, since the trie of the forked state is not known', async () => {
    const chain = await forkOf((await startRemote()).standard)
    await chain.seal()
    expect(await ask(chain.standard, 'eth_getProof', [ALICE, [], 'latest'])).toBe(
      'error -32000 a fork has no proofs of the blocks that it makes; to fork it, set fork.verify to false',
    )
  })

  it('never reads from the forked chain what was deleted or cleared, also after pruning', async () => {
    const remote = await startChain({}, {}, { skipHeaderValidation: true })
    // Stores the first word of its calldata in slot 0; without calldata it destroys itself.
    const code = '0x3615600a575f355f55005b33ff'
    await ask(remote.standard, 'anvil_setCode', [AT, code])
    await ask(remote.standard, 'anvil_setStorageAt', [AT, SLOT_0, ONE])
    await remote.seal()
    const chain = (await forkOf(remote.standard, {
      history: { blocks: 2, proofs: 1 },
      hardfork: 'shanghai',
    })) as TestChain
    const slot = () => ask(chain.preconf, 'eth_getStorageAt', [AT, SLOT_0, 'pending'])
    const call = (nonce: number, data?: `0x${string}`) =>
      submit(chain, { nonce, to: AT, value: 0n, gas: 100_000n, ...(data && { data }) })
    const id = await chain.snapshot()
    await call(0, SLOT_0)
    await chain.seal()
    expect(await slot()).toBe(NOTHING)
    await chain.revert(id)
    expect(await slot()).toBe(ONE)
    await call(0, SLOT_0)
    await ask(chain.standard, 'anvil_mine', ['0x5'])
    expect(await slot()).toBe(NOTHING)
    await call(1)
    await ask(chain.standard, 'anvil_mine', ['0x5'])
    expect(await ask(chain.standard, 'eth_getCode', [AT, 'latest'])).toBe('0x')
    await ask(chain.standard, 'anvil_setCode', [AT, code])
    await ask(chain.standard, 'anvil_mine', ['0x5'])
    expect(await slot()).toBe(NOTHING)
  })

  it('has the same blocks whatever the latency and however the state was read before', async () => {
    const remote = await startRemote()
    const run = async (isWarm: boolean, slowly: boolean): Promise<unknown> => {
      const wait = slowly ? () => systemClock.yield() : undefined
      const chain = (await forkOf(between(remote.standard, wait))) as TestChain
      if (isWarm) await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])
      await submit(chain, transfer(1))
      await submit(chain, transfer(0, { from: 1, to: AT }))
      await chain.clock.advance(10_000)
      await chain.seal()
      await ask(chain.standard, 'anvil_setStorageAt', [AT, SLOT_0, ONE])
      return (await chain.seal()).block.hash
    }
    const hashes = [await run(false, false), await run(true, false), await run(false, true)]
    expect(new Set(hashes).size).toBe(1)
  })

  it('names the request that fails, and succeeds once it is repeated', async () => {
    const remote = await startRemote()
    const steps = async (chain: TestChain) => [
      await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest']),
      await ask(chain.preconf, 'eth_call', [{ to: AT, data: '0x01' }, 'pending']),
      await submit(chain, transfer(1)),
    ]
    const whole = between(remote.standard)
    const expected = await steps((await forkOf(whole)) as TestChain)
    for (let failing = 0; failing < whole.asked.length; failing++) {
      let failed = false
      const flaky = between(remote.standard, ({ method }, index) => {
        if (index !== failing || method === 'eth_config' || method === 'eth_createAccessList')
          return undefined
        failed = true
        throw Object.assign(new Error('out of order'), { code: -32_000 })
      })
      const started = await forkOf(flaky).catch((error: Error) => error)
      if (started instanceof Error) {
        expect(started.message).toBe('out of order')
        continue
      }
      const first = await steps(started as TestChain)
      const second = failed ? [...(await steps(started as TestChain)).slice(0, 2), expected[2]] : first
      for (const [i, answer] of first.entries()) {
        expect([expected[i], 'error -32000 out of order']).toContainEqual(answer)
      }
      expect(second).toEqual(expected)
    }
  })

  it('needs at most three trips for a cold transfer of a token', async () => {
    const remote = await startChain()
    const { abi, bytecode } = Token
    const deploy = encodeDeployData({ abi, bytecode, args: [] as never })
    await submit(remote, { nonce: 0, to: null, value: 0n, gas: 3_000_000n, data: deploy })
    await remote.seal()
    const token = getContractAddress({ from: ALICE, nonce: 0n })
    const way = between(remote.standard)
    const chain = await forkOf(way)
    const before = way.trips()
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [BOB, 0n] } as never)
    await chain.preconf.request({ method: 'eth_call', params: [{ from: ALICE, to: token, data }, 'pending'] })
    expect(way.trips() - before).toBeLessThanOrEqual(3)
  })

  it('reads the hashes of blocks before the fork from it', async () => {
    const remote = await startRemote()
    await ask(remote.standard, 'anvil_mine', ['0x5'])
    const chain = await forkOf(remote.standard)
    await chain.seal()
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x2', false])) as { hash: string }
    // Returns BLOCKHASH(2).
    const call = { data: '0x6002405f5260205ff3' }
    expect(await ask(chain.preconf, 'eth_call', [call, 'pending'])).toBe(hash)
  })

  it('continues the time of the forked block, or that of the clock', async () => {
    const remote = await startRemote()
    const { timestamp } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string
    }
    const at = async (time: 'fork' | 'clock') => {
      const clock = createManualClock(1_900_000_000_000)
      const chain = await forkOf(remote.standard, { clock, fork: { time } })
      await clock.advance(5_000)
      return Number((await chain.seal()).block.timestamp)
    }
    expect([await at('fork'), await at('clock')]).toEqual([Number(timestamp) + 5, 1_900_000_005])
  })

  it('gives dev accounts their balance, keeps their nonce, and clears the code of publicly known ones', async () => {
    const remote = await startRemote()
    await ask(remote.standard, 'anvil_setBalance', [ALICE, '0x1'])
    await ask(remote.standard, 'anvil_setCode', [ALICE, `0xef0100${'ab'.repeat(20)}`])
    await remote.seal()
    const chain = await forkOf(remote.standard)
    const of = (method: string) => ask(chain.standard, method, [ALICE, 'latest'])
    expect([
      await of('eth_getBalance'),
      await of('eth_getTransactionCount'),
      await of('eth_getCode'),
    ]).toEqual(['0x21e19e0c9bab2400000', '0x1', '0x'])
  })

  it('says what is wrong if the forked node has no such block', async () => {
    const remote = await startRemote()
    await expect(forkOf(remote.standard, { fork: { block: 9 } })).rejects.toThrow(
      'the forked node has no block 9; set fork.block to one that it has',
    )
  })

  it('includes the transactions of other senders while state is being loaded', async () => {
    const remote = await startRemote()
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const way = between(remote.standard, ({ params }) => (params[0] === AT ? gate : undefined))
    const manual = createManualClock()
    // Not recognised as a manual clock, so that ticks of the timer have a budget, as under the system clock.
    const { advance: _, ...rest } = manual
    const clock = {
      ...rest,
      now: () => manual.now(),
      setTimeout: manual.setTimeout.bind(manual),
      clearTimeout: manual.clearTimeout.bind(manual),
      yield: manual.yield.bind(manual),
    }
    const chain = (await forkOf(way, { mining: 'interval', clock })) as unknown as TestChain
    const slow = [await submit(chain, transfer(1, { to: AT })), await submit(chain, transfer(2))]
    const fast = await submit(chain, transfer(0, { from: 1 }))
    await manual.advance(400)
    const pending = async () => {
      const block = await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', false])
      return (block as { transactions: string[] }).transactions
    }
    expect(await pending()).toEqual([fast])
    const loaded = new Promise<void>((resolve) =>
      chain.on('preconf', ({ block }) => {
        if (block.transactions.length === 3) resolve()
      }),
    )
    open()
    // The answers take some turns of the event loop.
    await ask(chain.preconf, 'eth_getBalance', [AT, 'pending'])
    await manual.advance(400)
    await loaded
    expect(await pending()).toEqual([fast, ...slow])
  })

  it('says what is forked', async () => {
    const remote = await startRemote()
    const chain = await forkOf(remote.standard)
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: string }
    const forked = { forkedNetwork: { chainId: 31_337, forkBlockNumber: 1, forkBlockHash: hash } }
    expect(await ask(chain.standard, 'anvil_metadata')).toMatchObject(forked)
    expect(await ask(chain.standard, 'hardhat_metadata')).toMatchObject(forked)
    expect(await ask(chain.standard, 'anvil_nodeInfo')).toMatchObject({
      forkConfig: { forkUrl: null, forkBlockNumber: 1 },
    })
  })
})
