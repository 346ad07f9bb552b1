/** A chain whose genesis is read from an asynchronous source: the same chain, except that answers come later. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainParts } from '../../src/core/open/core.ts'
import { WITHDRAWAL_REQUESTS } from '../../src/ethereum/systemContracts.ts'
import { dump, RECIPIENT, sign } from '../core/sequencer/support.ts'
import { createSlowSource } from '../ethereum/state/slowSource.ts'
import { runs } from '../full.ts'
import { startChain } from '../harness.ts'
import { CONTRACT, operations, perform } from '../operations.ts'
import { ask, askBoth } from '../rpc/scene.ts'
import { ALICE } from '../signing.ts'

const slow: ChainParts = { source: (genesis) => createSlowSource(genesis).source }

const CODE_AND_SLOTS = WITHDRAWAL_REQUESTS.address
const CALL = { from: ALICE, to: CODE_AND_SLOTS, value: '0x1' }
/** Returns the balance of CODE_AND_SLOTS. */
const READ_BALANCE = `0x73${CODE_AND_SLOTS.slice(2)}3160005260206000f3`

/** Requests that read the state of the genesis. */
const READS: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_getBalance', ALICE],
  ['eth_getTransactionCount', ALICE, 'pending'],
  ['eth_getCode', CODE_AND_SLOTS],
  ['eth_getStorageAt', CODE_AND_SLOTS, '0x0'],
  ['eth_getStorageValues', { [CODE_AND_SLOTS]: ['0x0', '0x1'] }],
  ['eth_getProof', ALICE, [], 'latest'],
  ['eth_call', CALL],
  ['eth_call', { data: READ_BALANCE }, 'latest', { [CODE_AND_SLOTS]: { nonce: '0x5' } }],
  ['eth_estimateGas', { from: ALICE, to: RECIPIENT }],
  ['eth_createAccessList', CALL],
  ['eth_simulateV1', { blockStateCalls: [{ calls: [{ from: ALICE, to: RECIPIENT }] }, {}] }],
  ['eth_fillTransaction', { from: ALICE, to: RECIPIENT }],
  ['eth_signTransaction', { from: ALICE, to: RECIPIENT }],
  ['eth_getTransactionBySenderAndNonce', ALICE, '0x0'],
  ['debug_traceCall', CALL, 'latest', { tracer: 'prestateTracer' }],
  ['debug_traceCall', CALL, 'latest', { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
  ['debug_traceCall', CALL, 'latest', {}],
  ['txpool_content'],
]

/** Requests that change the state of the genesis, or build blocks on it. */
const WRITES: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_sendTransaction', { from: ALICE, to: RECIPIENT, value: '0x1' }],
  [
    'wallet_sendCalls',
    {
      version: '2.0.0',
      from: ALICE,
      chainId: '0x7a69',
      atomicRequired: true,
      calls: [{ to: RECIPIENT }, { to: RECIPIENT }],
    },
  ],
  ['anvil_setBalance', ALICE, '0x5'],
  ['anvil_addBalance', RECIPIENT, '0x5'],
  ['anvil_setNonce', ALICE, '0x5'],
  ['anvil_setStorageAt', CODE_AND_SLOTS, `0x${'00'.repeat(32)}`, `0x${'01'.padStart(64, '0')}`],
  ['anvil_mine', '0x3'],
]

describe('a chain on an asynchronous state source', () => {
  it.each(READS.map(([method, ...params]) => [method, params] as const))(
    'answers %s as if the state were loaded',
    async (method, params) => {
      const [expected, actual] = await Promise.all(
        [await startChain(), await startChain({}, slow)].map((chain) => askBoth(chain, method, params)),
      )
      expect(actual).toEqual(expected)
    },
  )

  it.each(WRITES.map(([method, ...params]) => [method, params] as const))(
    'performs %s as if the state were loaded',
    async (method, params) => {
      const [expected, actual] = await Promise.all(
        [await startChain(), await startChain({}, slow)].map(async (chain) => [
          await ask(chain.preconf, method, params),
          await chain.seal(),
          await dump(chain),
        ]),
      )
      expect(actual).toEqual(expected)
    },
  )

  it('validates a transaction by the balance and nonce that it loads', async () => {
    const chain = await startChain({}, slow)
    const submit = async (nonce: number, value: bigint) =>
      ask(chain.preconf, 'eth_sendRawTransaction', [await sign(chain, { nonce, value })])
    expect(await submit(0, 10n ** 24n)).toMatch(/^error -32000 insufficient funds for gas \* price \+ value/)
    expect(await submit(0, 1n)).toMatch(/^0x/)
    expect(await ask(chain.standard, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  })

  it('dumps state that was never read', async () => {
    const chains = [await startChain(), await startChain({}, slow)]
    const [expected, actual] = await Promise.all(chains.map((one) => ask(one.standard, 'anvil_dumpState')))
    expect(actual).toEqual(expected)
  })

  it('has the same results and state under random operations', async () => {
    const steps = operations((operation) => fc.array(operation, { minLength: 5, maxLength: 25 }))
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const oracle = { skipHeaderValidation: true }
        const chains = [await startChain({}, {}, oracle), await startChain({}, slow, oracle)]
        for (const operation of list) {
          const [expected, actual] = await Promise.all(
            chains.map(async (chain) => ({
              result: await perform(chain, operation),
              code: await ask(chain.preconf, 'eth_getCode', [CONTRACT, 'pending']),
              dump: await dump(chain),
            })),
          )
          expect(actual).toEqual(expected)
        }
      }),
      runs(4, 60),
    )
  })
})
