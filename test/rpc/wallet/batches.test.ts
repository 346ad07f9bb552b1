/** Batches of calls under random operations: one block includes all calls of a batch, or none does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hash, Hex, PresealRpcSchema } from '../../../src/index.ts'
import { FULL, runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, send } from '../scene.ts'

type Request = PresealRpcSchema['wallet_sendCalls']['params'][0]

/** Reverts if slot 0 is above the first byte of the calldata; increments it otherwise. */
const LATCH_CODE: Hex = '0x5f545f355f1a81116011576001015f55005b5f5ffd'
const LATCH: Hex = `0x${'a1'.repeat(20)}`
const RECIPIENT: Hex = `0x${'b2'.repeat(20)}`

const sender = fc.nat(1)
const which = fc.nat(20)
const only = <const Name extends string>(name: Name) => fc.constant({ do: name } as const)

const steps = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      sender,
      /** A transfer if null, otherwise a call of the latch with this limit. */
      calls: fc.array(fc.option(fc.nat(4)), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('single' as const), sender, tip: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 4, arbitrary: only('tick') },
  { weight: 3, arbitrary: only('seal') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retract' as const), which }) },
  { weight: 1, arbitrary: only('retractPreconfBlock') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), which }) },
  { weight: 2, arbitrary: only('rollback') },
  { weight: 1, arbitrary: only('reorg') },
  { weight: 1, arbitrary: only('snapshot') },
  { weight: 1, arbitrary: only('revert') },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('count' as const), value: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), sender, nonce: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('nonce' as const), sender, nonce: fc.nat(6) }) },
  { weight: 1, arbitrary: only('dropAll') },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('faults' as const), dropEvery: fc.nat(2) }) },
)

/** A chain, and the batches sent to it: transaction hashes by id. */
interface Model {
  readonly chain: TestChain
  readonly batches: Map<string, readonly Hash[]>
  readonly accepted: Hash[]
  snapshot?: Hex
}

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never

async function take({ chain, batches, accepted, ...model }: Model, step: Step): Promise<Partial<Model>> {
  const { preconf, accounts } = chain
  const pick = (hashes: readonly Hash[]) => hashes[(step as { which: number }).which % hashes.length]
  const pending = async () => {
    const block = await preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
    return block!.transactions as Hash[]
  }
  switch (step.do) {
    case 'batch': {
      const from = accounts[step.sender]!.address
      // Every call is different, so that a hash identifies its batch.
      const salt = batches.size.toString(16).padStart(4, '0')
      const calls = step.calls.map((limit, i) =>
        limit === null
          ? { to: RECIPIENT, data: `0x${salt}0${i}` as const }
          : { to: LATCH, data: `0x0${limit}${salt}0${i}` as const },
      )
      const request: Request = { version: '2.0.0', chainId: '0x7a69', atomicRequired: true, from, calls }
      accepted.length = 0
      const answer = await ask(preconf, 'wallet_sendCalls', [request])
      if (typeof answer === 'string') expect(answer).toContain('execution reverted')
      else batches.set((answer as { readonly id: string }).id, [...accepted])
      return {}
    }
    case 'single': {
      const { address } = accounts[step.sender]!
      const nonce = Number(await ask(chain.standard, 'eth_getTransactionCount', [address, 'pending']))
      const tip = BigInt(step.tip) * 10n ** 9n
      await send(chain, step.sender, { nonce, to: RECIPIENT, maxPriorityFeePerGas: tip }).catch(() => {})
      return {}
    }
    case 'tick':
      await chain.tick()
      return {}
    case 'seal':
      await chain.seal()
      return {}
    case 'retract': {
      const hash = pick(await pending())
      if (hash !== undefined) await chain.retract({ transactions: [hash] })
      return {}
    }
    case 'retractPreconfBlock':
      await chain.retract({ preconfBlocks: 1 }).catch(() => {})
      return {}
    case 'drop': {
      const hash = pick([...(await pending()), ...[...batches.values()].flat()])
      if (hash !== undefined) await preconf.request({ method: 'anvil_dropTransaction', params: [hash] })
      return {}
    }
    case 'replace': {
      const fee = 10n ** 11n
      const plan = { nonce: step.nonce, to: RECIPIENT, maxFeePerGas: fee, maxPriorityFeePerGas: fee }
      await send(chain, step.sender, plan).catch(() => {})
      return {}
    }
    case 'nonce': {
      const nonce: Hex = `0x${step.nonce}`
      await preconf.request({ method: 'anvil_setNonce', params: [accounts[step.sender]!.address, nonce] })
      return {}
    }
    case 'dropAll':
      await preconf.request({ method: 'anvil_dropAllTransactions' })
      return {}
    case 'faults':
      chain.faults.set(step.dropEvery === 0 ? {} : { dropEvery: step.dropEvery })
      return {}
    case 'rollback':
      await ask(preconf, 'anvil_rollback', [1])
      return {}
    case 'reorg':
      await chain.reorg({ depth: 1 }).catch(() => {})
      return {}
    case 'snapshot':
      return { snapshot: await chain.snapshot() }
    case 'revert':
      if (model.snapshot !== undefined) await chain.revert(model.snapshot).catch(() => {})
      return {}
    case 'count': {
      const word: Hex = `0x${step.value.toString(16).padStart(64, '0')}`
      await preconf.request({ method: 'anvil_setStorageAt', params: [LATCH, '0x0', word] })
      return {}
    }
  }
}

/** All blocks, including the one under construction. */
async function blocksOf({ preconf }: TestChain) {
  const head = Number(await preconf.request({ method: 'eth_blockNumber' }))
  const tags = [
    ...Array.from({ length: head }, (_, i) => `0x${(i + 1).toString(16)}` as const),
    'pending' as const,
  ]
  return Promise.all(
    tags.map(async (tag) => ({
      pending: tag === 'pending',
      receipts: (await preconf.request({ method: 'eth_getBlockReceipts', params: [tag] }))!,
    })),
  )
}

async function check({ chain, batches }: Model): Promise<void> {
  const blocks = await blocksOf(chain)
  for (const [id, hashes] of batches) {
    const holding = blocks.filter(({ receipts }) =>
      receipts.some(({ transactionHash }) => hashes.includes(transactionHash)),
    )
    const status = (await ask(chain.preconf, 'wallet_getCallsStatus', [id])) as
      | string
      | { readonly status: number }
    const code = typeof status === 'string' ? status.slice(0, 10) : status.status
    if (holding.length === 0) {
      // A revert makes batches unknown that were sent after the snapshot.
      expect([100, 400, 500, 'error 5730']).toContain(code)
      continue
    }
    expect(holding).toHaveLength(1)
    const { receipts } = holding[0]!
    const first = receipts.findIndex(({ transactionHash }) => transactionHash === hashes[0])
    const run = receipts.slice(first, first + hashes.length)
    expect(run.map(({ transactionHash, status }) => [transactionHash, status])).toEqual(
      hashes.map((hash) => [hash, '0x1']),
    )
    expect(code).toBe(200)
  }
}

describe('call batches', () => {
  it('are included as a whole or not at all under random operations', async () => {
    const seen = new Set<number>()
    const property = fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (all) => {
      const chain = await startChain({ accounts: { count: 2 } })
      await chain.preconf.request({ method: 'anvil_setCode', params: [LATCH, LATCH_CODE] })
      let model: Model = { chain, batches: new Map(), accepted: [] }
      const dropped = new Set<Hash>()
      const droppedTwice: Hash[] = []
      chain.on('transaction', ({ hash }) => {
        model.accepted.push(hash)
        dropped.delete(hash)
      })
      chain.on('dropped', ({ hash }) => {
        if (dropped.has(hash)) droppedTwice.push(hash)
        dropped.add(hash)
      })
      for (const step of all) {
        // Transactions dropped since the snapshot wait again, and can be dropped a second time.
        if (step.do === 'revert') dropped.clear()
        model = { ...model, ...(await take(model, step)) }
        await check(model)
        expect(droppedTwice).toEqual([])
      }
      for (const id of model.batches.keys()) {
        const answer = await ask(chain.preconf, 'wallet_getCallsStatus', [id])
        if (typeof answer === 'object') seen.add((answer as { readonly status: number }).status)
      }
      await chain.finish()
    })
    await fc.assert(property, runs(20, 300))
    // With the seed of `npm test`, every status has occurred; few runs of another one can lack the rarest.
    const statuses = [100, 200, 400, 500]
    expect([...seen].sort()).toEqual(FULL ? statuses.filter((status) => seen.has(status)) : statuses)
  })
})
