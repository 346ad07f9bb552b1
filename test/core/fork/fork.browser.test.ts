/** Forks in workers of a browser: of a node over HTTP, and from their cache in IndexedDB. */
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createChain, createManualClock } from '../../../src/index.ts'
import {
  type ChainFactory,
  connectChain,
  exposeChain,
  type RemoteChain,
  type RemoteForkOptions as RemoteFork,
} from '../../../src/kits/worker/index.ts'
import { connectThrough } from '../../kits/worker/support.ts'
import { ask, sign } from '../../rpc/scene.ts'

let names = 0

/** The name of a database that is deleted when the test ends. */
function temporaryName(): string {
  names += 1
  const name = `cache ${names} of ${import.meta.url}`
  onTestFinished(() => void indexedDB.deleteDatabase(name))
  return name
}

/** Starts a chain in Node, served over HTTP, with one block of one transaction. */
async function startNode() {
  const get = async (path: string) => (await fetch(`${inject('servedChains')}${path}`)).text()
  const url = await get('/start')
  const stop = () => get(`/stop?url=${encodeURIComponent(url)}`)
  onTestFinished(async () => void (await stop()))
  const request = async (method: string, params: readonly unknown[]) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { readonly result: string }).result
  }
  const [from, to] = (await request('eth_accounts', [])) as unknown as readonly string[]
  await request('eth_sendTransaction', [{ from, to, value: '0x7' }])
  return { url, stop, accounts: [from!, to!] as const }
}

/** Connects a page with a worker of its own. */
async function connect(fork: RemoteFork): Promise<{ worker: Worker; remote: RemoteChain }> {
  const worker = new Worker(new URL('../../kits/worker/manual.worker.ts', import.meta.url), {
    type: 'module',
  })
  onTestFinished(() => worker.terminate())
  return { worker, remote: await connectChain(worker, { options: { fork } }) }
}

/** Connects through a channel within the page, which takes less time than a worker. */
async function connectHere(fork: RemoteFork): Promise<RemoteChain> {
  const make: ChainFactory = (options) =>
    createChain({ mining: 'manual', clock: createManualClock(), ...options })
  const { remote } = await connectThrough((endpoint) => exposeChain(make, endpoint), { options: { fork } })
  return remote
}

async function failureOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('no failure'),
    (error) => error,
  )
}

/** Pays on the fork, and seals the block. @returns its number and hash. */
async function payAndSeal(remote: RemoteChain): Promise<readonly [string, string]> {
  const nonce = Number(await ask(remote.live, 'eth_getTransactionCount', [remote.accounts[0]!.address]))
  const to = remote.accounts[1]!.address
  await ask(remote.live, 'eth_sendRawTransaction', [await sign(remote, 0, { nonce, to, value: 1n })])
  const { block } = await remote.seal()
  return [block.number, block.hash]
}

describe('a fork in a worker of a page', () => {
  it('reads a node that serves pages, and goes on from its cache once the node and the worker have gone', async () => {
    const { url, stop, accounts } = await startNode()
    const cache = temporaryName()
    const before = await connect({ url, cache, headers: { 'x-key': 'k' } })
    const block = await ask(before.remote.standard, 'eth_getBlockByNumber', ['0x1', false])
    expect(block).toMatchObject({ number: '0x1', transactions: [expect.any(String)] })
    expect(await ask(before.remote.standard, 'eth_getTransactionCount', [accounts[0], 'latest'])).toBe('0x1')
    const sealed = await payAndSeal(before.remote)
    expect(sealed[0]).toBe('0x2')
    await before.remote.close()
    before.worker.terminate()
    await stop()
    const { remote } = await connect({ cache, offline: true })
    expect(await payAndSeal(remote)).toEqual(sealed)
    const params = [`0x${'57'.repeat(20)}`, 'latest'] as const
    const error = await failureOf(remote.standard.request({ method: 'eth_getBalance', params }))
    expect(error).toMatchObject({ name: 'NotInForkCacheError', code: -32000 })
    expect(error.message).toMatch(/^not in the fork's cache: eth_getBalance /)
  })

  it('shares its cache with chains that are open at the same time', async () => {
    const { url } = await startNode()
    const cache = temporaryName()
    const [first, second] = [await connectHere({ url, cache }), await connectHere({ url, cache })]
    expect(await payAndSeal(second)).toEqual(await payAndSeal(first))
  })

  it('says that a node did not answer', async () => {
    const { url, stop } = await startNode()
    await stop()
    const error = await failureOf(connectHere({ url, timeout: 100 }))
    expect(error).toMatchObject({ name: 'ForkedNodeUnansweredError', code: -32000 })
    expect(error.message).toBe(
      `the forked node did not answer eth_chainId: ${new URL(url).origin}: the connection failed`,
    )
  })
})

declare const indexedDB: { deleteDatabase(name: string): unknown }
