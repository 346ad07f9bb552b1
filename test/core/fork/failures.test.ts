/** What a fork does if the node does not answer as it should: others go on, and nothing wrong is kept. */
import { MemoryLevel } from 'memory-level'
import { expect, it } from 'vitest'
import { PresealRpcError } from '../../../src/base/errors.ts'
import { isStateLost, toErrorOutcome } from '../../../src/core/fork/dispatcher.ts'
import { RemoteRpcError } from '../../../src/core/fork/errors.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { sign } from '../sequencer/support.ts'
import { type Asked, between, forkOf } from './remoteChain.ts'

const LOST = `0x${'57'.repeat(20)}` as const
const FRIEND = `0x${'58'.repeat(20)}` as const
/** Returns the hash of block 1. */
const HASH_OF_1 = '0x6001405f5260205ff3'

/** A remote with blocks 1 to 4. */
async function startRemote() {
  const remote = await startChain()
  await remote.mine(4)
  return remote
}

it('seals what it can if the state of one transaction cannot be loaded', async () => {
  const remote = await startRemote()
  const node = between(remote.preconf, ({ method, params }) => {
    if (method === 'eth_getBalance' && params[0] === LOST)
      throw new PresealRpcError(-32000, 'missing trie node')
  })
  const fork = await forkOf(node)
  const errors: string[] = []
  fork.on('error', ({ message }) => errors.push(message))
  const plans = [
    { from: 0, nonce: 0, to: LOST },
    { from: 1, nonce: 0, to: FRIEND },
  ]
  const hashes: unknown[] = []
  for (const plan of plans) {
    hashes.push(await ask(fork.preconf, 'eth_sendRawTransaction', [await sign(fork, plan)]))
  }
  await fork.seal()
  await fork.seal()
  const receipts = hashes.map((hash) => ask(fork.standard, 'eth_getTransactionReceipt', [hash]))
  expect(await Promise.all(receipts)).toMatchObject([null, { status: '0x1' }])
  expect(await ask(fork.preconf, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  expect(errors).toEqual([expect.stringMatching(/^the forked node no longer has the state of block 4;/)])
})

it('answers with -32000 if the node fails internally', async () => {
  const remote = await startRemote()
  const node = between(remote.preconf, ({ params }) => {
    if (params[0] === LOST) throw new PresealRpcError(-32603, 'internal error')
  })
  const fork = await forkOf(node)
  await expect(
    fork.standard.request({ method: 'eth_getBalance', params: [LOST, 'latest'] }),
  ).rejects.toMatchObject({ code: -32000, message: 'internal error' })
})

it('keeps no block of another chain in its cache', async () => {
  const remote = await startRemote()
  const cache = new MemoryLevel({ storeEncoding: 'view' }) as never
  let lies = true
  const node = between(remote.preconf, async ({ method, params }) => {
    if (!lies || method !== 'eth_getBlockByNumber' || params[0] !== '0x2') return undefined
    const block = (await remote.preconf.request({ method, params } as never)) as object
    return { ...block, hash: `0x${'ee'.repeat(32)}` }
  })
  const call = [{ data: HASH_OF_1 }] as const
  const first = await forkOf(node, { fork: { cache } })
  expect(await ask(first.standard, 'eth_call', call)).toMatch(/no longer has block 2/)
  await first.close()
  lies = false
  const second = await forkOf(node, { fork: { cache } })
  const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: string }
  expect(await ask(second.standard, 'eth_call', call)).toBe(hash)
})

it('reads no state of another block from a node that takes numbers only', async () => {
  const remote = await startRemote()
  let isReorganised = false
  const node = between(remote.preconf, async ({ method, params }: Asked) => {
    if (typeof params.at(-1) === 'object') throw new PresealRpcError(-32602, 'expected a number')
    if (!isReorganised || method !== 'eth_getBlockByNumber') return undefined
    const block = (await remote.preconf.request({ method, params } as never)) as object
    return { ...block, hash: `0x${'ee'.repeat(32)}` }
  })
  const fork = await forkOf(node)
  expect(await ask(fork.standard, 'eth_getBalance', [FRIEND, 'latest'])).toBe('0x0')
  isReorganised = true
  expect(await ask(fork.standard, 'eth_getBalance', [LOST, 'latest'])).toMatch(/no longer has block 4/)
})

it('hides a number of its URL in the data of an error', () => {
  const hide = (text: string) => text.replaceAll('11155111', '…')
  const outcome = toErrorOutcome({ code: -32000, message: 'x', data: { chainId: 11155111, n: 1 } }, hide)
  expect(outcome).toMatchObject({ kind: 'error', error: { data: { chainId: '…', n: 1 } } })
})

it.each([
  ['missing trie node 12ab (path ) state 0x99 is not available', true],
  ['distance to target block exceeds maximum proof window', true],
  ['historical state 0x99 is not available', true],
  ['execution reverted', false],
])('takes an error for a state that is lost: %s', (message, isLost) => {
  expect(isStateLost(new RemoteRpcError(-32000, message))).toBe(isLost)
})
