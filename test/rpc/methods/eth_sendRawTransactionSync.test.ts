import { describe, expect, it } from 'vitest'
import type { ChainOptions, Provider } from '../../../src/index.ts'
import { systemClock } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, send, sign } from '../scene.ts'

/** Whether a request has ended, and its answer. */
function follow(request: Promise<unknown>): { ended: boolean; answer: Promise<unknown> } {
  const followed = { ended: false, answer: request.finally(() => (followed.ended = true)) }
  return followed
}

async function flush(): Promise<void> {
  for (let i = 0; i < 20; i++) await systemClock.yield()
}

async function sendSync(chain: TestChain, provider: Provider, nonce = 0, timeout?: unknown, fees = {}) {
  const raw = await sign(chain, 0, { nonce, to: chain.accounts[1]!.address, ...fees })
  const request = follow(
    ask(provider, 'eth_sendRawTransactionSync', timeout === undefined ? [raw] : [raw, timeout]),
  )
  const hash = await ask(provider, 'web3_sha3', [raw])
  // The first transaction of a process waits for WebAssembly.
  while (!request.ended && (await ask(chain.preconf, 'eth_getTransactionByHash', [hash])) === null)
    await flush()
  await flush()
  return { request, answer: request.answer, hash }
}

describe('eth_sendRawTransactionSync', () => {
  it('answers with the pre-confirmed receipt on preconf, the sealed one on standard (manual mining)', async () => {
    const chain = await startChain()
    const onPreconf = await sendSync(chain, chain.preconf)
    const onStandard = await sendSync(chain, chain.standard, 1)
    expect([onPreconf.request.ended, onStandard.request.ended]).toEqual([false, false])
    const preconfBlock = await chain.tick()
    expect(await onPreconf.answer).toEqual(
      await ask(chain.preconf, 'eth_getTransactionReceipt', [onPreconf.hash]),
    )
    expect(await onPreconf.answer).toMatchObject({
      blockHash: preconfBlock.block.hash,
      transactionIndex: '0x0',
    })
    await flush()
    expect(onStandard.request.ended).toBe(false)
    const sealed = await chain.seal()
    expect(await onStandard.answer).toEqual(
      await ask(chain.standard, 'eth_getTransactionReceipt', [onStandard.hash]),
    )
    expect(await onStandard.answer).toMatchObject({ blockHash: sealed.block.hash, transactionIndex: '0x1' })
  })

  it('answers after a tick and after a seal in interval mining', async () => {
    const chain = await startChain({ mining: 'interval' })
    const onPreconf = await sendSync(chain, chain.preconf)
    const onStandard = await sendSync(chain, chain.standard, 1)
    await chain.clock.advance(199)
    expect([onPreconf.request.ended, onStandard.request.ended]).toEqual([false, false])
    await chain.clock.advance(1)
    expect(await onPreconf.answer).toMatchObject({ status: '0x1', blockNumber: '0x1' })
    expect(onStandard.request.ended).toBe(false)
    await chain.clock.advance(1800)
    expect(await onStandard.answer).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  })

  it.each(['standard', 'preconf'] as const)(
    'answers with the sealed receipt on %s in auto mining',
    async (view) => {
      const chain = await startChain({ mining: 'auto' })
      const { answer } = await sendSync(chain, chain[view])
      expect(await answer).toMatchObject({ status: '0x1', blockNumber: '0x1' })
      expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
    },
  )

  it('times out with code 4 and the hash, and keeps the transaction (spec.md 32)', async () => {
    const chain = await startChain()
    const { request, hash } = await sendSync(chain, chain.preconf, 0, 500)
    await chain.clock.advance(499)
    await flush()
    expect(request.ended).toBe(false)
    await chain.clock.advance(1)
    expect(await request.answer).toBe(
      `error 4 the transaction was added to the mempool but was not included within 500 ms "${hash}"`,
    )
    expect(await ask(chain.preconf, 'chain_transactionStatus', [hash])).toEqual({
      status: 'Known',
      stage: 'pending',
    })
  })

  it.each([
    ['twice the block time by default', {}, undefined, 4000],
    ['2000 ms by default at least', { blockTime: 400 }, undefined, 2000],
    ['a hex timeout', {}, '0x64', 100],
    ['the default for null', {}, null, 4000],
    ['twice a longer block time by default', { blockTime: 12_000 }, undefined, 24_000],
    ['60 s by default at most', { blockTime: 50_000 }, undefined, 60_000],
    ['the maximum', {}, 60_000, 60_000],
    ['0 ms', {}, 0, 0],
  ] as [string, ChainOptions, unknown, number][])(
    'times out after %s (spec.md 32)',
    async (_name, options, timeout, after) => {
      const chain = await startChain(options)
      const { request } = await sendSync(chain, chain.standard, 0, timeout)
      if (after > 0) {
        await chain.clock.advance(after - 1)
        await flush()
        expect(request.ended).toBe(false)
      }
      await chain.clock.advance(1)
      expect(await request.answer).toContain(`was not included within ${after} ms`)
    },
  )

  it('refuses timeouts that are too long or invalid, and sends nothing (spec.md 32)', async () => {
    const chain = await startChain()
    const answers = []
    for (const timeout of [60_001, '0xea61', -1, 1.5, '0x', '100', true, Number.NaN]) {
      answers.push(await (await sendSync(chain, chain.preconf, 0, timeout)).answer)
    }
    expect(answers).toMatchInlineSnapshot(`
      [
        "error -32602 timeout too long: 60001 ms, max 60000 ms",
        "error -32602 timeout too long: 60001 ms, max 60000 ms",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
        "error -32602 invalid argument 1: expected an integer >= 0 (milliseconds)",
      ]
    `)
    expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it.each(['manual', 'auto', 'interval'] as const)(
    'answers at once with code 5 if the transaction is only queued, and keeps it (%s mining; spec.md 32)',
    async (mining) => {
      const chain = await startChain({ mining })
      const gapped = await sendSync(chain, chain.preconf, 1)
      const cheap = await sendSync(chain, chain.standard, 0, undefined, {
        maxFeePerGas: 7n,
        maxPriorityFeePerGas: 0n,
      })
      const message = 'error 5 the transaction was added to the mempool but is not ready to be executed'
      expect([gapped.request.ended, cheap.request.ended]).toEqual([true, true])
      expect(await gapped.answer).toBe(`${message}: its nonce is 1, the next one is 0 "${gapped.hash}"`)
      expect(await cheap.answer).toBe(`${message} "${cheap.hash}"`)
      expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x2' })
    },
  )

  it('fails if the transaction is replaced while it waits', async () => {
    const chain = await startChain()
    const { answer, hash } = await sendSync(chain, chain.preconf)
    const to = chain.accounts[2]!.address
    await send(chain, 0, {
      nonce: 0,
      to,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 2_000_000_000n,
    })
    await chain.tick()
    expect(await answer).toBe(`error -32000 the transaction was dropped: replaced "${hash}"`)
  })

  it('names the first missing nonce after those of waiting transactions', async () => {
    const chain = await startChain()
    const to = chain.accounts[1]!.address
    await send(chain, 0, { nonce: 0, to })
    await chain.tick()
    await send(chain, 0, { nonce: 1, to })
    for (const view of ['standard', 'preconf'] as const) {
      const { answer } = await sendSync(chain, chain[view], view === 'preconf' ? 50 : 51)
      expect(await answer).toContain(`: its nonce is ${view === 'preconf' ? 50 : 51}, the next one is 2 `)
    }
  })

  it('waits for a known transaction if it is sent again', async () => {
    const chain = await startChain()
    const first = await sendSync(chain, chain.preconf, 0, 500)
    await chain.clock.advance(500)
    const late = `error 4 the transaction was added to the mempool but was not included within 500 ms "${first.hash}"`
    expect(await first.answer).toBe(late)
    const second = await sendSync(chain, chain.preconf, 0, 500)
    await chain.clock.advance(500)
    expect(await second.answer).toBe(late)
    const third = await sendSync(chain, chain.preconf)
    await chain.tick()
    const onStandard = await sendSync(chain, chain.standard)
    const receipt = await ask(chain.preconf, 'eth_getTransactionReceipt', [first.hash])
    expect(await third.answer).toEqual(receipt)
    expect(await (await sendSync(chain, chain.preconf)).answer).toEqual(receipt)
    expect(onStandard.request.ended).toBe(false)
    await chain.seal()
    expect(await onStandard.answer).toEqual(
      await ask(chain.standard, 'eth_getTransactionReceipt', [first.hash]),
    )
    const gapped = [await sendSync(chain, chain.preconf, 5), await sendSync(chain, chain.preconf, 5)]
    expect(await gapped[1]!.answer).toBe(await gapped[0]!.answer)
  })

  it('refuses what eth_sendRawTransaction refuses', async () => {
    const chain = await startChain()
    await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address })
    await chain.seal()
    expect(await (await sendSync(chain, chain.preconf)).answer).toBe('error -32000 nonce too low')
    expect(await ask(chain.preconf, 'eth_sendRawTransactionSync', ['0x'])).toBe(
      'error -32602 invalid argument 0: expected a hex string of at least one byte',
    )
  })

  it.each(['provider', 'chain'] as const)('ends with 4900 when the %s closes', async (what) => {
    const chain = await startChain()
    const { answer } = await sendSync(chain, chain.preconf)
    await (what === 'chain' ? chain : chain.preconf).close()
    expect(await answer).toBe('error 4900 disconnected')
  })
})
