/** The order in which requests that are sent at the same time take effect. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { Missing } from '../../../src/base/waiting.ts'
import { assembleChain } from '../../../src/chain/chain.ts'
import { Order } from '../../../src/core/sequencer/order.ts'
import type { Executor } from '../../../src/ethereum/evm/executor.ts'
import { type ChainOptions, createManualClock, type Hex, type Provider } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { between } from '../fork/remoteChain.ts'
import { hashesOf, sign } from './support.ts'

const CONTRACT = `0x${'c0de'.padStart(40, '0')}` as const
/** Without data, writes 1 to slot 0; with data, reverts unless it was written. */
const APPROVE_THEN_USE = '0x3661000b576001600055005b6000546100185760006000fd5b00'
/** Stops, and the chain of {@link startSlow} takes several turns of the event loop to execute it. */
const STOP = '0x00'
const TO = `0x${'11'.repeat(20)}`
const STRANGER = `0x${'99'.repeat(20)}`

const MODES: readonly ChainOptions[] = [
  { mining: 'manual' },
  { mining: 'auto' },
  { mining: 'interval' },
  { mining: 'manual', dialect: 'geth' },
  { mining: 'auto', dialect: 'geth' },
  { mining: 'manual', dialect: 'hardhat' },
  { mining: 'auto', dialect: 'hardhat' },
  { mining: 'interval', dialect: 'hardhat' },
]

const named = MODES.map((options) => [`${options.mining}, ${options.dialect ?? 'default'}`, options] as const)

/** Those in which transactions without gas are estimated. */
const estimating = named.filter(([, { dialect }]) => dialect === undefined)

const request = ({ preconf }: TestChain, method: string, ...params: unknown[]) =>
  preconf.request({ method, params }) as Promise<never>

async function startWith(code: Hex, options: ChainOptions = {}): Promise<TestChain> {
  const chain = await startChain(options)
  await request(chain, 'anvil_setCode', CONTRACT, code)
  return chain
}

/** Like {@link startWith}, on a chain that loads something before each execution of the contract, as a fork may. */
async function startSlow(code: Hex, options: ChainOptions = {}): Promise<TestChain> {
  let isLoaded = false
  const load = async () => {
    for (let turn = 0; turn < 5; turn++) await systemClock.yield()
    isLoaded = true
  }
  const executor = (own: Executor): Executor => ({
    ...own,
    execute(execution, pause) {
      if (execution.tx.to !== CONTRACT) return own.execute(execution, pause)
      if (!isLoaded) throw new Missing(load)
      isLoaded = false
      return own.execute(execution, pause)
    },
  })
  const chain = await startChain(options, { executor })
  await request(chain, 'anvil_setCode', CONTRACT, code)
  return chain
}

const addresses = (chain: TestChain) => chain.accounts.map(({ address }) => address)

/** The stage at which a transaction is, without what its hash decides. */
const stage = async (chain: TestChain, hash: Hex) => {
  const transaction = await request(chain, 'eth_getTransactionByHash', hash)
  return transaction === null ? null : (transaction as { blockNumber: unknown }).blockNumber
}

describe('the order of requests', () => {
  it.each(named)('keeps the sends of an account in the order of the requests: %s', async (_, options) => {
    const chain = await startWith(APPROVE_THEN_USE, options)
    const [from] = addresses(chain)
    const hashes = await Promise.all([
      request(chain, 'eth_sendTransaction', { from, to: CONTRACT }),
      request(chain, 'eth_sendTransaction', { from, to: CONTRACT, data: '0x01', gas: '0x186a0' }),
    ])
    await chain.seal()
    const outcomes = hashes.map(async (hash) => [
      (await request(chain, 'eth_getTransactionByHash', hash))['nonce'],
      (await request(chain, 'eth_getTransactionReceipt', hash))['status'],
    ])
    expect(await Promise.all(outcomes)).toEqual([
      ['0x0', '0x1'],
      ['0x1', '0x1'],
    ])
  })

  it.each(estimating)('gives the same blocks however long an estimate takes: %s', async (_, options) => {
    const blocksOf = async (start: typeof startWith) => {
      const chain = await start(STOP, options)
      const [from, other] = addresses(chain)
      const raw = await sign(chain, { from: 2, nonce: 0 })
      const sent = [
        request(chain, 'eth_sendTransaction', { from, to: CONTRACT }),
        request(chain, 'eth_sendTransaction', { from, to: CONTRACT, gas: '0x989680' }),
        request(chain, 'eth_sendTransaction', { from: other, to: TO, value: '0x1' }),
        request(chain, 'eth_sendRawTransaction', raw),
        request(chain, 'eth_sendTransaction', { from, to: TO, value: '0x1' }),
      ]
      await Promise.all([...sent, chain.seal()])
      const blocks: unknown[] = []
      const { block: head } = await chain.seal()
      for (let number = 1; number <= Number(head.number); number++) {
        const block = await request(chain, 'eth_getBlockByNumber', `0x${number.toString(16)}`, true)
        blocks.push(
          (block['transactions'] as { from: string; nonce: string }[]).map(({ from, nonce }) => [
            from,
            nonce,
          ]),
        )
      }
      return blocks
    }
    const quick = await blocksOf(startWith)
    expect(await blocksOf(startSlow)).toEqual(quick)
    expect(quick.flat()).toHaveLength(5)
  })

  it.each(named)('makes changes after the sends that arrived before them: %s', async (_, options) => {
    const chain = await startSlow(STOP, options)
    const [from] = addresses(chain)
    const [hash] = await Promise.all([
      request(chain, 'eth_sendTransaction', { from, to: CONTRACT }),
      request(chain, 'evm_mine'),
    ])
    expect(await stage(chain, hash)).toBe('0x1')
    const raw = await sign(chain, { nonce: 1 })
    const [second, third] = await Promise.all([
      request(chain, 'eth_sendRawTransaction', raw),
      request(chain, 'eth_sendTransaction', { from, to: TO, gas: '0x5208' }),
      chain.seal(),
    ])
    expect([await stage(chain, second), await stage(chain, third)]).not.toContain(null)
  })

  it.each(named)('sends after the changes that arrived before: %s', async (_, options) => {
    const chain = await startSlow(STOP, options)
    const raw = await sign(chain, { nonce: 0 })
    const [, , hash] = await Promise.all([
      request(chain, 'anvil_setBalance', STRANGER, `0x${(10n ** 20n).toString(16)}`),
      request(chain, 'anvil_impersonateAccount', STRANGER),
      request(chain, 'eth_sendTransaction', { from: STRANGER, to: CONTRACT }),
    ])
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/)
    const id = await chain.snapshot()
    await request(chain, 'eth_sendRawTransaction', raw)
    await chain.seal()
    const [reverted, again] = await Promise.all([
      request(chain, 'evm_revert', id),
      request(chain, 'eth_sendRawTransaction', raw),
    ])
    expect(reverted).toBe(true)
    await chain.seal()
    expect(await stage(chain, again)).toMatch(/^0x/)
  })

  it('lets other senders and reads wait for nobody', async () => {
    const chain = await startSlow(STOP)
    const [from, other] = addresses(chain)
    const order: string[] = []
    const note = (name: string, answer: Promise<unknown>) => answer.then(() => order.push(name))
    const raw = await sign(chain, { from: 2, nonce: 0 })
    await Promise.all([
      note('estimated', request(chain, 'eth_sendTransaction', { from, to: CONTRACT })),
      note('same sender', request(chain, 'eth_sendTransaction', { from, to: TO, gas: '0x5208' })),
      note('other sender', request(chain, 'eth_sendTransaction', { from: other, to: TO })),
      note('signed', request(chain, 'eth_sendRawTransaction', raw)),
      note('read', request(chain, 'eth_getBalance', from, 'latest')),
    ])
    expect(order.slice(0, 3).sort()).toEqual(['other sender', 'read', 'signed'])
    expect(order.slice(3)).toEqual(['estimated', 'same sender'])
    // The mempool offers them in the order of the requests nevertheless.
    const { block } = await chain.seal()
    expect(block.transactions.map((tx) => tx.from)).toEqual(
      [from, from, other, chain.accounts[2]!.address].map((address) => address!.toLowerCase()),
    )
  })

  it('does not wait for a send that waits for its inclusion', async () => {
    const chain = await startSlow(STOP)
    const [from] = addresses(chain)
    const [receipt] = await Promise.all([
      request(chain, 'eth_sendTransactionSync', { from, to: CONTRACT }),
      request(chain, 'evm_mine'),
    ])
    expect(receipt).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  })

  it('gives up the turn of a connection that closes, and what it sends later', async () => {
    const chain = await startSlow(STOP)
    const [from] = addresses(chain)
    const leaving: Provider = chain.provider('preconf')
    const abandoned = ask(leaving, 'eth_sendTransaction', [{ from, to: CONTRACT }])
    const mined = ask(leaving, 'evm_mine', [])
    const next = request(chain, 'eth_sendTransaction', { from, to: TO, value: '0x1' })
    const sealed = chain.seal()
    leaving.close()
    expect(await Promise.all([abandoned, mined])).toEqual(Array(2).fill('error 4900 disconnected'))
    expect(hashesOf(await sealed)).toEqual([await next])
    expect(await request(chain, 'eth_getTransactionCount', from, 'pending')).toBe('0x1')
    expect(hashesOf(await chain.seal())).toEqual([])
  })

  it('ends a turn that is refused', async () => {
    const chain = await startWith('0x60006000fd')
    const [from] = addresses(chain)
    const [refused, invalid, hash, preconfBlock] = await Promise.all([
      ask(chain.preconf, 'eth_sendTransaction', [{ from, to: CONTRACT }]),
      ask(chain.preconf, 'eth_sendTransaction', [{ from, to: 1 }]),
      request(chain, 'eth_sendTransaction', { from, to: TO }),
      chain.tick(),
    ])
    expect([refused, invalid]).toEqual([
      'error -32000 execution reverted "0x"',
      expect.stringMatching(/^error -32602/),
    ])
    expect(hashesOf(preconfBlock)).toEqual([hash])
  })

  it('ends a turn whose request to a forked node is not answered in time', async () => {
    const remote = await startWith(STOP)
    await remote.seal()
    const node = between(remote.standard, ({ params }) =>
      JSON.stringify(params).includes(CONTRACT) ? new Promise(() => {}) : undefined,
    )
    const [nodeClock, timeout] = [createManualClock(), 5000]
    const fork = await assembleChain(
      { mining: 'manual', clock: createManualClock(), fork: { provider: node.provider as never, timeout } },
      { nodeClock },
    )
    onTestFinished(fork.close)
    const [from, other] = fork.accounts.map(({ address }) => address)
    const order: string[] = []
    const sendTo = (name: string, to: string, sender = from) =>
      ask(fork.preconf, 'eth_sendTransaction', [{ from: sender, to, value: '0x1' }]).finally(() =>
        order.push(name),
      )
    const sends = [sendTo('unanswered', CONTRACT), sendTo('same sender', TO)]
    await sendTo('other sender', TO, other)
    expect(order).toEqual(['other sender'])
    const sealed = fork.seal()
    await nodeClock.advance(timeout)
    const [unanswered, hash] = await Promise.all(sends)
    expect(unanswered).toMatch(/^error -32000 the forked node did not answer .+: no answer within 5000 ms/)
    expect(hashesOf(await sealed)).toContain(hash)
    expect(await ask(fork.preconf, 'eth_getTransactionByHash', [hash])).toMatchObject({ nonce: '0x0' })
  })

  it('closes a chain while turns are held', async () => {
    const chain = await startSlow(STOP)
    const [from, other] = addresses(chain)
    const held = [
      ask(chain.preconf, 'eth_sendTransaction', [{ from, to: CONTRACT }]),
      ask(chain.standard, 'eth_sendTransaction', [{ from, to: CONTRACT }]),
      ask(chain.preconf, 'evm_mine', []),
      ask(chain.standard, 'eth_sendTransaction', [{ from: other, to: CONTRACT }]),
    ]
    await chain.close()
    expect(await Promise.all(held)).toEqual(Array(4).fill('error 4900 disconnected'))
  })
})

describe('a send', () => {
  it('is behind a change that came before it, even if that has ended when the send begins', () => {
    let places = 0
    const order = new Order(() => places++)
    const first = order.send(false)
    expect([first.begin(), first.isBehind]).toEqual([undefined, false])
    first.enter(false)
    const change = order.change()
    const second = order.send(false)
    change.end()
    expect([second.begin(), second.isBehind]).toEqual([undefined, true])
    const third = order.send(false)
    second.enter(false)
    expect([third.begin(), third.isBehind]).toEqual([undefined, true])
  })
})
