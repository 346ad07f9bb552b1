import { MemoryLevel } from 'memory-level'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import type { ChainParts } from '../../../src/core/open/core.ts'
import type { Hash, Hex } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, askBoth, send, sign } from '../../rpc/scene.ts'

/** Returns CHAINID. */
const CHAINID = '0x465f5260205ff3'
const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`

const setChainId = (chain: TestChain, id: unknown) => ask(chain.standard, 'anvil_setChainId', [id])
const chainIdAt = (chain: TestChain, block: string) => askBoth(chain, 'eth_call', [{ data: CHAINID }, block])

/** Deploys a contract whose code is the value of CHAINID, from a dev account. */
async function deployChainId({ preconf, accounts }: TestChain, account = 0): Promise<Hash> {
  const from = accounts[account]!.address
  return preconf.request({ method: 'eth_sendTransaction', params: [{ from, data: CHAINID, gas: '0x186a0' }] })
}

const traceCreation = (chain: TestChain, hash: Hash) =>
  ask(chain.preconf, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }])

/** The retractions and drops that a chain emits. */
function listen(chain: TestChain): unknown[] {
  const events: unknown[] = []
  chain.on('retracted', ({ transactions }) => events.push({ retracted: transactions }))
  chain.on('dropped', ({ hash, reason, message }) => events.push({ hash, reason, message }))
  return events
}

const chainIdDrop = (hash: Hash, have: number, want: number) => ({
  hash,
  reason: 'invalid',
  message: `invalid chain id for signer: have ${have} want ${want}`,
})

describe('setChainId', () => {
  it.each(['anvil_setChainId', 'evm_setChainId', 'ganache_setChainId', 'hardhat_setChainId'])(
    '%s changes the chain id in every answer that has it',
    async (method) => {
      const chain = await startChain()
      for (const [given, id] of [
        [5, 5],
        ['0x6', 6],
        [2 ** 53 - 1, 2 ** 53 - 1],
      ] as const) {
        expect(await ask(chain.standard, method, [given])).toBe(null)
        expect([
          await askBoth(chain, 'eth_chainId'),
          await askBoth(chain, 'net_version'),
          await ask(chain.standard, 'hardhat_metadata'),
          await ask(chain.standard, 'anvil_nodeInfo'),
        ]).toMatchObject([
          { both: `0x${id.toString(16)}` },
          { both: `${id}` },
          { chainId: id },
          { environment: { chainId: id } },
        ])
      }
    },
  )

  it.each([0, '0x0', -1, 1.5, 2 ** 53, '0x20000000000000', 'five', null])(
    'refuses %j, and changes nothing',
    async (id) => {
      const chain = await startChain()
      expect(await setChainId(chain, id)).toMatch(/^error -32602 /)
      expect(await askBoth(chain, 'eth_chainId')).toEqual({ both: '0x7a69' })
    },
  )

  it('applies to calls on the head and on later blocks, not on earlier ones', async () => {
    const chain = await startChain()
    await chain.seal()
    await setChainId(chain, 5)
    const [before, now] = [word(31_337), word(5)]
    expect(await chainIdAt(chain, 'latest')).toEqual({ both: now })
    expect(await chainIdAt(chain, 'pending')).toEqual({ both: now })
    expect(await chainIdAt(chain, '0x0')).toEqual({ both: before })
    await chain.seal()
    expect(await chainIdAt(chain, '0x1')).toEqual({ both: before })
    expect(await chainIdAt(chain, '0x2')).toEqual({ both: now })
    const payload = { blockStateCalls: [{ calls: [{ data: CHAINID }] }, { calls: [{ data: CHAINID }] }] }
    const simulatedOn = async (block: string) => {
      const blocks = await ask(chain.preconf, 'eth_simulateV1', [payload, block])
      return (blocks as { calls: { returnData: Hex }[] }[]).map(({ calls }) => calls[0]!.returnData)
    }
    expect(await simulatedOn('latest')).toEqual([now, now])
    expect(await simulatedOn('0x1')).toEqual([before, before])
  })

  it('applies to the transactions that dev accounts sign and the chain accepts', async () => {
    const chain = await startChain()
    await setChainId(chain, 5)
    const [from, to] = chain.accounts.map(({ address }) => address)
    for (const fields of [{}, { type: '0x0' }] as const) {
      const params = [{ from: from!, to: to!, ...fields }] as const
      await chain.standard.request({ method: 'eth_sendTransaction', params: [...params] })
    }
    await ask(chain.standard, 'anvil_autoImpersonateAccount', [true])
    const nobody = `0x${'ab'.repeat(20)}`
    await ask(chain.standard, 'anvil_setBalance', [nobody, '0xde0b6b3a7640000'])
    expect(await ask(chain.standard, 'eth_sendTransaction', [{ from: nobody, to }])).toMatch(/^0x/)
    expect(await ask(chain.standard, 'eth_sendRawTransaction', [await sign(chain, 1, { nonce: 0 })])).toBe(
      'error -32000 invalid chain id for signer: have 31337 want 5',
    )
    await send(chain, 1, { nonce: 0, to: to!, chainId: 5 })
    const { block } = await chain.seal()
    expect(block.transactions.map(({ chainId, type }) => [chainId, type]).sort()).toEqual([
      ['0x5', '0x0'],
      ['0x5', '0x2'],
      ['0x5', '0x2'],
      ['0x5', '0x2'],
    ])
  })

  it('withdraws and drops transactions with the previous id, and keeps those without an id', async () => {
    const chain = await startChain()
    const to = chain.accounts[1]!.address
    const preconfirmed = await send(chain, 0, { nonce: 0, to })
    await chain.tick()
    const waiting = await send(chain, 1, { nonce: 0, to })
    const account = privateKeyToAccount(chain.accounts[2]!.privateKey)
    const unbound = await chain.preconf.request({
      method: 'eth_sendRawTransaction',
      params: [
        await account.signTransaction({
          type: 'legacy',
          to,
          gas: 21_000n,
          gasPrice: parseGwei('2'),
          nonce: 0,
        }),
      ],
    })
    const events = listen(chain)
    await setChainId(chain, 5)
    expect(events).toEqual([
      { retracted: [preconfirmed] },
      chainIdDrop(waiting, 31_337, 5),
      chainIdDrop(preconfirmed, 31_337, 5),
    ])
    expect(await askBoth(chain, 'chain_transactionStatus', [preconfirmed])).toEqual({
      both: { status: 'Unknown', stage: 'dropped' },
    })
    const { block } = await chain.seal()
    expect(block.transactions.map(({ hash }) => hash)).toEqual([unbound])
  })

  it('does not apply to sealed blocks', async () => {
    const chain = await startChain()
    const first = await deployChainId(chain)
    await chain.seal()
    await setChainId(chain, 5)
    expect(await traceCreation(chain, first)).toMatchObject({ output: word(31_337) })
    const second = await deployChainId(chain)
    await chain.tick()
    expect(await traceCreation(chain, second)).toMatchObject({ output: word(5) })
    await chain.seal()
    expect(await traceCreation(chain, first)).toMatchObject({ output: word(31_337) })
    expect(await traceCreation(chain, second)).toMatchObject({ output: word(5) })
  })

  it('emits chainChanged on every connection, also if a snapshot or a reset restores the id', async () => {
    const chain = await startChain()
    const events: unknown[] = []
    for (const view of ['standard', 'preconf'] as const) {
      chain[view].on('chainChanged', async (id) => {
        // Requests in a listener are answered with the new id.
        events.push([view, id, await ask(chain[view], 'eth_chainId')])
      })
    }
    const both = (id: Hex) => [
      ['standard', id, id],
      ['preconf', id, id],
    ]
    const takeEvents = async () => {
      await ask(chain.standard, 'eth_chainId')
      return events.splice(0)
    }
    const start = await chain.snapshot()
    await setChainId(chain, 5)
    expect(await takeEvents()).toEqual(both('0x5'))
    await setChainId(chain, 5)
    const five = await chain.snapshot()
    expect(await takeEvents()).toEqual([])
    await setChainId(chain, 6)
    expect(await takeEvents()).toEqual(both('0x6'))
    await chain.revert(five)
    expect(await takeEvents()).toEqual(both('0x5'))
    await chain.revert(start)
    expect(await takeEvents()).toEqual(both('0x7a69'))
    await setChainId(chain, 7)
    expect(await takeEvents()).toEqual(both('0x7'))
    await ask(chain.standard, 'anvil_reset')
    expect(await takeEvents()).toEqual(both('0x7a69'))
  })

  it('applies to wallet_switchEthereumChain', async () => {
    const chain = await startChain()
    await setChainId(chain, 5)
    const switchTo = (chainId: Hex) => ask(chain.preconf, 'wallet_switchEthereumChain', [{ chainId }])
    expect([await switchTo('0x5'), await switchTo('0x7a69')]).toEqual([
      null,
      'error 4902 unrecognized chain ID 0x7a69',
    ])
  })

  it.each([
    ['eth_sendTransaction', (from: Hex, to: Hex) => ({ from, to, chainId: '0x7a69' })],
    [
      'wallet_sendCalls',
      (from: Hex, to: Hex) => ({
        version: '2.0.0',
        from,
        chainId: '0x7a69',
        atomicRequired: true,
        calls: [{ to }],
      }),
    ],
  ] as const)('applies after a request of %s that is in progress', async (method, of) => {
    let beforeExecution: (() => void) | undefined
    const executor: ChainParts['executor'] = (own) => ({
      ...own,
      execute: (...args) => {
        beforeExecution?.()
        return own.execute(...args)
      },
    })
    const chain = await startChain({}, { executor })
    const [from, to] = chain.accounts.map(({ address }) => address)
    const events = listen(chain)
    let isSet: Promise<unknown> | undefined
    // Setting the id of an empty block executes no transaction.
    beforeExecution = () => {
      isSet ??= setChainId(chain, 5)
    }
    const sent: Hash[] = []
    chain.on('transaction', ({ hash }) => sent.push(hash))
    expect(String(await ask(chain.preconf, method, [of(from!, to!)]))).not.toMatch(/^error/)
    await isSet
    expect(events).toEqual([chainIdDrop(sent[0]!, 31_337, 5)])
    expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('drops transactions with the previous id that a reorg withdraws', async () => {
    const chain = await startChain()
    const hash = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    await chain.seal()
    await setChainId(chain, 5)
    const events = listen(chain)
    await chain.reorg({ depth: 1 })
    expect(events).toEqual([{ retracted: [hash] }, chainIdDrop(hash, 31_337, 5)])
    const now = await deployChainId(chain)
    expect((await chain.seal()).block.transactions).toMatchObject([
      { hash: now, chainId: '0x5', nonce: '0x0' },
    ])
  })
})

describe('a stored chain', () => {
  const openDatabase = () => new MemoryLevel<string, Uint8Array>({ valueEncoding: 'view' })

  /** Seals a block of each of two ids, and two empty ones. */
  async function seal(chain: TestChain): Promise<Hash[]> {
    const hashes = [await deployChainId(chain)]
    await chain.seal()
    await setChainId(chain, 5)
    hashes.push(await deployChainId(chain))
    await chain.seal()
    await chain.seal()
    await chain.seal()
    return hashes
  }

  it('is restored with the ids of its blocks, and the last one for later ones', async () => {
    const database = openDatabase()
    const chain = await startChain({ database })
    const hashes = await seal(chain)
    const latest = await ask(chain.standard, 'eth_getBlockByNumber', ['latest', true])
    await chain.finish()
    const again = await startChain({ database })
    expect(await ask(again.standard, 'eth_getBlockByNumber', ['latest', true])).toEqual(latest)
    expect(await askBoth(again, 'eth_chainId')).toEqual({ both: '0x5' })
    expect([await traceCreation(again, hashes[0]!), await traceCreation(again, hashes[1]!)]).toMatchObject([
      { output: word(31_337) },
      { output: word(5) },
    ])
  })

  it('has the ids of blocks that are older than its history', async () => {
    const chain = await startChain({ history: { blocks: 2, proofs: 1 } })
    await seal(chain)
    const chainIdOf = async (number: Hex) => {
      const block = await ask(chain.standard, 'eth_getBlockByNumber', [number, true])
      return (block as { transactions: { chainId: Hex }[] }).transactions[0]!.chainId
    }
    expect([await chainIdOf('0x1'), await chainIdOf('0x2')]).toEqual(['0x7a69', '0x5'])
  })

  it('imports blocks with the id that was set', async () => {
    const other = await startChain({ chainId: 5 })
    const hash = await deployChainId(other)
    const sealed = await other.seal()
    const raw = await other.standard.request({ method: 'debug_getRawBlock', params: ['0x1'] })
    const database = openDatabase()
    const chain = await startChain({ database })
    await expect(chain.importBlocks(hexToBytes(raw))).rejects.toThrow(/have 5 want 31337/)
    await setChainId(chain, 5)
    expect(await chain.importBlocks(hexToBytes(raw))).toEqual(sealed)
    await chain.finish()
    const again = await startChain({ database })
    expect(await ask(again.standard, 'eth_getTransactionByHash', [hash])).toMatchObject({ chainId: '0x5' })
  })
})
