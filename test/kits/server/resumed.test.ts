/** Subscriptions that go on under their ids on a new connection, after a restart. */
import { describe, expect, it } from 'vitest'
import { parseOptions } from '../../../src/base/options/option.ts'
import { unknownCaller } from '../../../src/kits/server/access.ts'
import { connect } from '../../../src/kits/server/connection.ts'
import { CONNECTION_OPTIONS } from '../../../src/kits/server/options.ts'
import { memoryLevel } from '../../core/ledger/failingDatabase.ts'
import { startChain, type TestChain } from '../../harness.ts'

function connectTo(chain: TestChain, options: { maxSubscriptions?: number } = {}) {
  const sent: { id?: string; result?: unknown; subscription?: string }[] = []
  const provider = chain.provider('preconf')
  const transport = {
    send: (text: string) => void sent.push(JSON.parse(text)),
    push: (subscription: string, { json }: { json: string }) =>
      void sent.push({ subscription, result: JSON.parse(json) }),
    onOverflow: () => {},
  }
  const rules = parseOptions(CONNECTION_OPTIONS, options)
  const connection = connect(provider, transport, rules, { caller: unknownCaller, admit: undefined })
  const ask = async (method: string, ...params: unknown[]) => {
    await connection.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return sent.splice(0)[0]?.result
  }
  return { connection, sent, ask }
}

describe('a subscription of an earlier run', () => {
  it('goes on under its id, which no other gets', async () => {
    const database = memoryLevel() as never
    const first = await startChain({ database })
    const before = connectTo(first)
    const params = ['newHeads'] as const
    const id = (await before.ask('eth_subscribe', ...params)) as `0x${string}`
    await first.finish()

    const chain = await startChain({ database })
    const { connection, sent, ask } = connectTo(chain)
    connection.resume({ id, params })
    const { block } = await chain.seal()
    expect(sent.splice(0)).toMatchObject([{ subscription: id, result: { hash: block.hash } }])
    expect(await ask('eth_subscribe', 'newHeads')).not.toBe(id)
    expect(await ask('eth_unsubscribe', id)).toBe(true)
    connection.resume({ id, params })
    connection.close()
    await chain.finish()
  })

  it('is refused if its id is active or was never given out, if its kind is unknown, and beyond the limit', async () => {
    const database = memoryLevel() as never
    const chain = await startChain({ database })
    const { connection, ask } = connectTo(chain, { maxSubscriptions: 1 })
    const resume = (id: `0x${string}`, kind = 'newHeads') => {
      try {
        connection.resume({ id, params: [kind] })
        return 'resumed'
      } catch (error) {
        return (error as Error).message
      }
    }
    const unknown = 'invalid argument id: expected the id of a subscription that has ended'
    expect(resume('0x1')).toBe(unknown)
    const id = (await ask('eth_subscribe', 'newHeads')) as `0x${string}`
    expect(resume('0x2')).toBe('too many subscriptions: limit 1')
    await ask('eth_unsubscribe', id)
    expect(resume('0xffffff')).toBe(unknown)
    expect(resume(id, 'heads')).toBe('no "heads" subscription in eth namespace')
    expect(resume(id)).toBe('resumed')
    await ask('eth_unsubscribe', id)
    connection.close()
    expect(resume(id)).toBe('disconnected')
    await chain.finish()
  })
})
