/** Forks that a page asks for; `test/core/fork/fork.browser.test.ts` has those over HTTP and in IndexedDB. */
import { MemoryLevel } from 'memory-level'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createChain, createManualClock, InvalidOptionError } from '../../../src/index.ts'
import { exposeChain, type RemoteForkOptions } from '../../../src/kits/worker/index.ts'
import { recordedText } from '../../core/fork/support.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { connectThrough } from './support.ts'

async function connect(fork: RemoteForkOptions) {
  const { remote } = await connectThrough(
    (endpoint) => exposeChain((options) => createChain({ clock: createManualClock(), ...options }), endpoint),
    { options: { mining: 'manual', accounts: { count: 1 }, fork } },
  )
  return remote
}

describe('a fork that a page asks for', () => {
  it('reads the lines of a cache that the page has fetched', async () => {
    const original = await startChain()
    await original.setBalance(original.accounts[1]!.address, 5n)
    const { block } = await original.seal()
    const cache = new MemoryLevel({ storeEncoding: 'view' }) as never
    const recorded = await createChain({
      mining: 'manual',
      clock: createManualClock(),
      accounts: { count: 1 },
      fork: { provider: original.standard as never, cache },
    })
    const [owner, held] = [original.accounts[1]!.address, [original.accounts[1]!.address, 'latest']] as const
    await ask(recorded.standard, 'eth_getBalance', held)
    await recorded.close()
    const remote = await connect({ cache: { text: await recordedText(cache, block.hash) }, offline: true })
    expect(await ask(remote.preconf, 'eth_getBalance', held)).toBe('0x5')
    expect(await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])).toMatchObject({
      hash: block.hash,
    })
    await remote.setBalance(owner, 7n)
    await remote.seal()
    expect(await ask(remote.standard, 'eth_getBalance', held)).toBe('0x7')
    expect(await ask(original.standard, 'eth_getBalance', held)).toBe('0x5')
  })

  it('is refused with what a message cannot carry, by the name of the option', async () => {
    const level = new MemoryLevel({ storeEncoding: 'view' })
    onTestFinished(() => level.close())
    class Wallet {
      async request() {}
    }
    const refused = async (fork: object) => connect(fork as never).catch((error: unknown) => error)
    const provider = 'no value, since a provider cannot be sent to a worker; use fork.url'
    expect(await refused({ provider: new Wallet() })).toEqual(
      new InvalidOptionError('fork.provider', provider),
    )
    expect(await refused({ url: 'http://127.0.0.1:1', cache: level })).toEqual(
      new InvalidOptionError('fork.cache', 'the name of an IndexedDB database, or { text }'),
    )
  })

  it('gets the errors of its options', async () => {
    await expect(connect({})).rejects.toThrow(
      'invalid option fork: expected an object with either provider or url',
    )
    await expect(connect({ cache: { text: '' }, offline: true })).rejects.toThrow(
      'invalid option fork.block: expected the number or hash of a block that the cache has, which has 0 blocks',
    )
  })
})
