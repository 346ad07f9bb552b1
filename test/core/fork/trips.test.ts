/** How often a fork asks the node for what a call reads: cold, from its cache, and at a block that it has not seen. */
import { MemoryLevel } from 'memory-level'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { Exchange, Ladder, Pool, Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { memoryLevel, type TestLevel } from '../ledger/failingDatabase.ts'
import { type Between, between, forkOf } from './remoteChain.ts'

const RESERVE = 10n ** 20n
const AMOUNT = 10n ** 18n
const RUNGS = 12

interface Call {
  readonly from: Hex
  readonly to: Hex
  readonly data: Hex
}

/** A chain with three tokens, an exchange with two pools of them, and a ladder of reads that depend on each other. */
async function startRemote() {
  const remote = await startChain({ mining: 'auto' })
  const { public: client, wallet } = viemOn(remote)
  const owner = wallet(0)
  const deploy = async (contract: object): Promise<Hex> => {
    const hash = await owner.deployContract(contract as never)
    return (await client.getTransactionReceipt({ hash })).contractAddress!
  }
  const write = (
    { abi }: { readonly abi: readonly unknown[] },
    address: Hex,
    functionName: string,
    args: readonly unknown[] = [],
  ) => owner.writeContract({ abi, address, functionName, args } as never)

  const tokens = [await deploy(Token), await deploy(Token), await deploy(Token)]
  const exchange = await deploy(Exchange)
  for (const pair of [tokens.slice(0, 2), tokens.slice(1)]) {
    const pool = await deploy({ ...Pool, args: pair })
    for (const token of pair) await write(Token, token, 'transfer', [pool, RESERVE])
    await write(Pool, pool, 'sync')
    await write(Exchange, exchange, 'add', [pool])
  }
  await write(Token, tokens[0]!, 'approve', [exchange, AMOUNT])
  const ladder = await deploy(Ladder)
  await write(Ladder, ladder, 'add', [10n, BigInt(RUNGS)])

  const from = remote.accounts[0]!.address
  const calls = {
    'a transfer': {
      from,
      to: tokens[0]!,
      data: encodeFunctionData({ ...Token, functionName: 'transfer', args: [exchange, 5n] }),
    },
    'a swap over two pools': {
      from,
      to: exchange,
      data: encodeFunctionData({ ...Exchange, functionName: 'swap', args: [AMOUNT, tokens] }),
    },
    'reads that depend on each other': {
      from,
      to: ladder,
      data: encodeFunctionData({ ...Ladder, functionName: 'take', args: [10n * BigInt(RUNGS)] }),
    },
  } satisfies Record<string, Call>
  return { remote, calls }
}

/** A fork whose requests are all in flight at once, so that a trip is a round of them. */
async function startFork(node: Between, cache: TestLevel | undefined, fork: object = {}) {
  const chain = await forkOf(node, { fork: { cache: cache as never, concurrency: 1000, ...fork } })
  return {
    /** The trips of a call, and its answer. */
    async call(call: Call): Promise<{ readonly trips: number; readonly answer: unknown }> {
      const before = node.trips()
      const answer = await ask(chain.standard, 'eth_call', [call])
      return { trips: node.trips() - before, answer }
    },
    chain,
  }
}

const refusing = (remote: TestChain) =>
  between(remote.preconf, ({ method }) => {
    if (method === 'eth_createAccessList') throw Object.assign(new Error('no such method'), { code: -32601 })
  })

describe('the trips of a call', () => {
  it.each([false, true])(
    'are two, none from the cache, and one at a later block; verify: %s',
    async (verify) => {
      const { remote, calls } = await startRemote()
      const blockHash = async () => {
        const block = await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])
        return (block as { hash: Hex }).hash
      }
      for (const [name, call] of Object.entries(calls)) {
        const cache = memoryLevel()
        const answer = await ask(remote.standard, 'eth_call', [call])
        expect(answer).not.toMatch(/error/)
        const cold = await startFork(between(remote.preconf), cache, { verify })
        expect([name, await cold.call(call)]).toEqual([name, { trips: 2, answer }])
        expect(await cold.call(call)).toEqual({ trips: 0, answer })
        await cold.chain.close()
        const again = await startFork(between(remote.preconf), cache, { verify, block: await blockHash() })
        expect([name, await again.call(call)]).toEqual([name, { trips: 0, answer }])
        await again.chain.close()
        await remote.mine(1)
        const moved = await startFork(between(remote.preconf), cache, { verify })
        expect([name, await moved.call(call)]).toEqual([name, { trips: 1, answer }])
      }
    },
  )

  it('are one for each read that depends on another if the node has no access lists', async () => {
    const { remote, calls } = await startRemote()
    const expected = {
      'a transfer': 3,
      'a swap over two pools': 11,
      'reads that depend on each other': RUNGS + 2,
    }
    for (const [name, call] of Object.entries(calls)) {
      const cache = memoryLevel()
      const answer = await ask(remote.standard, 'eth_call', [call])
      const cold = await startFork(refusing(remote), cache)
      const { trips, ...rest } = await cold.call(call)
      expect(rest).toEqual({ answer })
      expect(trips).toBeLessThanOrEqual(expected[name as keyof typeof expected])
      await cold.chain.close()
      await remote.mine(1)
      const moved = await startFork(refusing(remote), cache)
      expect([name, await moved.call(call)]).toEqual([name, { trips: 1, answer }])
    }
  })

  it('are one without a cache too, if the process made the call at another block', async () => {
    const { remote, calls } = await startRemote()
    const call = calls['reads that depend on each other']
    const first = await startFork(between(remote.preconf), undefined)
    const { answer } = await first.call(call)
    await remote.mine(1)
    const second = await startFork(between(remote.preconf), undefined)
    expect(await second.call(call)).toEqual({ trips: 1, answer })
  })

  it('do not depend on what other calls of the function read', async () => {
    const { remote, calls } = await startRemote()
    const cache = memoryLevel()
    const call = calls['a transfer']
    const other = {
      ...call,
      from: remote.accounts[3]!.address,
      data: encodeFunctionData({ ...Token, functionName: 'transfer', args: [call.to, 0n] }),
    }
    const block = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hex }
    const first = await startFork(between(remote.preconf), cache)
    const { answer } = await first.call(call)
    await first.chain.close()
    await remote.mine(1)
    const second = await startFork(between(remote.preconf), cache)
    await second.call(other)
    await second.chain.close()
    // The recipe names keys that the cache does not have at this block, but nothing else is missing.
    const third = await startFork(between(remote.preconf), cache, { block: block.hash })
    expect(await third.call(call)).toEqual({ trips: 0, answer })
    await third.chain.close()
    const offline = await startFork(between(remote.preconf), cache, { block: block.hash, offline: true })
    expect(await offline.call(call)).toEqual({ trips: 0, answer })
  })

  it('of plain transfers leave no recipe', async () => {
    const { remote, calls } = await startRemote()
    const recipesAfter = async (call: object): Promise<unknown> => {
      const database = new MemoryLevel<string, string>({ storeEncoding: 'view' })
      const { chain } = await startFork(between(remote.preconf), database as never)
      await ask(chain.standard, 'eth_call', [call])
      await chain.close()
      return database.get('fork/recipes/31337')
    }
    const { from, to } = calls['a transfer']
    expect(await recipesAfter({ from, to: `0x${'57'.repeat(20)}`, value: '0x1' })).toBe(undefined)
    expect(await recipesAfter(calls['a transfer'])).toContain(`[1,"preseal_recipe",["${to}","0xa9059cbb"],`)
  })

  it('are two for the slots of many accounts, and one if these are known', async () => {
    const { remote, calls } = await startRemote()
    const node = between(remote.preconf)
    const { chain } = await startFork(node, memoryLevel())
    const slots = Array.from({ length: 40 }, (_, i) => `0x${i.toString(16)}`)
    const [first, second, third] = Object.values(calls).map(({ to }) => to)
    const read = async (wanted: object) => {
      const before = node.trips()
      const answer = await ask(chain.standard, 'eth_getStorageValues', [wanted, 'latest'])
      expect(answer).toEqual(await ask(remote.standard, 'eth_getStorageValues', [wanted, 'latest']))
      return node.trips() - before
    }
    expect(await read({ [first!]: slots, [second!]: slots, [third!]: slots })).toBe(2)
    expect(await read({ [first!]: slots.map((slot) => `${slot}ff`) })).toBe(1)
  })

  it('are no more if an access list names what cannot be read, and no fewer for what does not exist', async () => {
    const { remote, calls } = await startRemote()
    const call = calls['a swap over two pools']
    const answer = await ask(remote.standard, 'eth_call', [call])
    const lost = `0x${'57'.repeat(20)}`
    const nothing = { address: `0x${'58'.repeat(20)}`, storageKeys: [`0x${'59'.repeat(32)}`] }
    const node = between(remote.preconf, async (asked) => {
      if (asked.params[0] === lost) throw Object.assign(new Error('not now'), { code: -32000 })
      if (asked.method !== 'eth_createAccessList') return undefined
      const list = (await remote.preconf.request(asked as never)) as { accessList: object[] }
      return { ...list, accessList: [{ address: lost, storageKeys: [] }, nothing, ...list.accessList] }
    })
    const fork = await startFork(node, memoryLevel())
    expect(await fork.call(call)).toEqual({ trips: 2, answer })
    expect(node.asked.some(({ params }) => params[0] === lost)).toBe(true)
  })
})
