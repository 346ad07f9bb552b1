/** Senders recovered in threads of Node: the same results as without, and no thread that is left. */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { buildRecoveryScript } from '../../scripts/embeddedScripts.ts'
import { BURST } from '../../src/core/open/arrivals.ts'
import type { Hex, PresealChain } from '../../src/index.ts'
import { runs } from '../full.ts'
import { startChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { signTransaction } from '../signing.ts'

/** Enough to take several turns of the event loop. */
const MANY = 100
const TO = `0x${'11'.repeat(20)}` as const

/** The text of the workers, as in the build. */
let script: string
beforeAll(async () => {
  script = await buildRecoveryScript()
})

/** The workers that were started in the test, their ends, and how many requests they have answered. */
let started: Worker[]
let ends: Promise<unknown>[]
let answers: number
beforeEach(() => {
  started = []
  ends = []
  answers = 0
  const onWorker = (worker: Worker) => {
    started.push(worker)
    ends.push(new Promise((resolve) => worker.once('exit', resolve)))
    worker.on('message', (message) => {
      if (message !== true) answers += 1
    })
  }
  process.on('worker', onWorker)
  return () => process.off('worker', onWorker)
})

/** A text of its own for a test, so that its workers are not shared with another. */
const ownScript = () => `${script}\n// ${expect.getState().currentTestName}`

/** Signs transfers of an account, with nonces from `first` on. */
function transfers({ accounts }: PresealChain, count: number, first = 0, account = 0): Promise<Hex[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      signTransaction(accounts[account]!.privateKey, { ...FIELDS, nonce: first + i }),
    ),
  )
}

const FIELDS = {
  type: 'eip1559',
  chainId: 31_337,
  to: TO,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: 10n ** 11n,
  maxPriorityFeePerGas: 1n,
} as const

/** Sends all at once. @returns the hashes, and the errors of those that are refused. */
function sendAll({ preconf }: PresealChain, raws: readonly Hex[]): Promise<unknown[]> {
  return Promise.all(raws.map((raw) => ask(preconf, 'eth_sendRawTransaction', [raw])))
}

/** Sends transfers until a worker answers: on a busy machine it may start late. */
async function warmUp(chain: PresealChain, account: number): Promise<void> {
  const before = answers
  for (let first = 0; answers === before; first += BURST) {
    await sendAll(chain, await transfers(chain, BURST, first, account))
  }
}

/** Resolves once a worker was started in the test. */
async function firstWorker(): Promise<Worker> {
  if (started.length === 0) await once(process, 'worker')
  return started[0]!
}

/** What is done to a signed transaction before it is sent. */
const CHANGES: readonly ((raw: Hex) => Hex)[] = [
  (raw) => raw,
  (raw) => raw,
  (raw) => raw,
  // Another signer, without funds, or none.
  (raw) => `${raw.slice(0, -4)}beef` as Hex,
  // An s in the upper half, and one above the order of the curve.
  (raw) => `${raw.slice(0, -64)}e${raw.slice(-63)}` as Hex,
  (raw) => `${raw.slice(0, -64)}${'f'.repeat(32)}${raw.slice(-32)}` as Hex,
  // An r above the order of the curve.
  (raw) => `${raw.slice(0, -130)}${'f'.repeat(64)}${raw.slice(-66)}` as Hex,
  (raw) => raw.slice(0, -2) as Hex,
]

/** Scripts of workers that do not do what they should, and the event of a worker after which that shows. */
const BROKEN: Readonly<Record<string, readonly [script: string, event: 'exit' | 'message' | 'online']>> = {
  'throw when they start': [`throw new Error('refused')`, 'exit'],
  'are no script': ['const const', 'exit'],
  'refuse WebAssembly': ['port.onmessage = () => port.postMessage(false)', 'exit'],
  'never start': ['port.onmessage = () => {}', 'online'],
  'never answer': ['port.onmessage = ready', 'message'],
  'stop at the first request': ['port.onmessage = (event) => { if (!ready()) process.exit() }', 'message'],
  'throw at the first request': ['port.onmessage = () => { if (!ready()) throw new Error() }', 'message'],
  'answer too little': [
    'port.onmessage = () => { if (!ready()) port.postMessage(Uint8Array.of(1)) }',
    'message',
  ],
  'recover nothing': [
    `port.onmessage = ({ data }) => {
      if (!ready()) port.postMessage(new Uint8Array((data.length / 97) * 65))
    }`,
    'message',
  ],
}

/** The beginning of a script that answers the first message only. */
const PORT = `const port = require('worker_threads').parentPort
let isReady = false
const ready = () => { if (isReady) return false; port.postMessage(true); return (isReady = true) }
`

describe.skipIf(availableParallelism() === 1)('the recovery of senders', () => {
  it('gives the same answers, mempool and blocks with workers as without, whatever is sent', async () => {
    const options = { mempool: { maxPerSender: 12, maxTransactions: 40 } }
    const helped = await startChain(options, { recoveryScript: ownScript() })
    const alone = await startChain(options)
    const id = { helped: await helped.snapshot(), alone: await alone.snapshot() }
    await warmUp(helped, 9)
    const before = answers
    const raw = fc.record({
      account: fc.nat(4),
      nonce: fc.nat(14),
      tip: fc.constantFrom(1n, 2n, 10n ** 9n),
      isLegacy: fc.boolean(),
      change: fc.constantFrom(...CHANGES),
    })
    const bursts = fc.array(raw, { minLength: BURST, maxLength: 4 * BURST })
    await fc.assert(
      fc.asyncProperty(bursts, async (burst) => {
        const raws = await Promise.all(
          burst.map(async ({ account, nonce, tip, isLegacy, change }) => {
            const { privateKey } = alone.accounts[account]!
            const { maxFeePerGas, chainId, to, value, gas } = FIELDS
            const common = { chainId, to, value, gas, nonce }
            const tx = isLegacy
              ? { ...common, type: 'legacy' as const, gasPrice: maxFeePerGas + tip }
              : { ...common, type: 'eip1559' as const, maxFeePerGas, maxPriorityFeePerGas: tip }
            return change(await signTransaction(privateKey, tx))
          }),
        )
        const results: unknown[] = []
        for (const [chain, snapshot] of [
          [helped, id.helped],
          [alone, id.alone],
        ] as const) {
          await chain.revert(snapshot)
          const sent = await sendAll(chain, raws)
          const content = await ask(chain.preconf, 'txpool_content')
          results.push({ sent, content, block: await chain.tick() })
        }
        expect(results[0]).toEqual(results[1])
      }),
      runs(8, 300),
    )
    expect(answers).toBeGreaterThan(before)
  })

  it('lets an operation see all transactions that were sent before it', async () => {
    const chain = await startChain({}, { recoveryScript: ownScript() })
    const raws = await transfers(chain, MANY)
    const sent = sendAll(chain, raws)
    const { block } = await chain.tick()
    expect(block.transactions.map(({ hash }) => hash)).toEqual(await sent)
  })

  it('includes a burst in one block if each transaction is mined at once', async () => {
    const chain = await startChain({ mining: 'auto' }, { recoveryScript: ownScript() })
    await sendAll(chain, await transfers(chain, MANY))
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
    expect(await ask(chain.standard, 'eth_getBlockTransactionCountByNumber', ['latest'])).toBe('0x64')
  })

  it('lets the clock advance once a burst that is not awaited has been answered', async () => {
    const chain = await startChain({}, { recoveryScript: ownScript() })
    const raws = await transfers(chain, 3 * MANY)
    let answered = 0
    for (const raw of raws) {
      void ask(chain.preconf, 'eth_sendRawTransaction', [raw]).then(() => {
        answered += 1
      })
    }
    await chain.clock.advance(0)
    expect(answered).toBe(3 * MANY)
  })

  it('starts no worker for a few transactions at once, nor for many in series', async () => {
    const chain = await startChain({}, { recoveryScript: ownScript() })
    const raws = await transfers(chain, BURST - 1 + MANY)
    await sendAll(chain, raws.slice(0, BURST - 1))
    for (const raw of raws.slice(BURST - 1)) await ask(chain.preconf, 'eth_sendRawTransaction', [raw])
    expect(started).toEqual([])
  })

  it('shares the workers between chains, and ends them with the last one', async () => {
    const recoveryScript = ownScript()
    const [first, second] = [
      await startChain({}, { recoveryScript }),
      await startChain({}, { recoveryScript }),
    ]
    await warmUp(first, 0)
    const workers = [...started]
    await warmUp(second, 0)
    expect(started).toEqual(workers)
    expect(workers).toHaveLength(Math.min(4, availableParallelism() - 1))
    await first.close()
    await warmUp(second, 1)
    expect(started).toEqual(workers)
    await second.close()
    expect(await Promise.all(ends)).toHaveLength(workers.length)
  })

  it('refuses what still waits if the chain is closed, and leaves no worker', async () => {
    const chain = await startChain({}, { recoveryScript: ownScript() })
    const sent = sendAll(chain, await transfers(chain, MANY))
    const tick = chain.tick().catch(String)
    await firstWorker()
    await chain.close()
    await Promise.all(ends)
    expect(await tick).toBe('DisconnectedError: disconnected')
    expect((await sent).at(-1)).toBe('error 4900 disconnected')
  })

  it.each(Object.entries(BROKEN))('needs no workers: these %s', async (_, [text, event]) => {
    const chain = await startChain({}, { recoveryScript: `${PORT}${text}` })
    const first = sendAll(chain, await transfers(chain, MANY))
    const worker = await firstWorker()
    const shown = event === 'exit' ? ends[0] : once(worker, event)
    const hashes = [...(await first)]
    await shown
    hashes.push(...(await sendAll(chain, await transfers(chain, MANY, MANY))))
    const { transactions } = (await chain.tick()).block
    expect(transactions.map(({ hash }) => hash)).toEqual(hashes)
    expect(hashes).toHaveLength(2 * MANY)
  })

  it('does not start workers again that the host refused', async () => {
    const recoveryScript = `throw new Error('refused') // ${expect.getState().currentTestName}`
    const first = await startChain({}, { recoveryScript })
    await sendAll(first, await transfers(first, MANY))
    await firstWorker()
    await Promise.all(ends)
    const { length } = started
    await first.close()
    const second = await startChain({}, { recoveryScript })
    expect(await sendAll(second, await transfers(second, MANY))).toHaveLength(MANY)
    expect([length > 0, started.length]).toEqual([true, length])
  })

  it('goes without workers on a host that has none', async () => {
    const { getBuiltinModule } = process
    onTestFinished(() => {
      process.getBuiltinModule = getBuiltinModule
    })
    Reflect.deleteProperty(process, 'getBuiltinModule')
    const chain = await startChain({}, { recoveryScript: ownScript() })
    const hashes = await sendAll(chain, await transfers(chain, MANY))
    expect(hashes.every((hash) => typeof hash === 'string')).toBe(true)
    expect(started).toEqual([])
  })
})
