import { describe, expect, it } from 'vitest'
import type { ChainParts } from '../../../src/core/open/core.ts'
import { StateUnavailableError } from '../../../src/ethereum/state/errors.ts'
import type { Hash } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, type Draft, send } from '../../rpc/scene.ts'
import { startNests } from './nest.ts'

/** Counts executions. */
function counting(): { parts: ChainParts; count(): number } {
  let executions = 0
  const parts: ChainParts = {
    executor: (own) => ({
      ...own,
      execute(...args) {
        executions += 1
        return own.execute(...args)
      },
    }),
  }
  return { parts, count: () => executions }
}

describe('reexecution', () => {
  it('executes each transaction before the traced one once, however many are traced', async () => {
    const { parts, count } = counting()
    const chain = await startChain({}, parts)
    const to = chain.accounts[1]!.address
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 20; nonce++) hashes.push(await send(chain, 0, { nonce, to, value: 1n }))
    await chain.seal()
    const sealed = count()
    const trace = (hash: Hash) =>
      chain.standard.request({ method: 'debug_traceTransaction', params: [hash, { tracer: 'callTracer' }] })
    await trace(hashes[19]!)
    expect(count() - sealed).toBe(20)
    await Promise.all(hashes.map(trace))
    expect(count() - sealed).toBe(40)
    await chain.standard.request({ method: 'debug_traceBlockByNumber', params: ['latest'] })
    expect(count() - sealed).toBe(60)
  })

  it('executes the transactions before concurrently traced ones only once', async () => {
    const { parts, count } = counting()
    const chain = await startChain({}, parts)
    const to = chain.accounts[1]!.address
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 10; nonce++) hashes.push(await send(chain, 0, { nonce, to, value: 1n }))
    await chain.seal()
    const sealed = count()
    await Promise.all(
      hashes.map((hash) => chain.standard.request({ method: 'trace_transaction', params: [hash] })),
    )
    // Nine before the last, and the ten that are traced; fewer if a trace ends before the next begins, since the
    // state after it is cached.
    expect(count() - sealed).toBeGreaterThanOrEqual(10)
    expect(count() - sealed).toBeLessThanOrEqual(19)
  })

  it('executes a block again if its state could not be read once', async () => {
    let fails = false
    const parts: ChainParts = {
      executor: (own) => ({
        ...own,
        execute(...args) {
          if (fails) throw new StateUnavailableError()
          return own.execute(...args)
        },
      }),
    }
    const chain = await startChain({}, parts)
    const to = chain.accounts[1]!.address
    const hashes: Hash[] = []
    for (let nonce = 0; nonce < 3; nonce++) hashes.push(await send(chain, 0, { nonce, to, value: 1n }))
    await chain.seal()
    const trace = () => ask(chain.standard, 'debug_traceTransaction', [hashes[2], { tracer: 'callTracer' }])
    fails = true
    expect(await trace()).toBe('error -32000 state not available')
    fails = false
    expect(await trace()).toMatchObject({ type: 'CALL', to })
  })

  it('gives each transaction the state after those before it, and the context of its block', async () => {
    const { chain, send: sendNest, trace } = await startNests()
    const first = await sendNest('leaf', [5n])
    const second = await sendNest('peek')
    await chain.seal()
    const later = await sendNest('leaf', [6n])
    await chain.seal()
    const output = async (hash: Hash) => (await trace(hash, { tracer: 'callTracer' })) as { output: string }
    expect(BigInt((await output(second)).output)).toBe(5n)
    expect(BigInt((await output(first)).output)).toBe(6n)
    expect(BigInt((await output(later)).output)).toBe(7n)
  })

  it('uses as much gas as the receipts for any transactions', async () => {
    const nests = await startNests()
    const { chain, other, send: sendNest } = nests
    const drafts: [string, unknown[], Partial<Draft>][] = [
      ['calls', [other], { value: 100n }],
      ['failures', [other], { value: 100n }],
      ['precompiles', [], { value: 100n }],
      ['creations', [chain.accounts[9]!.address], { value: 100n }],
      ['dive', [other, 5n], {}],
      ['burn', [], { gas: 60_000n }],
    ]
    for (const draft of drafts) await sendNest(...draft)
    await chain.seal()
    const receipts = await chain.standard.request({ method: 'eth_getBlockReceipts', params: ['latest'] })
    const traces = await chain.standard.request({
      method: 'debug_traceBlockByNumber',
      params: ['latest', { tracer: 'callTracer' }],
    })
    expect(traces.map(({ txHash, result }) => [txHash, (result as { gasUsed: string }).gasUsed])).toEqual(
      receipts!.map(({ transactionHash, gasUsed }) => [transactionHash, gasUsed]),
    )
  })

  it('needs the state of the parent', async () => {
    const { chain, seal } = await startNests({ history: { blocks: 2 } })
    const first = await seal('leaf', [1n])
    const second = await seal('leaf', [2n])
    const third = await seal('leaf', [3n])
    const answers = (params: unknown) => ask(chain.standard, 'debug_traceTransaction', params)
    const noop = { tracer: 'noopTracer' }
    expect(await answers([third, noop])).toEqual({})
    // Its block is still in the history, but not the state before it.
    expect(await answers([second, noop])).toBe('error -32000 state not available')
    expect(await answers([first, noop])).toBe('error -32000 transaction not found')
    expect(await ask(chain.standard, 'debug_traceBlockByNumber', ['0x1'])).toBe(
      'error -32000 state not available',
    )
  })
})
