/** A chain on a database, restarted again and again, beside a chain in memory that is not: the same answers to everything. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_HASHES } from '../../src/ethereum/systemContracts.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type ManualClock,
  type PresealChain,
} from '../../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../configurations.ts'
import { copyOf, memoryLevel } from '../core/ledger/failingDatabase.ts'
import { FULL, runs } from '../full.ts'
import type { TestChain } from '../harness.ts'
import { CONTRACT, type Operation, operations, perform, STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import { ALICE } from '../signing.ts'
import { accountsOf, asFarAs, everythingOf } from './everything.ts'

/** `sstore(calldataload(0), calldataload(32))`. */
const STORING = '0x6020356000355500'
const word = (value: number) => value.toString(16).padStart(64, '0')

const request = (method: string, ...params: readonly unknown[]): Operation => ({
  kind: 'ask',
  method,
  params,
})

/** Writes a slot of the contract, mostly one that is not zero to another value that is not. */
const write: fc.Arbitrary<Operation> = fc.tuple(fc.nat(1), fc.constantFrom(1, 2, 3, 0)).map(([slot, value]) =>
  request('eth_sendTransaction', {
    from: ALICE,
    to: CONTRACT,
    gas: '0x186a0',
    data: `0x${word(slot)}${word(value)}`,
  }),
)

const seal: Operation = { kind: 'seal' }
const setCode = request('anvil_setCode', CONTRACT, STORING)

/** Writes to the ring of hashes of earlier blocks. */
const ringSlot = (slot: number) =>
  request('anvil_setStorageAt', BLOCK_HASHES.address, `0x${slot.toString(16)}`, `0x${word(9)}`)

/** Restarts, and what both chains do. */
type Steps = readonly (Operation | 'restart')[]

const snapshot = request('evm_snapshot')
const revert = fc.integer({ min: 1, max: 6 }).map((id): Steps => [request('evm_revert', `0x${id}`)])
const filters = fc.constantFrom<Operation>(
  request('eth_newFilter', { fromBlock: 'earliest', toBlock: 'pending' }),
  request('eth_newFilter', { address: CONTRACT }),
  request('eth_newBlockFilter'),
  request('eth_newPendingTransactionFilter'),
)
const poll = fc.integer({ min: 1, max: 4 }).map((id): Steps => [request('eth_getFilterChanges', `0x${id}`)])
const block = fc.array(write, { minLength: 1, maxLength: 3 }).map((writes): Steps => [...writes, seal])
const patch = fc
  .oneof(
    fc.nat(1).map((slot) => request('anvil_setStorageAt', CONTRACT, `0x${slot}`, `0x${word(7)}`)),
    fc.constant(request('anvil_setBalance', STRANGER, '0x1')),
  )
  .map((one): Steps => [one])
const back = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((depth): Steps => [request('anvil_rollback', depth)]),
  fc.integer({ min: 1, max: 4 }).map((depth): Steps => [{ kind: 'reorg', depth, replace: [] }]),
  fc.constant<Steps>([request('anvil_reset'), setCode]),
  revert,
)
const many = (steps: fc.Arbitrary<Steps>, maxLength: number) =>
  fc.array(steps, { minLength: 1, maxLength, size: 'max' }).map((lists) => lists.flat())

/** Blocks that write again what earlier ones wrote and cheats on their states, restarts, and ways back to before them. */
const rewrites: fc.Arbitrary<Steps> = many(
  fc
    .tuple(
      many(
        fc.oneof(
          { weight: 3, arbitrary: block },
          { weight: 1, arbitrary: patch },
          { weight: 1, arbitrary: fc.constant<Steps>([snapshot]) },
        ),
        5,
      ),
      many(fc.oneof({ weight: 3, arbitrary: back }, { weight: 1, arbitrary: block }), 2),
    )
    .map(([before, after]): Steps => [...before, 'restart', ...after]),
  3,
)

/** All that a chain can do, with restarts in between. */
const anything: fc.Arbitrary<Steps> = operations((operation) =>
  fc
    .array<Steps>(
      fc.oneof(
        {
          weight: 6,
          arbitrary: operation.map((one): Steps => [one]),
        },
        { weight: 3, arbitrary: block },
        { weight: 1, arbitrary: revert },
        { weight: 1, arbitrary: filters.map((one): Steps => [one]) },
        { weight: 3, arbitrary: poll },
        {
          weight: 2,
          arbitrary: fc.constantFrom<Steps>(
            [snapshot],
            [snapshot, 'restart'],
            [request('anvil_reset'), setCode],
            ['restart'],
            [seal, 'restart'],
          ),
        },
      ),
      { minLength: 4, maxLength: 24 },
    )
    .map((lists) => lists.flat()),
)

/** Their answers count what a restart counts anew: preconf blocks of an empty block, batches of calls. */
const isCounting = (operation: Operation): boolean =>
  operation.kind === 'tick' || (operation.kind === 'ask' && operation.method === 'wallet_sendCalls')

/** What an operation answers, or throws. */
async function outcomeOf(chain: TestChain, operation: Operation, options: ChainOptions): Promise<unknown> {
  try {
    const answer = await perform(chain, operation, options, open)
    const isError = typeof answer === 'string' && answer.startsWith('error ')
    return isCounting(operation) && !isError ? undefined : answer
  } catch (error) {
    return String(error)
  }
}

/** Without the oracle, which would execute all blocks of a run a second time. */
async function open(options: ChainOptions = {}): Promise<TestChain> {
  const chain = await createChain({ mining: 'manual', clock: createManualClock(), ...options })
  return Object.assign(chain as PresealChain<ManualClock>, { finish: () => chain.close() })
}

/** The chains, and how the stored one is closed and started again at the time of the other. */
async function startBoth(options: ChainOptions, isKilled = false) {
  let database = memoryLevel()
  const both = { kept: await open(options), stored: await open({ ...options, database: database as never }) }
  const restart = async (): Promise<void> => {
    if (isKilled) database = await copyOf(database)
    await both.stored.close()
    const clock = createManualClock(both.kept.clock.now())
    both.stored = await open({ ...options, database: database as never, clock })
  }
  const close = () => Promise.all([both.kept.close(), both.stored.close()])
  return { both, restart, close }
}

async function expectSame({ kept, stored }: { kept: TestChain; stored: TestChain }): Promise<void> {
  const expected = await everythingOf(kept)
  expect(asFarAs(expected, await everythingOf(stored))).toEqual(expected)
}

/** The block under construction, with its receipts. */
async function pendingOf({ preconf }: TestChain): Promise<{ block: unknown; receipts: readonly unknown[] }> {
  const block = await ask(preconf, 'eth_getBlockByNumber', ['pending', true])
  const receipts = (await ask(preconf, 'eth_getBlockReceipts', ['pending'])) as readonly unknown[]
  return { block, receipts }
}

/** @param isKilled - whether the database is that of a process that did not close the chain. */
async function checkTwins({ options }: Configuration, list: Steps, isKilled = false): Promise<void> {
  const { both, restart, close } = await startBoth(options, isKilled)
  for (const chain of [both.kept, both.stored]) {
    for (const step of [setCode, seal]) await perform(chain, step)
  }
  for (const step of list) {
    if (step === 'restart') {
      await restart()
      // The attributes of an empty block follow the clock at ticks and at a start.
      if ((await pendingOf(both.kept)).receipts.length === 0)
        for (const chain of [both.kept, both.stored]) await chain.tick()
      expect(await accountsOf(both.stored)).toEqual(await accountsOf(both.kept))
      expect(await pendingOf(both.stored)).toEqual(await pendingOf(both.kept))
      continue
    }
    const expected = await outcomeOf(both.kept, step, options)
    expect({ step, answer: await outcomeOf(both.stored, step, options) }).toEqual({ step, answer: expected })
  }
  expect(await accountsOf(both.stored)).toEqual(await accountsOf(both.kept))
  await restart()
  await expectSame(both)
  await close()
}

describe('a chain that is started again', () => {
  it('answers as one that was never closed, where blocks write again what earlier ones wrote', async () => {
    const property = fc.asyncProperty(rewrites, (list) => checkTwins(CONFIGURATIONS[0]!, list))
    await fc.assert(property, runs(4, 300))
  })

  it('answers as one that was never closed, if its process was killed', async () => {
    const property = fc.asyncProperty(rewrites, (list) => checkTwins(CONFIGURATIONS[0]!, list, true))
    await fc.assert(property, runs(4, 300))
  })

  it('answers as one that was never closed, once it overwrites the hashes that contracts can read (EIP-2935)', async () => {
    const { both, restart, close } = await startBoth({})
    for (const chain of [both.kept, both.stored]) {
      // A shorter chain finds the values there that a long one has written itself.
      if (FULL) await chain.mine(8300)
      else for (let slot = 0; slot < 12; slot++) await perform(chain, ringSlot(slot))
      await chain.mine(10)
    }
    await restart()
    for (const step of [request('anvil_rollback', 1), seal, request('anvil_rollback', 7), seal, seal]) {
      const answer = await outcomeOf(both.stored, step, {})
      expect({ step, answer }).toEqual({ step, answer: await outcomeOf(both.kept, step, {}) })
    }
    expect(await accountsOf(both.stored)).toEqual(await accountsOf(both.kept))
    await close()
  })

  it('refuses to go back further than its history, as one that was never closed', async () => {
    const short = { name: 'a short history', options: { history: { blocks: 2, proofs: 0 } }, runs: 1 }
    const back = [request('anvil_reset'), request('anvil_rollback', 3), request('anvil_reorg', 3)]
    await checkTwins(short, [seal, seal, seal, 'restart', ...back, seal])
  })

  it('reverts to snapshots of earlier runs', async () => {
    const balance = (wei: string) => request('anvil_setBalance', STRANGER, wei)
    const revertTo = (id: number) => request('evm_revert', `0x${id}`)
    const send = request('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1', gas: '0x5208' })
    const tick: Operation = { kind: 'tick' }
    const lists: Record<string, Steps> = {
      'on an earlier block': [send, seal, snapshot, send, seal, 'restart', seal, revertTo(1), seal],
      'on the head': [send, seal, snapshot, 'restart', send, seal, revertTo(1), seal],
      'before any block': [snapshot, balance('0x5'), seal, 'restart', revertTo(1), seal],
      'with cheats before and after': [
        seal,
        balance('0x1'),
        snapshot,
        balance('0x2'),
        snapshot,
        balance('0x3'),
        request('anvil_setCode', CONTRACT, '0x00'),
        'restart',
        request('anvil_setCode', CONTRACT, '0x01'),
        revertTo(2),
        balance('0x4'),
        'restart',
        seal,
        revertTo(1),
        seal,
      ],
      'with preconf blocks': [
        send,
        tick,
        send,
        send,
        tick,
        tick,
        snapshot,
        'restart',
        send,
        seal,
        revertTo(1),
        tick,
      ],
      'with waiting transactions': [send, snapshot, tick, seal, 'restart', revertTo(1), tick, seal],
      'on a withdrawn block': [
        seal,
        snapshot,
        request('anvil_rollback', 1),
        seal,
        'restart',
        revertTo(1),
        seal,
      ],
      'of a kept id, twice': [seal, snapshot, send, seal, 'restart', revertTo(1), revertTo(1)],
    }
    for (const list of Object.values(lists)) await checkTwins(CONFIGURATIONS[0]!, list)
  })

  it.each(CONFIGURATIONS)('answers as one that was never closed: $name', async (configuration) => {
    const property = fc.asyncProperty(anything, (list) => checkTwins(configuration, list))
    await fc.assert(property, runsOf(configuration))
  })
})
