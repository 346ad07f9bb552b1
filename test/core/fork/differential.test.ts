/** A fork and the chain it continues: the same transactions have the same effects on both. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createManualClock, type PresealRpcReceipt } from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { CONTRACT, type Operation, operations, perform, STRANGER } from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'
import { RECIPIENT } from '../sequencer/support.ts'
import { forkOf } from './remoteChain.ts'

/** Methods that write to the state, or read what both chains agree on. */
const SHARED = /^(anvil_(set|add|deal|impersonate|autoImp)|eth_send|wallet_send|hardhat_set|tenderly)/

/** What the fork has in common with the chain it continues: other than that, hashes of blocks differ. */
/**
 * Not random: what a cheat wrote to an account without nonce, balance and code is unknown to a fork, and a fork does not continue
 * the settings for the blocks to come.
 */
const FIXED = { numRuns: 3, seed: 1 }

/** Of another chain id, or with fees by the newest blocks: a fork has none before its first. */
const OTHERS = ['anvil_setChainId', 'wallet_sendCalls', 'eth_sendTransaction']

const isShared = (operation: Operation): boolean =>
  ['send', 'tick', 'seal', 'advance'].includes(operation.kind) ||
  (operation.kind === 'ask' && SHARED.test(operation.method) && !OTHERS.includes(operation.method))

const steps = operations((operation) => fc.array(operation.filter(isShared), { minLength: 4, maxLength: 20 }))

async function factsOf(chain: TestChain): Promise<unknown> {
  const facts: unknown[] = []
  for (const { address } of [
    ...chain.accounts.slice(0, 3),
    ...[CONTRACT, STRANGER, RECIPIENT].map((address) => ({ address })),
  ]) {
    for (const [method, ...params] of [
      ['eth_getBalance', address],
      ['eth_getTransactionCount', address],
      ['eth_getCode', address],
      ['eth_getStorageAt', address, '0x0'],
      ['eth_getStorageAt', address, '0x1'],
      ['eth_call', { to: address, data: '0x01' }],
      ['eth_estimateGas', { to: address, data: '0x01' }],
      ['eth_createAccessList', { to: address, data: '0x01' }],
    ] as const) {
      facts.push([method, address, await ask(chain.preconf, method, [...params, 'pending'])])
    }
  }
  const receipts = (await ask(chain.preconf, 'eth_getBlockReceipts', ['pending'])) as PresealRpcReceipt[]
  return [
    facts,
    receipts.map(({ blockHash: _, logs, ...rest }) => [rest, logs.map(({ data, topics }) => [data, topics])]),
  ]
}

describe('a fork and the chain it continues', () => {
  it('have the same state, receipts and answers after the same operations', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const original = await startChain({}, {}, { skipHeaderValidation: true })
        // A fork asks for no slots of an account without nonce, balance and code: no transaction leaves one with storage.
        await ask(original.standard, 'anvil_setNonce', [CONTRACT, '0x1'])
        for (const operation of before) await perform(original, operation)
        await original.seal()
        // A fork has none of what waits.
        await ask(original.standard, 'anvil_dropAllTransactions')
        const clock = createManualClock(original.clock.now())
        const fork = (await forkOf(original.standard, {
          clock,
          accounts: original.accounts,
          fork: { time: 'clock' },
        })) as TestChain
        // A fork gives dev accounts their balance; here they continue with what they had.
        for (const { address } of original.accounts) {
          const balance = await ask(original.standard, 'eth_getBalance', [address, 'latest'])
          await ask(fork.standard, 'anvil_setBalance', [address, balance])
        }
        expect(await factsOf(fork)).toEqual(await factsOf(original))
        for (const operation of after) {
          await perform(original, operation)
          await perform(fork, operation)
          expect(await factsOf(fork)).toEqual(await factsOf(original))
        }
      }),
      FIXED,
    )
  })
})
