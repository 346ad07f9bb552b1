/** The order of the events of a chain with a database, whose writes take time. */
import { MemoryLevel } from 'memory-level'
import { expect, it } from 'vitest'
import { createManualClock, systemClock } from '../../src/index.ts'
import type { TestLevel } from '../core/ledger/failingDatabase.ts'
import { send } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'

/** A database whose writes wait while `gate` is set. */
function createGatedDatabase() {
  const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  const gates: { gate: Promise<void> | undefined } = { gate: undefined }
  const database = new Proxy(level, {
    get(target, name) {
      if (name === 'batch') {
        return async (...args: Parameters<TestLevel['batch']>) => {
          await gates.gate
          return Reflect.apply(target.batch, target, args)
        }
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { database, gates }
}

it('announces a transaction before it is dropped by a change that was being written when it was sent', async () => {
  const { database, gates } = createGatedDatabase()
  const chain = await startChain({ clock: createManualClock(), database: database as never })
  const events: unknown[] = []
  chain.on('transaction', ({ hash }) => events.push({ transaction: hash }))
  chain.on('dropped', ({ hash, reason }) => events.push({ dropped: hash, reason }))
  let open!: () => void
  gates.gate = new Promise((resolve) => {
    open = resolve
  })
  const leaving = chain.provider('standard')
  const changed = ask(leaving, 'anvil_setChainId', [5])
  await systemClock.yield()
  // A send waits for a change that was requested before it, unless the connection of the change has ended.
  leaving.close()
  const sent = send(chain, { nonce: 0 })
  for (let turn = 0; turn < 20; turn++) await systemClock.yield()
  open()
  const [hash, answer] = await Promise.all([sent, changed])
  expect(answer).toBe('error 4900 disconnected')
  expect(events).toEqual([{ transaction: hash }, { dropped: hash, reason: 'invalid' }])
})
