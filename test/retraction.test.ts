/** What is withdrawn is told to everyone who was told of it: whoever follows what is pushed or polled ends up right. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Hash, Hex, RpcLog } from '../src/index.ts'
import { FULL } from './full.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'
import { LOGGING, sign } from './sequencer/support.ts'

/** Logs as someone knows them who adds what comes and strikes out what is removed. */
class Followed {
  readonly #logs = new Map<string, RpcLog>()

  take(log: RpcLog): void {
    const key = `${log.transactionHash} ${log.logIndex}`
    if (log.removed) {
      expect(this.#logs.delete(key), 'what is removed was told of').toBe(true)
    } else {
      expect(this.#logs.has(key), 'what is told of was not known').toBe(false)
      this.#logs.set(key, log)
    }
  }

  get transactions(): Hash[] {
    return [...this.#logs.values()].map(({ transactionHash }) => transactionHash).sort()
  }
}

type Step =
  | { readonly kind: 'send'; readonly from: number }
  | { readonly kind: 'tick' | 'seal' | 'snapshot' | 'poll' | 'increaseTime' | 'setBalance' }
  | { readonly kind: 'rollback' | 'reorg' | 'retract' }
  | { readonly kind: 'revert'; readonly to: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), from: fc.nat(2) }) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        'tick',
        'seal',
        'snapshot',
        'poll',
        'increaseTime',
        'setBalance',
        'rollback',
        'reorg',
        'retract',
      )
      .map((kind) => ({ kind })),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
)

async function logsOf(chain: TestChain, toBlock: string): Promise<Hash[]> {
  const logs = (await ask(chain.preconf, 'eth_getLogs', [{ fromBlock: '0x0', toBlock }])) as RpcLog[]
  return logs.map(({ transactionHash }) => transactionHash).sort()
}

async function follow(steps: readonly Step[]): Promise<void> {
  const chain = await startChain()
  const subscribed = { logs: new Followed(), pendingLogs: new Followed() }
  let head: unknown
  const kinds = new Map<unknown, string>()
  for (const kind of ['logs', 'pendingLogs', 'newHeads']) {
    kinds.set(await ask(chain.preconf, 'eth_subscribe', [kind]), kind)
  }
  chain.preconf.on('message', ({ data }) => {
    const kind = kinds.get(data.subscription)
    if (kind === 'newHeads') head = (data.result as { hash: Hash }).hash
    else subscribed[kind as 'logs'].take(data.result as RpcLog)
  })
  const polled = { latest: new Followed(), pending: new Followed() }
  const filters = {
    latest: await ask(chain.preconf, 'eth_newFilter', [{}]),
    pending: await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }]),
  }
  const poll = async () => {
    for (const tag of ['latest', 'pending'] as const) {
      const logs = (await ask(chain.preconf, 'eth_getFilterChanges', [filters[tag]])) as RpcLog[]
      for (const log of logs) polled[tag].take(log)
    }
  }
  const snapshots: Hex[] = []
  /** Those taken of blocks that are replaced are gone. */
  const withoutSnapshots = async (change: Promise<unknown>) => {
    snapshots.length = 0
    await change
  }
  const run: Record<Step['kind'], (step: Step) => Promise<unknown>> = {
    send: async (of) => {
      const from = of.kind === 'send' ? of.from : 0
      const { address } = chain.accounts[from]!
      const nonce = Number(await ask(chain.standard, 'eth_getTransactionCount', [address, 'pending']))
      // Refused where the account has nothing any more.
      const raw = await sign(chain, { from, nonce, ...LOGGING })
      return ask(chain.preconf, 'eth_sendRawTransaction', [raw])
    },
    tick: () => chain.tick(),
    seal: () => chain.seal(),
    poll,
    setBalance: () => ask(chain.preconf, 'anvil_setBalance', [chain.accounts[2]!.address, '0x0']),
    // Refused at genesis, and where nothing is pre-confirmed: then nothing is told either.
    rollback: () => withoutSnapshots(ask(chain.preconf, 'anvil_rollback', [])),
    reorg: () => withoutSnapshots(ask(chain.preconf, 'anvil_reorg', [1])),
    retract: async () => {
      const { hash } =
        ((await ask(chain.preconf, 'eth_getTransactionByBlockNumberAndIndex', ['pending', '0x0'])) as {
          hash?: Hash
        } | null) ?? {}
      if (hash !== undefined) await chain.retract({ transactions: [hash] })
    },
    increaseTime: () => ask(chain.preconf, 'evm_increaseTime', [5]),
    snapshot: async () => snapshots.push(await chain.snapshot()),
    revert: async (of) => {
      if (of.kind !== 'revert' || snapshots.length === 0) return
      snapshots.length = 1 + (of.to % snapshots.length)
      await chain.revert(snapshots.at(-1)!)
    },
  }
  for (const one of steps) await run[one.kind](one)
  await poll()
  const sealed = await logsOf(chain, 'latest')
  const pending = await logsOf(chain, 'pending')
  expect(subscribed.logs.transactions).toEqual(sealed)
  expect(polled.latest.transactions).toEqual(sealed)
  expect(subscribed.pendingLogs.transactions).toEqual(pending)
  expect(polled.pending.transactions).toEqual(pending)
  const block = (await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hash }
  if (head !== undefined) expect(head).toBe(block.hash)
  await chain.finish()
}

it('whoever follows logs, filters and heads knows what the chain holds', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), follow), {
    numRuns: FULL ? 300 : 15,
  })
})
