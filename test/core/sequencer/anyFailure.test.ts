/** A failure at any call of an operation: the chain changes nothing that its events do not report, and keeps working. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainParts } from '../../../src/core/open/core.ts'
import type { ChainOptions } from '../../../src/index.ts'
import { CONFIGURATIONS, type Configuration, runsOf } from '../../configurations.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { holdingOf, mirror } from '../../mirror.ts'
import { type Operation, operations, orRevert, perform } from '../../operations.ts'
import { ask } from '../../rpc/scene.ts'
import { Fault, type Place, partsWith } from './fault.ts'
import { dump } from './support.ts'

const steps = operations((operation) => {
  const step = orRevert(operation)
  return fc.tuple(fc.array(step, { minLength: 1, maxLength: 12 }), step)
})
const place = fc.constantFrom<Place>('executor', 'crypto', 'store')

async function checkFailure(
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
  const events: string[] = []
  chain.on('error', ({ message }) => errors.push(message))
  const holding = await mirror(chain)
  for (const step of steps) await attempt(chain, step, options)
  for (const event of ['preconf', 'block', 'retracted', 'dropped', 'transaction'] as const) {
    chain.on(event, () => events.push(event))
  }
  const before = await observe(chain)
  fault.arm(at)
  const outcome = await attempt(chain, last, options)
  const happened = fault.calls > at
  fault.disarm()
  const after = await observe(chain)
  // A preconf block's hash is computed for its listeners; if that fails, they get the error (core/DECISIONS.md 69).
  const isAnnounced = where !== 'crypto' || !errors.includes('injected')
  if (happened && events.length === 0 && isAnnounced) {
    expect({ outcome, after }).toEqual({ outcome, after: before })
  }
  if (isAnnounced) expect(holding()).toEqual(await holdingOf(chain))
  expect(errors.filter((message) => message !== 'injected')).toEqual([])
  await chain.tick()
  await chain.seal()
  if (isAnnounced) expect(holding()).toEqual(await holdingOf(chain))
  await chain.finish()
}

/** @returns the result of the operation, or the message of its error. */
async function attempt(chain: TestChain, operation: Operation, options: ChainOptions): Promise<unknown> {
  return perform(chain, operation, options).catch(({ message }: Error) => message)
}

async function observe(chain: TestChain): Promise<unknown> {
  return { views: await dump(chain), node: await ask(chain.standard, 'anvil_nodeInfo') }
}

describe('failures at any point', () => {
  it.each(CONFIGURATIONS)(
    'change nothing that no event reports, and the chain keeps working: $name',
    async (configuration) => {
      const property = fc.asyncProperty(steps, place, fc.nat(30), ([before, last], where, at) =>
        checkFailure(configuration, before, where, last, at),
      )
      await fc.assert(property, runsOf(configuration))
    },
  )
})
