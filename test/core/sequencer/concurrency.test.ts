/** Requests that are sent at the same time, while what they need loads late. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { Missing } from '../../../src/base/waiting.ts'
import type { ChainParts } from '../../../src/core/open/core.ts'
import type { ChainOptions, Hex } from '../../../src/index.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { between, forkOf } from '../fork/remoteChain.ts'
import { LOGGING, sign } from './support.ts'

const COUNTER = '0x00000000000000000000000000000000000c0de5'
/** Increments slot 1, and reverts if data say that it is another value. */
const COUNTER_CODE = '0x3615601557600035600154141560155760006000fd5b600154600101600155'
const STRANGER = `0x${'99'.repeat(20)}`

interface Step {
  readonly method: string
  readonly from: number
  readonly gas: boolean
  readonly value: number
}

const SENDS = ['eth_sendTransaction', 'eth_sendTransaction', 'wallet_sendCalls'] as const
const CHANGES = [
  'evm_mine',
  'anvil_setBalance',
  'anvil_setCode',
  'anvil_setNonce',
  'evm_snapshot',
  'evm_revert',
  'anvil_setStorageAt',
  'anvil_dropAllTransactions',
  'anvil_rollback',
  'evm_increaseTime',
  'tick',
  'seal',
] as const

const stepOf = (...methods: readonly string[]): fc.Arbitrary<Step> =>
  fc.record({
    method: fc.constantFrom(...methods),
    from: fc.nat(2),
    gas: fc.boolean(),
    value: fc.nat(3),
  })

/** Sends a step, without waiting for its answer. @param raw - the signed transaction of `eth_sendRawTransaction`. */
function perform(chain: Played, { method, from, gas, value }: Step, raw: Hex): Promise<unknown> {
  const accounts = chain.accounts.map(({ address }) => address)
  const sender = accounts[from]
  const to = value === 0 ? COUNTER : accounts[3]
  const params: Record<string, () => unknown[]> = {
    eth_sendTransaction: () => [
      { from: sender, to, value: value === 0 ? '0x0' : `0x${value}`, ...(gas && { gas: '0x186a0' }) },
    ],
    eth_sendRawTransaction: () => [raw],
    wallet_sendCalls: () => [
      {
        version: '2.0.0',
        from: sender,
        chainId: '0x7a69',
        atomicRequired: false,
        calls: [{ to: COUNTER }, { to }],
      },
    ],
    evm_mine: () => [],
    anvil_setBalance: () => [gas ? STRANGER : accounts[4], `0x${value}`],
    anvil_setCode: () => [COUNTER, gas ? COUNTER_CODE : '0x'],
    anvil_setNonce: () => [accounts[4], `0x${value}`],
    anvil_setStorageAt: () => [COUNTER, '0x1', `0x${value}`.padEnd(66, '0')],
    evm_snapshot: () => [],
    evm_revert: () => [`0x${value}`],
    anvil_dropAllTransactions: () => [],
    anvil_rollback: () => [1],
    evm_increaseTime: () => [value],
  }
  if (method === 'tick' || method === 'seal') return chain[method]().then(() => method)
  return ask(gas ? chain.preconf : chain.standard, method, params[method]!())
}

/** Executions that load late: after as many turns of the event loop as `delays` say, one after the other. */
function late(delays: readonly number[]): ChainParts {
  let calls = 0
  return {
    executor: (own) => {
      let isLoaded = false
      return {
        ...own,
        execute(...args) {
          const turns = isLoaded ? 0 : delays[calls++ % delays.length]!
          isLoaded = !isLoaded
          if (turns === 0) return own.execute(...args)
          throw new Missing(async () => {
            for (let left = turns; left > 0; left--) await systemClock.yield()
          })
        },
      }
    },
  }
}

/** What a property needs of a chain. */
type Played = Pick<TestChain, 'accounts' | 'standard' | 'preconf' | 'tick' | 'seal'> & {
  finish(): Promise<void>
}

/** A chain with the counter. @param delays - see {@link late}. */
async function startLate(options: ChainOptions, delays: readonly number[]): Promise<Played> {
  const chain = await startChain(options, late(delays))
  await ask(chain.preconf, 'anvil_setCode', [COUNTER, COUNTER_CODE])
  return chain
}

/** A fork of a chain with the counter, whose node answers after as many turns of the event loop as `delays` say. */
async function startFork(options: ChainOptions, delays: readonly number[]): Promise<Played> {
  const remote = await startLate({}, [0])
  await remote.seal()
  let requests = 0
  const node = between(remote.standard, async () => {
    for (let left = delays[requests++ % delays.length]!; left > 0; left--) await systemClock.yield()
  })
  const chain = await forkOf(node, options)
  return Object.assign(chain, { finish: chain.close })
}

interface Outcome {
  readonly answers: readonly unknown[]
  readonly hash: string
}

async function play(
  start: (delays: readonly number[]) => Promise<Played>,
  steps: readonly Step[],
  delays: readonly number[],
  together: boolean,
): Promise<Outcome> {
  const chain = await start(delays)
  const raws = await Promise.all(
    steps.map(({ from, value }, index) =>
      sign(chain, { from: from + 5, nonce: value % 2, tip: BigInt(index + 1), ...(value === 3 && LOGGING) }),
    ),
  )
  const answers: unknown[] = []
  if (together) {
    answers.push(...(await Promise.all(steps.map((step, index) => perform(chain, step, raws[index]!)))))
  } else {
    for (const [index, step] of steps.entries()) answers.push(await perform(chain, step, raws[index]!))
  }
  const { block } = await chain.seal()
  await chain.finish()
  return { answers: answers.map((answer) => JSON.stringify(answer)), hash: block.hash }
}

/** Signed transactions alone, which can share a block. */
const TWO_RAW: Step[] = [0, 1].map((from) => ({
  method: 'eth_sendRawTransaction',
  from,
  gas: false,
  value: 0,
}))

const configurations: Readonly<Record<string, ChainOptions>> = {
  'manual, fork': { mining: 'manual' },
  'auto, fork': { mining: 'auto' },
  manual: { mining: 'manual' },
  auto: { mining: 'auto' },
  interval: { mining: 'interval' },
  'manual, geth': { mining: 'manual', dialect: 'geth' },
  'manual, hardhat': { mining: 'manual', dialect: 'hardhat' },
  'auto, hardhat': { mining: 'auto', dialect: 'hardhat' },
}

describe.each(Object.entries(configurations))('requests at the same time: %s', (name, options) => {
  const start = (late: readonly number[]) =>
    name.endsWith('fork') ? startFork(options, late) : startLate(options, late)
  const delays = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 })

  it('have the same answers and hashes, however late something loads', async () => {
    const steps = fc.array(stepOf(...SENDS, 'eth_sendRawTransaction', 'eth_sendRawTransaction', ...CHANGES), {
      minLength: 2,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(steps, delays, async (steps, delays) => {
        const expected = await play(start, steps, [0], true)
        expect(await play(start, steps, delays, true)).toEqual(expected)
      }),
      { ...runs(4, 50), examples: [[TWO_RAW, [0]]] },
    )
  })

  it('have the same answers and hashes as one by one', async () => {
    // In auto mining, signed transactions that arrive together share a block, and given gas is not filled in on the sealed state.
    const isShared = name.startsWith('auto') && options.dialect === undefined
    const raw = isShared ? [] : ['eth_sendRawTransaction', 'eth_sendRawTransaction']
    const step = stepOf(...SENDS, ...raw, ...CHANGES).map((one) => (isShared ? { ...one, gas: false } : one))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), delays, async (steps, delays) => {
        const expected = await play(start, steps, [0], false)
        expect(await play(start, steps, delays, true)).toEqual(expected)
      }),
      runs(4, 50),
    )
  })
})
