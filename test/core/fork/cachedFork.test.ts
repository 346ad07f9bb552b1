/** Forks that keep what the node answered, and read it again without the node. */
import { encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { type ChainOptions, createChain, createManualClock, InvalidOptionError } from '../../../src/index.ts'
import { NotInForkCacheError } from '../../../src/kits/errors/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ALICE } from '../../signing.ts'
import { memoryLevel } from '../ledger/failingDatabase.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { between } from './remoteChain.ts'

const TOKEN = getContractAddress({ from: ALICE, nonce: 0n })
const STRANGER = `0x${'57'.repeat(20)}` as const

type ForkInput = NonNullable<ChainOptions['fork']>

/** A chain with a token, in its block 1. */
async function startRemote(): Promise<TestChain> {
  const remote = await startChain()
  const data = encodeDeployData(Token)
  await ask(remote.preconf, 'eth_sendRawTransaction', [
    await sign(remote, { nonce: 0, data, to: null, value: 0n, gas: 2_000_000n }),
  ])
  await remote.seal()
  return remote
}

async function startFork(fork: ForkInput): Promise<TestChain> {
  const chain = await createChain({ mining: 'manual', clock: createManualClock(), fork })
  onTestFinished(() => chain.close())
  return chain as TestChain
}

/** Sends a token on the fork; the hash of the block. */
async function sendToken(chain: TestChain): Promise<Hash> {
  const data = encodeFunctionData({ ...Token, functionName: 'transfer', args: [RECIPIENT, 5n] })
  await ask(chain.preconf, 'eth_sendRawTransaction', [
    await sign(chain, { nonce: 1, data, to: TOKEN, value: 0n, gas: 100_000n }),
  ])
  await chain.seal()
  expect(await ask(chain.standard, 'eth_getLogs', [{ fromBlock: 'latest' }])).toHaveLength(1)
  const { hash } = (await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
  return hash
}

/** Forks a chain with a cache, and sends a token there. */
async function record() {
  const remote = await startRemote()
  const { hash: forked } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as {
    hash: Hash
  }
  const cache = memoryLevel()
  const chain = await startFork({ provider: between(remote.preconf).provider as never, cache })
  const hash = await sendToken(chain)
  await chain.close()
  return { remote, cache, forked, hash }
}

describe('a fork with a cache', () => {
  it('gives the same blocks from the cache alone, each time', async () => {
    const { cache, forked, hash } = await record()
    // Every runtime gives this one.
    expect(hash).toMatchInlineSnapshot(`"<cachedFork: block 2>"`)
    for (const block of ['latest', 1n, forked] as const) {
      const offline = await startFork({ cache, offline: true, block })
      expect(await sendToken(offline)).toBe(hash)
      await offline.close()
    }
  })

  it('shows the forked block itself offline, which clients read first', async () => {
    const { cache, forked } = await record()
    const offline = await startFork({ cache, offline: true })
    for (const tag of ['latest', '0x1']) {
      const block = await ask(offline.preconf, 'eth_getBlockByNumber', [tag, false])
      expect(block).toMatchObject({ number: '0x1', hash: forked })
    }
  })

  it('refuses offline what the cache does not have, and names it', async () => {
    const { cache } = await record()
    const offline = await startFork({ cache, offline: true })
    await expect(
      offline.standard.request({ method: 'eth_getBalance', params: [STRANGER, 'latest'] }),
    ).rejects.toThrow(/^not in the fork's cache: eth_getBalance/)
  })

  it('asks the node nothing if the cache has all that is read', async () => {
    const { remote, cache, forked, hash } = await record()
    const { provider, asked } = between(remote.preconf)
    const chain = await startFork({ provider: provider as never, cache, block: forked })
    expect(await sendToken(chain)).toBe(hash)
    expect(asked).toEqual([])
  })

  it('asks the node for what the cache does not have, and keeps it', async () => {
    const { remote, cache, forked } = await record()
    const chain = await startFork({ provider: remote.preconf as never, cache, block: forked })
    const balance = await ask(chain.standard, 'eth_getBalance', [STRANGER, 'latest'])
    await chain.close()
    const offline = await startFork({ cache, offline: true })
    expect(await ask(offline.standard, 'eth_getBalance', [STRANGER, 'latest'])).toBe(balance)
  })

  it.each([
    [{ cache: memoryLevel(), offline: true, block: 7n }, NotInForkCacheError],
    [{ cache: memoryLevel(), offline: true, block: `0x${'77'.repeat(32)}` as Hash }, NotInForkCacheError],
    [{ cache: memoryLevel(), offline: true }, InvalidOptionError],
    [{ offline: true }, InvalidOptionError],
    [{ cache: 7 as never, offline: true }, InvalidOptionError],
    [{ cache: memoryLevel() }, InvalidOptionError],
  ])('does not start without a block: case %#', async (fork, error) => {
    await expect(createChain({ fork })).rejects.toThrow(error)
  })
})
