/** A running chain begins again on forks of other nodes, over real HTTP, and reads a fork from another node. */
import { createPublicClient, custom, webSocket } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainOptions, createManualClock, type PresealChain } from '../../../src/index.ts'
import { serve } from '../../../src/kits/server/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { forkOf } from './remoteChain.ts'
import { serveNode } from './scriptedNode.ts'

const AT = `0x${'ab'.repeat(20)}` as const
const HOUR = 3_600_000

/** A chain whose block `blocks` is its head, in which {@link RECIPIENT} has `wei`. */
async function startRemote(chainId: number, blocks: number, wei: number): Promise<TestChain> {
  const remote = await startChain({ chainId, clock: createManualClock(chainId * HOUR) })
  await remote.setBalance(RECIPIENT, BigInt(wei))
  await ask(remote.standard, 'anvil_mine', [blocks])
  return remote
}

const reset = (chain: PresealChain, forking?: object): Promise<unknown> =>
  ask(chain.standard, 'hardhat_reset', forking === undefined ? [] : [{ forking }])

/** What a chain shows of what it is. */
async function describeChain(chain: PresealChain): Promise<object> {
  const { standard } = chain
  const { forkConfig } = (await ask(standard, 'anvil_nodeInfo')) as { forkConfig: { forkUrl: string | null } }
  const { forkedNetwork } = (await ask(standard, 'hardhat_metadata')) as { forkedNetwork?: object }
  const block = (await ask(standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }
  return {
    chainId: Number(await ask(standard, 'eth_chainId')),
    number: Number(await ask(standard, 'eth_blockNumber')),
    hash: block.hash,
    wei: Number(await ask(chain.preconf, 'eth_getBalance', [RECIPIENT, 'pending'])),
    url: forkConfig.forkUrl,
    forkedNetwork,
  }
}

/** What a fork of `remote` at a block shows. */
async function expectedFork(remote: TestChain, url: string, number: number): Promise<object> {
  const tag = `0x${number.toString(16)}`
  const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', [tag, false])) as { hash: string }
  const wei = Number(await ask(remote.standard, 'eth_getBalance', [RECIPIENT, tag]))
  const forkedNetwork = { chainId: remote.chainId, forkBlockNumber: number, forkBlockHash: hash }
  return { chainId: remote.chainId, number, hash, wei, url, forkedNetwork }
}

async function send(chain: PresealChain, nonce: number, to: `0x${string}` = RECIPIENT): Promise<unknown> {
  const raw = await sign(chain, { nonce, value: 5n, to })
  return ask(chain.preconf, 'eth_sendRawTransaction', [raw])
}

describe('a reset with forking', () => {
  for (const mining of ['manual', 'auto', 'interval'] as const) {
    it(`begins the chain again on one node after the other, and without a node, in ${mining} mining`, async () => {
      const first = await startRemote(31_337, 2, 7)
      const second = await startRemote(777, 9, 11)
      const [one, two] = [await serveNode(first), await serveNode(second)]
      const chain = await startChain({ mining, clock: createManualClock(HOUR) })
      const local = await describeChain(chain)
      const stages: [object | undefined, object][] = [
        [{ jsonRpcUrl: one.url }, await expectedFork(first, one.url, 2)],
        [{ jsonRpcUrl: two.url, blockNumber: 8 }, await expectedFork(second, two.url, 8)],
        [{ blockNumber: '0x3' }, await expectedFork(second, two.url, 3)],
        [{}, await expectedFork(second, two.url, 3)],
        [{ blockNumber: Number.NaN }, await expectedFork(second, two.url, 3)],
        [
          { jsonRpcUrl: one.url, blockNumber: 1, httpHeaders: { 'x-key': 'a' } },
          await expectedFork(first, one.url, 1),
        ],
        [undefined, local],
      ]
      for (const [forking, expected] of stages) {
        const id = await chain.snapshot()
        await ask(chain.standard, 'anvil_impersonateAccount', [AT])
        expect(await reset(chain, forking)).toBe(true)
        expect(await describeChain(chain)).toEqual(expected)
        expect(await ask(chain.standard, 'evm_revert', [id])).toBe(false)
        expect(await ask(chain.standard, 'eth_sendTransaction', [{ from: AT, to: RECIPIENT }])).toContain(
          'error',
        )
        expect(await ask(chain.standard, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
        const { number, wei } = expected as { number: number; wei: number }
        const transfer = { from: chain.accounts[0]!.address, to: RECIPIENT, value: '0x5' }
        await ask(chain.preconf, 'eth_sendTransaction', [transfer])
        if (mining === 'manual') await chain.seal()
        if (mining === 'interval') await chain.advance(chain.blockTime)
        expect(await describeChain(chain)).toMatchObject({ number: number + 1, wei: wei + 5 })
      }
      expect(one.trips.filter(({ headers }) => headers['x-key'] === 'a').length).toBeGreaterThan(0)
      expect(two.trips.filter(({ headers }) => headers['x-key'] === 'a')).toEqual([])
    })
  }

  it('continues the time of the forked block, and that of the clock without one', async () => {
    const remote = await startRemote(31_337, 1, 7)
    const node = await serveNode(remote)
    const clock = createManualClock(HOUR)
    const chain = await startChain({ clock })
    const { timestamp } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as {
      timestamp: string
    }
    for (const forking of [{ jsonRpcUrl: node.url }, {}]) {
      await reset(chain, forking)
      await clock.advance(20_000)
      expect(Number((await chain.seal()).block.timestamp)).toBe(Number(timestamp) + 20)
    }
    await reset(chain)
    expect(Number((await chain.seal()).block.timestamp)).toBe(3600 + 40)
  })

  it('tells clients what is gone, and the new head', async () => {
    const remote = await startRemote(777, 9, 11)
    const node = await serveNode(remote)
    const chain = await startChain({ mining: 'auto' })
    const events: unknown[] = []
    chain.on('retracted', ({ reason, blocks, transactions }) => events.push([reason, blocks, transactions]))
    chain.on('dropped', ({ hash, reason }) => events.push(['dropped', hash, reason]))
    chain.on('preconf', ({ block }) => events.push(['preconf', block.number]))
    chain.preconf.on('chainChanged', (id) => events.push(['chainChanged', id]))
    const genesis = (await ask(chain.standard, 'eth_getBlockByNumber', ['0x0', false])) as { hash: string }
    const sealed = await send(chain, 0)
    const waiting = await send(chain, 2)
    const block = (await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: string }
    const server = await serve(chain, { port: 0, preconfPort: 0 })
    onTestFinished(() => server.close())
    const client = createPublicClient({ transport: webSocket(server.url.replace('http', 'ws')) })
    const heads: unknown[] = []
    let seen = () => {}
    const hasSeen = new Promise<void>((resolve) => {
      seen = resolve
    })
    const stop = client.watchBlocks({
      onBlock: ({ number }) => {
        heads.push(number)
        seen()
      },
    })
    const polled = createPublicClient({ transport: custom(chain.live), cacheTime: 0 })
    const filter = (await ask(chain.standard, 'eth_newBlockFilter')) as `0x${string}`
    const logs = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    // The subscription is there once a later request on the same socket is answered.
    expect(await client.getBlockNumber()).toBe(1n)
    events.length = 0
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'hardhat_reset',
        params: [{ forking: { jsonRpcUrl: node.url, blockNumber: 6 } }],
      }),
    })
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: true })
    expect(events).toEqual([
      ['reset', [block.hash, genesis.hash], [sealed]],
      ['dropped', waiting, 'removed'],
      ['chainChanged', '0x309'],
      ['preconf', '0x7'],
    ])
    await hasSeen
    stop()
    const socket = await client.transport.getRpcClient()
    socket.close()
    expect(heads).toEqual([6n])
    expect([await polled.getBlockNumber(), await polled.getChainId()]).toEqual([6n, 777])
    expect(await ask(chain.standard, 'eth_getFilterChanges', [filter])).toEqual([])
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [logs])).toEqual([])
    expect(await ask(chain.preconf, 'eth_getFilterLogs', [logs])).toEqual([])
    const { block: next } = await chain.mine()
    expect(await ask(chain.standard, 'eth_getFilterChanges', [filter])).toEqual([next.hash])
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [sealed])).toBeNull()
  })

  it('is an error that changes nothing if the fork cannot be made', async () => {
    const remote = await startRemote(777, 2, 11)
    const node = await serveNode(remote)
    const junk = await serveNode(remote, ({ method }) => (method === 'eth_chainId' ? 'junk' : undefined))
    const lost = await serveNode(remote, ({ method }) => {
      if (method === 'eth_getBalance') throw Object.assign(new Error('missing trie node'), { code: -32_000 })
    })
    const original = await startRemote(31_337, 1, 7)
    const chain = (await forkOf(original.standard, { fork: { timeout: 500 } })) as TestChain
    await send(chain, 0)
    await chain.tick()
    const state = async () => [
      await describeChain(chain),
      await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true]),
      await ask(chain.standard, 'hardhat_metadata'),
    ]
    const id = await chain.snapshot()
    const before = await state()
    const invalid = (place: string, expected: string) =>
      `error -32602 invalid argument 0${place}: expected ${expected}`
    const url = invalid('.forking.jsonRpcUrl', 'a URL that begins with http: or https:')
    const cases: [unknown, string][] = [
      [{ jsonRpcUrl: '' }, url],
      [{ jsonRpcUrl: 7 }, url],
      [{ jsonRpcUrl: 'ws://localhost:8545' }, url],
      [{ jsonRpcUrl: node.url, blockNumber: -1 }, invalid('.forking.blockNumber', 'an integer >= 0')],
      [{ jsonRpcUrl: node.url, blockNumber: 'x' }, invalid('.forking.blockNumber', 'an integer >= 0')],
      [
        { jsonRpcUrl: node.url, httpHeaders: { 'no name': 'x' } },
        invalid('.forking.httpHeaders', 'an object of HTTP headers'),
      ],
      [7, invalid('.forking', 'an object')],
      [
        { jsonRpcUrl: node.url, blockNumber: 99 },
        'error -32000 the chain cannot be forked: the forked node has no block 99; set fork.block to one that it has',
      ],
      [
        { jsonRpcUrl: 'http://127.0.0.1:1' },
        'error -32000 the forked node did not answer eth_chainId: http://127.0.0.1:1: the connection failed: ECONNREFUSED',
      ],
      [
        { jsonRpcUrl: junk.url },
        'error -32000 invalid answer of the forked node to eth_chainId []: expected a hex quantity from 0x1 to 0x1fffffffffffff',
      ],
      [
        { jsonRpcUrl: lost.url },
        'error -32000 the forked node no longer has the state of block 2; use an archive node or a later block',
      ],
    ]
    for (const [forking, error] of cases) {
      expect(await ask(chain.standard, 'anvil_reset', [{ forking }])).toBe(error)
      expect(await state()).toEqual(before)
    }
    await chain.revert(id)
    expect(await reset(chain, { jsonRpcUrl: node.url })).toBe(true)
  })

  it('names a node if the chain is no fork, and is refused by a chain with a database', async () => {
    const { MemoryLevel } = await import('memory-level')
    const local = await startChain()
    expect(await reset(local, { blockNumber: 1 })).toBe(
      'error -32602 invalid argument 0.forking.jsonRpcUrl: expected a URL, since the chain is no fork',
    )
    const node = await serveNode(await startRemote(777, 2, 11))
    const stored = await startChain({ database: new MemoryLevel() as never })
    await stored.seal()
    expect(await reset(stored, { jsonRpcUrl: node.url })).toBe(
      'error -32000 a chain with a database cannot be reset to a fork; start a chain without a database',
    )
    expect(await ask(stored.standard, 'eth_blockNumber')).toBe('0x1')
    expect(node.trips).toEqual([])
    expect(await reset(stored)).toBe(true)
    expect(await ask(stored.standard, 'eth_blockNumber')).toBe('0x0')
  })

  it('resolves while a tick and a request wait for the node before, and ends both', async () => {
    const remote = await startRemote(31_337, 1, 7)
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const silent = await serveNode(remote, ({ params }) => {
      if (params[0] !== AT) return undefined
      asked()
      return new Promise(() => {})
    })
    const node = await serveNode(await startRemote(777, 4, 11))
    const chain = (await forkOf(remote.standard, {
      fork: { provider: undefined as never, url: silent.url },
    })) as TestChain
    const errors: Error[] = []
    chain.on('error', (error) => errors.push(error))
    const drops: unknown[] = []
    chain.on('dropped', ({ hash, reason }) => drops.push([hash, reason]))
    const hash = await send(chain, 0, AT)
    const tick = chain.tick()
    const later = chain.tick()
    const read = ask(chain.standard, 'eth_getCode', [AT, 'latest'])
    await isAsked
    expect(await reset(chain, { jsonRpcUrl: node.url })).toBe(true)
    expect((await tick).block.transactions).toEqual([])
    expect((await later).block.transactions).toEqual([])
    expect(await read).toBe(
      'error -32000 the fork was closed before the forked node answered: eth_getBalance',
    )
    expect(drops).toEqual([[hash, 'removed']])
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x4')
    expect(errors).toEqual([])
    await expect.poll(() => silent.inFlight, { interval: 5 }).toBe(0)
  })

  it('goes on with the node before if the swap fails', async () => {
    const remote = await startRemote(31_337, 1, 7)
    const node = await serveNode(await startRemote(777, 4, 11))
    const clock = createManualClock(HOUR)
    const chain = (await forkOf(remote.standard, { clock })) as TestChain
    const { now } = clock
    let calls = 0
    clock.now = () => {
      calls += 1
      // The first two reads are those of the new fork, the third is that of the swap.
      if (calls === 3) throw new Error('no time')
      return now.call(clock)
    }
    expect(await reset(chain, { jsonRpcUrl: node.url })).toContain('error')
    clock.now = now
    expect(await describeChain(chain)).toMatchObject({ chainId: 31_337, number: 1, wei: 7 })
    expect(await ask(chain.standard, 'eth_getBalance', [AT, 'latest'])).toBe('0x0')
  })

  it('ends with the chain, and leaves no connection', async () => {
    const remote = await startRemote(31_337, 1, 7)
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const silent = await serveNode(remote, () => {
      asked()
      return new Promise(() => {})
    })
    for (const forkFirst of [false, true]) {
      const chain = forkFirst ? await forkOf(remote.standard) : await startChain()
      const resetting = reset(chain, { jsonRpcUrl: silent.url })
      const second = reset(chain, { jsonRpcUrl: silent.url })
      await isAsked
      await chain.close()
      expect([await resetting, await second]).toEqual(['error 4900 disconnected', 'error 4900 disconnected'])
      await chain.close()
    }
    await expect.poll(() => silent.inFlight, { interval: 5 }).toBe(0)
  })

  it('comes after one that is under way', async () => {
    const first = await startRemote(31_337, 2, 7)
    const second = await startRemote(777, 9, 11)
    const [one, two] = [await serveNode(first), await serveNode(second)]
    const chain = await startChain()
    const both = [reset(chain, { jsonRpcUrl: one.url }), reset(chain, { jsonRpcUrl: two.url })]
    expect(await Promise.all(both)).toEqual([true, true])
    expect(await describeChain(chain)).toMatchObject({ chainId: 777, number: 9, wei: 11 })
    expect(await Promise.all([reset(chain, { jsonRpcUrl: one.url }), reset(chain)])).toEqual([true, true])
    expect(await describeChain(chain)).toMatchObject({ chainId: 31_337, number: 0, url: null })
  })

  it('goes back to the genesis of a chain that began with blocks', async () => {
    const node = await serveNode(await startRemote(777, 4, 11))
    const first = await startRemote(31_337, 3, 7)
    const chain = await startChain(await first.export())
    expect(await describeChain(chain)).toMatchObject({ number: 3 })
    expect(await reset(chain)).toBe(true)
    const own = await describeChain(chain)
    expect(own).toMatchObject({ number: 0 })
    expect(await reset(chain, { jsonRpcUrl: node.url })).toBe(true)
    expect(await describeChain(chain)).toMatchObject({ number: 4, wei: 11 })
    expect(await reset(chain)).toBe(true)
    expect(await describeChain(chain)).toEqual(own)
  })

  it('keeps what the options say: chain id, gas limit, genesis and accounts', async () => {
    const node = await serveNode(await startRemote(777, 4, 11))
    const options: ChainOptions = { chainId: 99, gasLimit: 20_000_000n, accounts: { count: 1 } }
    const chain = await startChain(options)
    expect(await reset(chain, { jsonRpcUrl: node.url })).toBe(true)
    expect(await describeChain(chain)).toMatchObject({
      chainId: 99,
      number: 4,
      forkedNetwork: { chainId: 777 },
    })
    const { block } = await chain.seal()
    expect(block.gasLimit).toBe('0x1312d00')
    await chain.mine(2)
    expect(await reset(chain, {})).toBe(true)
    expect((await chain.seal()).block.gasLimit).toBe('0x1312d00')
  })
})

describe('anvil_setRpcUrl', () => {
  const setUrl = (chain: PresealChain, url: unknown) => ask(chain.standard, 'anvil_setRpcUrl', [url])

  it('reads the same block from another node, also what the node before does not answer', async () => {
    const remote = await startRemote(31_337, 1, 7)
    let asked = (): void => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const silent = await serveNode(remote, ({ params }) => {
      if (params[0] !== RECIPIENT) return undefined
      asked()
      return new Promise(() => {})
    })
    const other = await serveNode(remote)
    const url = `${silent.url}/v1?key=secret`
    const chain = (await forkOf(remote.standard, {
      fork: { provider: undefined as never, url, headers: { 'x-key': 'secret' } },
    })) as TestChain
    const read = ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])
    await isAsked
    expect(await setUrl(chain, other.url)).toBeNull()
    expect(await read).toBe('0x7')
    expect(await describeChain(chain)).toEqual(await expectedFork(remote, other.url, 1))
    expect(other.trips.every(({ headers }) => headers['x-key'] === undefined)).toBe(true)
    await send(chain, 0, AT)
    expect((await chain.seal()).block.number).toBe('0x2')
    expect(await setUrl(chain, `${silent.url}/v2`)).toBeNull()
    expect(silent.trips.at(-1)!.headers['x-key']).toBeUndefined()
    expect(await reset(chain, { blockNumber: 0 })).toBe(true)
    expect(silent.trips.at(-1)!.path).toBe('/v2')
  })

  it('by number, at a node that takes no hashes', async () => {
    const remote = await startRemote(31_337, 1, 7)
    const byNumber = await serveNode(remote, ({ params }) => {
      const isByHash = params.some((one) => typeof one === 'object' && one !== null && 'blockHash' in one)
      if (isByHash) throw Object.assign(new Error('invalid argument'), { code: -32_602 })
    })
    const chain = await forkOf(remote.standard)
    expect(await setUrl(chain, byNumber.url)).toBeNull()
    expect(await ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])).toBe('0x7')
  })

  it('is an error that changes nothing if the node has another chain or another block', async () => {
    const remote = await startRemote(31_337, 1, 7)
    const otherChain = await serveNode(await startRemote(777, 1, 7))
    const otherBlock = await serveNode(await startRemote(31_337, 0, 8))
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: string }
    const chain = await forkOf(remote.standard, { fork: { timeout: 500 } })
    const before = await describeChain(chain)
    const wrong = 'error -32000 the node serves a different chain: expected'
    const cases: [unknown, string][] = [
      [otherChain.url, `${wrong} chain id 31337`],
      [otherBlock.url, `${wrong} block 1 with the hash ${hash}`],
      [
        'http://127.0.0.1:1',
        'error -32000 the forked node did not answer eth_chainId: http://127.0.0.1:1: the connection failed: ECONNREFUSED',
      ],
      ['localhost', 'error -32602 invalid argument 0: expected a URL that begins with http: or https:'],
      [7, 'error -32602 invalid argument 0: expected a URL that begins with http: or https:'],
    ]
    for (const [url, error] of cases) expect(await setUrl(chain, url)).toBe(error)
    expect(await describeChain(chain)).toEqual(before)
    expect(await ask(chain.standard, 'eth_getBalance', [AT, 'latest'])).toBe('0x0')
  })

  it('is refused by a chain that is no fork', async () => {
    expect(await setUrl(await startChain(), 'http://127.0.0.1:1')).toBe(
      'error -32000 the chain is no fork, so it has no node to change; reset it with forking, or start it with fork',
    )
  })
})
