/** What a fork asks for together with its block. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { SETTLED_DEPTH } from '../../../src/core/fork/stateReads.ts'
import { type ChainOptions, createChain, createManualClock } from '../../../src/index.ts'
import type { TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ALICE } from '../../signing.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { type Asked, type Between, between, forkOf } from './remoteChain.ts'

const DEEP = Number(SETTLED_DEPTH)

/** A chain whose block 1 has a transfer of 7 wei, with blocks on top of it, which no oracle executes again. */
async function startRemote(blocksOnTop = DEEP) {
  const remote = (await createChain({ mining: 'manual', clock: createManualClock() })) as TestChain
  onTestFinished(() => remote.close())
  const raw = await sign(remote, { nonce: 0, value: 7n })
  await ask(remote.preconf, 'eth_sendRawTransaction', [raw])
  await remote.seal()
  const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
  if (blocksOnTop > 0) await ask(remote.standard, 'hardhat_mine', [blocksOnTop])
  return { remote, hash }
}

const isOfState = ({ method }: Asked): boolean =>
  ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode', 'eth_getStorageAt'].includes(method)

/** How requests of state name the block, without repetitions. */
const namesIn = ({ asked }: Between) => [
  ...new Set(
    asked.filter(isOfState).map(({ params }) => (typeof params.at(-1) === 'object' ? 'hash' : params.at(-1))),
  ),
]

/** Starts a fork whose requests are in flight at once, and says how it asked until then. */
async function start(remote: TestChain, fork: ChainOptions['fork'], meet?: Parameters<typeof between>[1]) {
  const node = between(remote.preconf, meet)
  const chain = await forkOf(node, { fork: { concurrency: 1000, ...fork } })
  const asked = { trips: node.trips(), names: namesIn(node) }
  return { node, chain, asked }
}

/** What of the forked state a fork has at its start. */
const stateOf = async ({ standard }: Pick<TestChain, 'standard'>) => ({
  nonce: await ask(standard, 'eth_getTransactionCount', [ALICE, 'latest']),
  received: await ask(standard, 'eth_getBalance', [RECIPIENT, 'latest']),
  root: ((await ask(standard, 'eth_getBlockByNumber', ['latest', false])) as { stateRoot: string }).stateRoot,
})

const refusing = (isRefused: (asked: Asked) => boolean) => (asked: Asked) => {
  if (isOfState(asked) && isRefused(asked)) throw Object.assign(new Error('not so'), { code: -32602 })
}

describe('the start of a fork', () => {
  it('takes one trip if the block is given by hash, or by a number far behind the head', async () => {
    const { remote, hash } = await startRemote()
    const byNumber = await start(remote, { block: 1 })
    const byHash = await start(remote, { block: hash })
    expect([byNumber.asked, byHash.asked]).toEqual([
      { trips: 1, names: ['0x1'] },
      { trips: 1, names: ['hash'] },
    ])
    expect(await stateOf(byHash.chain)).toMatchObject({ nonce: '0x1', received: '0x7' })
    expect(await stateOf(byNumber.chain)).toEqual(await stateOf(byHash.chain))
  })

  it('takes two if the block may be reorganised, if it is a tag, and with proofs', async () => {
    const { remote } = await startRemote(DEEP - 1)
    const shallow = await start(remote, { block: 1 })
    const head = await start(remote, {})
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
    const proven = await start(remote, { block: hash, verify: true })
    expect([shallow.asked, head.asked, proven.asked]).toEqual([
      { trips: 2, names: ['0x1', 'hash'] },
      { trips: 2, names: ['hash'] },
      { trips: 2, names: ['hash'] },
    ])
    expect(await stateOf(shallow.chain)).toMatchObject({ nonce: '0x1', received: '0x7' })
    expect(await stateOf(proven.chain)).toEqual(await stateOf(head.chain))
  })

  it('does not take the answers by number for a block that may be reorganised', async () => {
    const lie = ({ method, params }: Asked) =>
      method === 'eth_getTransactionCount' && params.at(-1) === '0x1' ? '0x9' : undefined
    const [deep, shallow] = [await startRemote(), await startRemote(DEEP - 1)]
    const lied = await start(deep.remote, { block: 1 }, lie)
    const told = await start(shallow.remote, { block: 1 }, lie)
    const nonces = [lied, told].map(({ chain }) =>
      ask(chain.standard, 'eth_getTransactionCount', [ALICE, 'latest']),
    )
    expect(await Promise.all(nonces)).toEqual(['0x9', '0x1'])
  })

  it('asks by hash for what the node does not answer by number', async () => {
    const { remote } = await startRemote()
    const { chain, asked } = await start(
      remote,
      { block: 1 },
      refusing(({ params }) => params.at(-1) === '0x1'),
    )
    expect(asked).toEqual({ trips: 2, names: ['0x1', 'hash'] })
    expect(await stateOf(chain)).toMatchObject({ nonce: '0x1', received: '0x7' })
  })

  it('does not tell whether the node takes hashes: the first load after it does', async () => {
    const { remote, hash } = await startRemote()
    const isHash = ({ params }: Asked) => typeof params.at(-1) === 'object'
    for (const block of [1, hash]) {
      const { node, chain } = await start(remote, { block }, refusing(isHash))
      expect(await stateOf(chain)).toMatchObject({ nonce: '0x1', received: '0x7' })
      const before = node.asked.length
      expect(await ask(chain.standard, 'eth_getBalance', [`0x${'57'.repeat(20)}`, 'latest'])).toBe('0x0')
      expect(namesIn({ ...node, asked: node.asked.slice(before) })).toEqual(['0x1'])
    }
  })

  it('lets loads at the same time find out that the node takes no hashes, one after the other', async () => {
    const { remote } = await startRemote()
    const [first, second] = [`0x${'57'.repeat(20)}`, `0x${'58'.repeat(20)}`]
    let release = (): void => {}
    const isRead = new Promise<void>((resolve) => {
      release = resolve
    })
    const { chain } = await start(remote, { block: 1 }, async ({ params }) => {
      if (typeof params.at(-1) !== 'object') return
      // The second is refused once the first has been read by number.
      if (params[0] === second) await isRead
      throw Object.assign(new Error('no hash'), { code: -32602 })
    })
    const balanceOf = (address: string) => ask(chain.standard, 'eth_getBalance', [address, 'latest'])
    const reads = [balanceOf(first!), balanceOf(second!)]
    expect(await reads[0]).toBe('0x0')
    release()
    expect(await reads[1]).toBe('0x0')
  })

  it('goes on asking by hash after an error that is about something else', async () => {
    const { remote } = await startRemote()
    const stranger = `0x${'57'.repeat(20)}`
    let fails = true
    const { node, chain } = await start(remote, { block: 1 }, ({ method, params }) => {
      if (method === 'eth_getCode' && params[0] === stranger && fails)
        throw Object.assign(new Error('busy'), { code: -32000 })
    })
    const read = () => ask(chain.standard, 'eth_getBalance', [stranger, 'latest'])
    expect(await read()).toBe('error -32000 busy')
    fails = false
    const before = node.asked.length
    expect(await read()).toBe('0x0')
    expect(namesIn({ ...node, asked: node.asked.slice(before) })).toEqual(['hash'])
  })
})
