/** Forks that check what they read against the forked block's hash: `fork.verify`. */
import { MemoryLevel } from 'memory-level'
import { encodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hash, Hex } from '../../../src/base/types.ts'
import { openForkCache } from '../../../src/core/fork/cache.ts'
import { InvalidRemoteAnswerError } from '../../../src/kits/errors/index.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { ALICE } from '../../signing.ts'
import { RECIPIENT, sign } from '../sequencer/support.ts'
import { type Asked, between, forkOf } from './remoteChain.ts'

const NOBODY = `0x${'57'.repeat(20)}` as const

interface RemoteToken {
  readonly remote: TestChain
  readonly token: Hex
}

/** A chain with a token whose owner has sent some of it. */
async function startRemote(): Promise<RemoteToken> {
  const remote = await startChain({ mining: 'auto' })
  const { public: client, wallet } = viemOn(remote)
  const hash = await wallet(0).deployContract(Token as never)
  const token = (await client.getTransactionReceipt({ hash })).contractAddress!
  for (const account of remote.accounts.slice(1, 6)) {
    const args = [account.address, 7n]
    await wallet(0).writeContract({ ...Token, address: token, functionName: 'transfer', args } as never)
  }
  return { remote, token }
}

const balanceOf = (token: Hex, owner: Hex = ALICE) => ({
  to: token,
  data: encodeFunctionData({ ...Token, functionName: 'balanceOf', args: [owner] }),
})

type Change = (answer: never, asked: Asked) => unknown

/** A node whose answers to a method are changed while `lies.on`. */
function liar(remote: TestChain, method: string, change: Change) {
  const lies = { on: true }
  const node = between(remote.preconf, async (asked) => {
    if (!lies.on || asked.method !== method) return undefined
    const answer = await remote.preconf.request(asked as never)
    return change(structuredClone(answer) as never, asked)
  })
  return { node, lies }
}

describe('a fork that verifies', () => {
  it('gives the same as one that does not', async () => {
    const { remote, token } = await startRemote()
    const run = async (verify: boolean): Promise<unknown> => {
      const fork = (await forkOf(remote.preconf, { fork: { verify } })) as TestChain
      const data = encodeFunctionData({ ...Token, functionName: 'transfer', args: [RECIPIENT, 5n] })
      const nonce = Number(await ask(fork.preconf, 'eth_getTransactionCount', [ALICE, 'latest']))
      await ask(fork.preconf, 'eth_sendRawTransaction', [
        await sign(fork, { nonce, to: token, value: 0n, gas: 100_000n, data }),
      ])
      await fork.seal()
      return [
        await ask(fork.standard, 'eth_getBlockByNumber', ['latest', true]),
        await ask(fork.standard, 'eth_call', [balanceOf(token), 'latest']),
        await ask(fork.standard, 'eth_call', [balanceOf(token, NOBODY), 'latest']),
        await ask(fork.standard, 'eth_getBalance', [NOBODY, 'latest']),
        await ask(fork.standard, 'eth_getStorageAt', [token, '0x777', 'latest']),
        await ask(fork.standard, 'eth_getStorageAt', [NOBODY, '0x0', 'latest']),
      ]
    }
    expect(await run(true)).toEqual(await run(false))
  })

  it('asks for one proof per account and trip, with all its slots', async () => {
    const { remote, token } = await startRemote()
    const node = between(remote.preconf)
    // With a cache of its own, which has no recipes of other forks.
    const cache = new MemoryLevel({ storeEncoding: 'view' }) as never
    const fork = await forkOf(node, { fork: { verify: true, cache, concurrency: 1000 } })
    const before = node.asked.length
    const trips = node.trips()
    const data = encodeFunctionData({ ...Token, functionName: 'transfer', args: [RECIPIENT, 5n] })
    await ask(fork.standard, 'eth_call', [{ from: ALICE, to: token, data }])
    const asked = node.asked.slice(before)
    const ofToken = asked.filter(({ method, params }) => method === 'eth_getProof' && params[0] === token)
    expect(ofToken.map(({ params }) => (params[1] as Hex[]).length)).toEqual([0, 2])
    expect(node.trips() - trips).toBe(2)
    expect(node.asked.some(({ method }) => /Balance|Count|StorageAt/.test(method))).toBe(false)
  })

  it('refuses every answer that is not proven, keeps none, and reads on once they are right', async () => {
    const { remote, token } = await startRemote()
    type Proof = {
      balance: Hex
      nonce: Hex
      accountProof: Hex[]
      storageProof: { value: Hex; proof: Hex[] }[]
    }
    const ofToken = (change: (proof: Proof) => void): Change => {
      return (proof: Proof, { params }) => {
        if (params[0] === token) change(proof)
        return proof
      }
    }
    const cases: [string, string, Change][] = [
      ['a balance', 'eth_getProof', ofToken((one) => Object.assign(one, { balance: '0x1' }))],
      ['a nonce', 'eth_getProof', ofToken((one) => Object.assign(one, { nonce: '0x7' }))],
      ['an absent account', 'eth_getProof', ofToken((one) => one.accountProof.splice(1))],
      [
        'a slot',
        'eth_getProof',
        ofToken((one) => {
          for (const slot of one.storageProof) slot.value = '0x7'
        }),
      ],
      [
        'an empty slot',
        'eth_getProof',
        ofToken((one) => {
          for (const slot of one.storageProof) Object.assign(slot, { value: '0x0', proof: [] })
        }),
      ],
      ['fewer slots', 'eth_getProof', ofToken((one) => one.storageProof.pop())],
      ['no proof', 'eth_getProof', (_proof, { params }) => (params[0] === token ? [] : undefined)],
      ['a code', 'eth_getCode', (code: Hex, { params }) => (params[0] === token ? `${code}00` : code)],
      ['no code', 'eth_getCode', (code: Hex, { params }) => (params[0] === token ? '0x' : code)],
    ]
    const expected = await ask(remote.standard, 'eth_call', [balanceOf(token)])
    for (const [name, method, change] of cases) {
      const cache = new MemoryLevel({ storeEncoding: 'view' }) as never
      const { node, lies } = liar(remote, method, change)
      const fork = await forkOf(node, { fork: { verify: true, cache } })
      const call = () => fork.standard.request({ method: 'eth_call', params: [balanceOf(token) as never] })
      const error = await call().catch((reason: Error) => reason)
      expect([name, error]).toEqual([name, expect.any(InvalidRemoteAnswerError)])
      expect((error as Error).message).toContain(`invalid answer of the forked node to ${method} ["${token}"`)
      lies.on = false
      expect([name, await call()]).toEqual([name, expected])
      await fork.close()
      // All that was kept is right, since the cache alone gives the same.
      const offline = await forkOf(remote.preconf, { fork: { verify: true, cache, offline: true } })
      expect([name, await ask(offline.standard, 'eth_call', [balanceOf(token)])]).toEqual([name, expected])
    }
  })

  it('refuses a block that does not have its hash, and names fields that are not known', async () => {
    const { remote } = await startRemote()
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
    const failure = async (change: object, block: 'latest' | Hash): Promise<string> => {
      const method = block === 'latest' ? 'eth_getBlockByNumber' : 'eth_getBlockByHash'
      const { node } = liar(remote, method, (one: object) => ({ ...one, ...change }))
      const started = forkOf(node, { fork: { verify: true, block } }).then(
        () => 'started',
        (error) => `${error.name}: ${error.message}`,
      )
      return (await started).replace(hash, 'HASH')
    }
    const refused = (request: string, expected: string) =>
      `InvalidRemoteAnswerError: invalid answer of the forked node to ${request}: expected ${expected} at .hash`
    const latest = 'eth_getBlockByNumber ["latest",false]'
    const root = { stateRoot: `0x${'12'.repeat(32)}` }
    expect(await failure({}, 'latest')).toBe('started')
    expect(await failure(root, 'latest')).toBe(refused(latest, 'the hash of its header'))
    expect(await failure(root, hash)).toBe(
      refused('eth_getBlockByHash ["HASH",false]', 'the hash of its header'),
    )
    expect(await failure({ hash: `0x${'12'.repeat(32)}` }, 'latest')).toBe(
      refused(latest, 'the hash of its header'),
    )
    expect(await failure({ gasLimit: '0x1388', blockAccessListHash: '0x1', 'a b': 1 }, 'latest')).toBe(
      refused(
        latest,
        'the hash of its header; of a chain whose hashes cover blockAccessListHash, set fork.verify to false',
      ),
    )
    // What is no part of a header is not hashed.
    expect(await failure({ size: '0x1', l1BlockNumber: '0x1' }, 'latest')).toBe('started')
  })

  it('refuses a wrong hash of an earlier block', async () => {
    const { remote } = await startRemote()
    // Returns BLOCKHASH(1).
    const call = { data: '0x6001405f5260205ff3' } as const
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['0x1', false])) as { hash: Hash }
    const { node, lies } = liar(remote, 'eth_getBlockByNumber', (one: object, { params }) =>
      params[0] === '0x2' ? { ...one, parentHash: `0x${'12'.repeat(32)}` } : one,
    )
    const fork = await forkOf(node, { fork: { verify: true } })
    expect(await ask(fork.standard, 'eth_call', [call])).toBe(
      'error -32000 invalid answer of the forked node to eth_getBlockByNumber ["0x2",false]: expected the hash of its header at .hash',
    )
    lies.on = false
    expect(await ask(fork.standard, 'eth_call', [call])).toBe(hash)
  })

  it('checks what its cache has, and asks again for what is wrong there', async () => {
    const { remote, token } = await startRemote()
    const { hash } = (await ask(remote.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
    const database = new MemoryLevel({ storeEncoding: 'view' }) as never
    const read = async (cache: never, offline: boolean) => {
      const node = between(remote.preconf)
      const fork = await forkOf(node, { fork: { verify: true, cache, block: hash, offline } })
      const answer = await ask(fork.standard, 'eth_call', [balanceOf(token)])
      await fork.close()
      return { answer, asked: node.asked.map(({ method }) => method) }
    }
    const { answer: expected } = await read(database, false)
    expect(await read(database, false)).toEqual({ answer: expected, asked: [] })

    const cache = await openForkCache(database)
    await cache.load(31337n, hash)
    const text = cache.toText()
    const lines = text.split('\n')
    const isSlot = (line: string) => line.includes('eth_getProof') && line.includes(`"${token}",["0x`)
    expect(lines.filter(isSlot).length).toBeGreaterThan(0)
    const changed = lines
      .map((line) => (isSlot(line) ? line.replaceAll(/"value":"0x/g, '"value":"0x1') : line))
      .join('\n')
    expect(await read({ text: changed } as never, false)).toEqual({
      answer: expected,
      asked: ['eth_getProof'],
    })
    expect((await read({ text: changed } as never, true)).answer).toMatch(
      /^error -32000 invalid answer of the forked node to eth_getProof/,
    )
    const otherCode = text.replace(
      /(\["0x[0-9a-f]{40}",\{"blockHash":"0x[0-9a-f]+"\}\],)\{"codeHash":"[^"]+"\}/,
      '$1"0x00"',
    )
    expect(otherCode).not.toBe(text)
    expect(await read({ text: otherCode } as never, false)).toEqual({
      answer: expected,
      asked: ['eth_getCode'],
    })
  })

  it('names by number what it forks on a node that takes no hash', async () => {
    const { remote, token } = await startRemote()
    const node = between(remote.preconf, ({ params }) => {
      if (typeof params.at(-1) === 'object') throw Object.assign(new Error('no hash'), { code: -32602 })
    })
    const fork = await forkOf(node, { fork: { verify: true } })
    expect(await ask(fork.standard, 'eth_call', [balanceOf(token)])).toBe(
      await ask(remote.standard, 'eth_call', [balanceOf(token)]),
    )
  })

  it('does not start if the node has no proofs', async () => {
    const { remote } = await startRemote()
    const node = between(remote.preconf, ({ method }) => {
      if (method === 'eth_getProof')
        throw Object.assign(new Error('the method eth_getProof is not here'), { code: -32601 })
    })
    await expect(forkOf(node, { fork: { verify: true } })).rejects.toThrow(
      'the method eth_getProof is not here',
    )
  })

  it('says of a fork that it has no proofs of its own blocks', async () => {
    const { remote } = await startRemote()
    const fork = await forkOf(remote.preconf)
    await fork.seal()
    await expect(forkOf(fork.standard, { fork: { verify: true } })).rejects.toMatchObject({
      code: -32000,
      message: 'a fork has no proofs of the blocks that it makes; to fork it, set fork.verify to false',
    })
  })
})
