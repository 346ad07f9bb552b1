/** Whatever fails in whatever is done to a chain: either nothing has changed, or what was told has; and it goes on. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainParts } from '../../src/chain/core.ts'
import type { ChainOptions } from '../../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../configurations.ts'
import { startChain, type TestChain } from '../harness.ts'
import { holdingOf, mirror } from '../mirror.ts'
import { type Operation, operations, perform } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import { Fault, type Place, partsWith } from './fault.ts'
import { dump } from './support.ts'

const returns = fc.constantFrom<Operation>(
  { kind: 'ask', method: 'evm_snapshot', params: [] },
  { kind: 'ask', method: 'evm_revert', params: ['0x1'] },
  { kind: 'ask', method: 'anvil_reset', params: [] },
)
const steps = operations((operation) => {
  const step = fc.oneof({ weight: 8, arbitrary: operation }, { weight: 2, arbitrary: returns })
  return fc.tuple(fc.array(step, { minLength: 1, maxLength: 12 }), step)
})
const place = fc.constantFrom<Place>('executor', 'crypto', 'store')

async function fail(
  { options }: Configuration,
  steps: readonly Operation[],
  where: Place,
  last: Operation,
  at: number,
): Promise<void> {
  const fault = new Fault()
  const parts: ChainParts = partsWith(where, fault)
  const chain = await startChain(options, parts, { skipHeaderValidation: true })
  const errors: string[] = []
  const told: string[] = []
  chain.on('error', ({ message }) => errors.push(message))
  const holding = await mirror(chain)
  for (const one of steps) await take(chain, one, options)
  for (const event of ['preconf', 'block', 'retracted', 'dropped', 'transaction'] as const) {
    chain.on(event, () => told.push(event))
  }
  const before = await everything(chain)
  fault.arm(at)
  const outcome = await take(chain, last, options)
  const happened = fault.calls > at
  fault.disarm()
  const after = await everything(chain)
  if (happened && told.length === 0) expect({ outcome, after }).toEqual({ outcome, after: before })
  expect(holding()).toEqual(await holdingOf(chain))
  expect(errors.filter((message) => message !== 'injected')).toEqual([])
  await chain.tick()
  await chain.seal()
  expect(holding()).toEqual(await holdingOf(chain))
  await chain.finish()
}

/** @returns what it comes to, or what it failed with. */
async function take(chain: TestChain, one: Operation, options: ChainOptions): Promise<unknown> {
  return perform(chain, one, options).catch(({ message }: Error) => message)
}

async function everything(chain: TestChain): Promise<unknown> {
  return { views: await dump(chain), node: await ask(chain.standard, 'anvil_nodeInfo') }
}

describe('failures at any point', () => {
  it.each(CONFIGURATIONS)(
    'has changed nothing that was not told, and goes on: $name',
    async (configuration) => {
      const property = fc.asyncProperty(steps, place, fc.nat(30), ([before, last], where, at) =>
        fail(configuration, before, where, last, at),
      )
      await fc.assert(property, runsOf(configuration))
    },
  )
})
