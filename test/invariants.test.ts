/** The invariants of ARCHITECTURE.md under random operations, for each configuration. */
import fc from 'fast-check'
import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Clock, createManualClock, type Hash, type Hex, type ManualClock } from '../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from './configurations.ts'
import { startChain, type TestChain } from './harness.ts'
import { holdingOf, mirror } from './mirror.ts'
import { CONTRACT, type Operation, operations, perform } from './operations.ts'
import { ask } from './rpc/scene.ts'

const UNAVAILABLE = 'error -32000 state not available'

const others = fc.constantFrom<Operation>(
  { kind: 'ask', method: 'evm_snapshot', params: [] },
  { kind: 'ask', method: 'evm_revert', params: ['0x1'] },
  { kind: 'ask', method: 'evm_revert', params: ['0x2'] },
  { kind: 'ask', method: 'anvil_setAutomine', params: [true] },
  { kind: 'ask', method: 'anvil_setIntervalMining', params: [1] },
  { kind: 'ask', method: 'miner_stop', params: [] },
)
const steps = operations((operation) => {
  const step = fc.oneof({ weight: 12, arbitrary: operation }, { weight: 2, arbitrary: others })
  return fc.array(step, { minLength: 5, maxLength: 25 })
})

/** A manual clock that counts its timers. */
function countingClock(): ManualClock & { readonly timers: ReadonlySet<unknown> } {
  const clock = createManualClock()
  const timers = new Set<unknown>()
  const setTimeout: Clock['setTimeout'] = (fn, ms) => {
    const timer = clock.setTimeout(() => {
      timers.delete(timer)
      return fn()
    }, ms)
    timers.add(timer)
    return timer
  }
  return {
    timers,
    get elapsed() {
      return clock.elapsed
    },
    setTimeout,
    now: () => clock.now(),
    clearTimeout(timer) {
      timers.delete(timer)
      clock.clearTimeout(timer)
    },
    yield: () => clock.yield(),
    advance: (ms) => clock.advance(ms),
  }
}

/** Reads a chain during operations, and checks the answers. */
class Readers {
  readonly #chain: TestChain
  readonly #answers: Promise<void>[] = []
  /** Answers that mix preconf blocks, or are older than the announced one. */
  readonly mistakes: unknown[] = []

  constructor(chain: TestChain) {
    this.#chain = chain
    chain.on('preconf', ({ block }) => this.#announced('preconf', 'pending', block.hash))
    chain.on('block', ({ block }) => {
      this.#announced('preconf', 'latest', block.hash)
      this.#announced('standard', 'latest', block.hash)
    })
    for (const event of ['preconf', 'block', 'retracted', 'dropped', 'transaction'] as const) {
      chain.on(event, () => {
        this.read()
        throw new Error('of a listener')
      })
    }
  }

  /** Sends slow requests about the current block under construction. */
  read(): void {
    const now = ask(this.#chain.preconf, 'eth_getBlockByNumber', ['pending', false])
    const call = { to: CONTRACT, gas: '0x186a0' }
    const answers = Promise.all([
      now,
      ask(this.#chain.preconf, 'eth_getBlockReceipts', ['pending']),
      ask(this.#chain.preconf, 'debug_traceBlockByNumber', ['pending', { tracer: 'callTracer' }]),
      ask(this.#chain.preconf, 'eth_simulateV1', [{ blockStateCalls: [{ calls: [call] }] }, 'pending']),
      ask(this.#chain.preconf, 'eth_getLogs', [{ fromBlock: 'pending', toBlock: 'pending' }]),
    ])
    this.#answers.push(answers.then((all) => this.#compare(all)))
  }

  async drain(): Promise<void> {
    while (this.#answers.length > 0) await this.#answers.pop()
  }

  #announced(view: 'preconf' | 'standard', tag: string, hash: Hash): void {
    const { [view]: provider } = this.#chain
    const compare = async () => {
      const block = (await ask(provider, 'eth_getBlockByNumber', [tag, false])) as { readonly hash: Hash }
      if (block.hash !== hash) this.mistakes.push({ view, tag, announced: hash, read: block.hash })
    }
    this.#answers.push(compare())
  }

  #compare([now, receipts, traces, simulated, logs]: readonly unknown[]): void {
    const { hash, transactions } = now as { readonly hash: Hash; readonly transactions: readonly Hash[] }
    const hashesIn = (answer: unknown, name: string) =>
      (answer as readonly Record<string, unknown>[]).map((one) => one[name])
    const parents = simulated === UNAVAILABLE ? [hash] : hashesIn(simulated, 'parentHash')
    const seen = {
      included: hashesIn(receipts, 'transactionHash'),
      blocks: [...new Set([...hashesIn(receipts, 'blockHash'), ...hashesIn(logs, 'blockHash'), ...parents])],
      traced: traces === UNAVAILABLE ? transactions : hashesIn(traces, 'txHash'),
    }
    const expected = { included: transactions, blocks: [hash], traced: transactions }
    if (JSON.stringify(seen) !== JSON.stringify(expected)) this.mistakes.push({ seen, expected })
  }
}

/** @returns all events and answers. */
async function run({ options }: Configuration, all: readonly Operation[], isRead: boolean): Promise<unknown> {
  const clock = countingClock()
  const chain = await startChain({ ...options, clock }, {}, { skipHeaderValidation: true })
  const errors = new Set<string>()
  chain.on('error', ({ message }) => errors.add(message))
  const events: unknown[] = []
  for (const event of ['preconf', 'block', 'retracted', 'dropped', 'transaction'] as const) {
    chain.on(event, (value: unknown) => events.push(event, value))
  }
  const readers = isRead ? new Readers(chain) : undefined
  const holding = await mirror(chain)
  const answers: unknown[] = []
  for (const one of all) {
    readers?.read()
    answers.push(await perform(chain, one, options))
    if (readers === undefined) continue
    await readers.drain()
    expect({ one, mistakes: readers.mistakes }).toEqual({ one, mistakes: [] })
  }
  expect(holding()).toEqual(await holdingOf(chain))
  if (isRead) {
    await checkLookups(chain)
    await checkConcurrentCalls(chain)
  }
  expect([...errors].filter((message) => message !== 'of a listener')).toEqual([])
  await chain.finish()
  expect(clock.timers.size).toBe(0)
  return { events, answers }
}

/** Every method finds the contents of the blocks within the history, with equal answers. */
async function checkLookups({ standard, preconf }: TestChain): Promise<void> {
  const head = Number(await ask(standard, 'eth_blockNumber'))
  const tags: Hex[] = Array.from({ length: head }, (_, i) => numberToHex(i + 1))
  const found = new Map<Hash, unknown>()
  for (const tag of [...tags, 'pending']) {
    const receipts = await ask(preconf, 'eth_getBlockReceipts', [tag])
    if (receipts === UNAVAILABLE) continue
    // A transaction in two blocks, after a cheat reset a nonce, is found in the later one.
    for (const receipt of receipts as readonly { transactionHash: Hash }[]) {
      found.set(receipt.transactionHash, receipt)
    }
    for (const { from, nonce, hash } of await transactionsOf(preconf, tag)) {
      const sent = await ask(preconf, 'eth_getTransactionBySenderAndNonce', [from, nonce])
      expect(sent, `nonce ${nonce} of ${from}, ${hash}`).toMatchObject({ from, nonce })
    }
  }
  for (const [hash, receipt] of found) {
    expect(await ask(preconf, 'eth_getTransactionReceipt', [hash])).toEqual(receipt)
    const { blockNumber } = receipt as { blockNumber: Hex }
    const status = Number(blockNumber) > head ? 'preconfirmed' : 'sealed'
    expect(await ask(preconf, 'chain_transactionStatus', [hash])).toMatchObject({ stage: status })
  }
}

async function transactionsOf(
  provider: TestChain['preconf'],
  tag: string,
): Promise<readonly { from: Hex; nonce: Hex; hash: Hash }[]> {
  const block = await ask(provider, 'eth_getBlockByNumber', [tag, true])
  return (block as { transactions: readonly { from: Hex; nonce: Hex; hash: Hash }[] }).transactions
}

/** Concurrent calls at different blocks have the same results as sequential ones. */
async function checkConcurrentCalls({ standard, preconf, accounts }: TestChain): Promise<void> {
  const head = Number(await ask(standard, 'eth_blockNumber'))
  const tags = [...Array.from({ length: head + 1 }, (_, number) => numberToHex(number)), 'latest', 'pending']
  const call = { from: accounts[1]!.address, to: CONTRACT, value: '0x1' }
  const requests = tags.flatMap((tag) =>
    [standard, preconf].flatMap((provider) => [
      () => ask(provider, 'eth_call', [call, tag]),
      () => ask(provider, 'eth_estimateGas', [call, tag]),
      () => ask(provider, 'debug_traceCall', [call, tag, { tracer: 'prestateTracer' }]),
      () => ask(provider, 'eth_createAccessList', [call, tag]),
    ]),
  )
  const sequential: unknown[] = []
  for (const request of requests) sequential.push(await request())
  expect(await Promise.all(requests.map((request) => request()))).toEqual(sequential)
}

describe('invariants', () => {
  it.each(CONFIGURATIONS)('hold, and reading changes nothing: $name', async (configuration) => {
    const property = fc.asyncProperty(steps, async (all) => {
      expect(await run(configuration, all, true)).toEqual(await run(configuration, all, false))
    })
    await fc.assert(property, runsOf(configuration))
  })

  it.each(CONFIGURATIONS)(
    'hold if several operations are performed at the same time: $name',
    async (configuration) => {
      const { options } = configuration
      const groups = fc.array(fc.nat(4), { minLength: 25, maxLength: 25 })
      const property = fc.asyncProperty(steps, groups, async (all, sizes) => {
        const chain = await startChain(options, {}, { skipHeaderValidation: true })
        const errors: Error[] = []
        chain.on('error', (error) => errors.push(error))
        const holding = await mirror(chain)
        for (let at = 0, group = 0; at < all.length; group++) {
          const together = all.slice(at, at + 1 + sizes[group]!)
          at += together.length
          await Promise.all(together.map((one) => perform(chain, one, options)))
          expect({ together, ...holding() }).toEqual({ together, ...(await holdingOf(chain)) })
        }
        await checkLookups(chain)
        expect(errors).toEqual([])
        await chain.finish()
      })
      await fc.assert(property, runsOf(configuration))
    },
  )
})
