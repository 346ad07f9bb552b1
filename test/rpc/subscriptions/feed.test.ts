import { describe, expect, it } from 'vitest'
import type { PreconfBlock, Provider } from '../../../src/index.ts'
import { Emission } from '../../../src/rpc/subscriptions/feed.ts'
import { onNotification } from '../../../src/rpc/subscriptions/notifications.ts'
import { ask, probeCall, send, startScene } from '../scene.ts'

/** The emissions of a subscription, in order. */
async function emissions(provider: Provider, ...params: [string, unknown?]) {
  const id = await ask(provider, 'eth_subscribe', params)
  const found: Pick<Emission, 'json'>[] = []
  onNotification(provider, (subscription, emission) => {
    if (subscription === id) found.push(emission)
  })
  return found
}

describe('feeds of subscriptions', () => {
  it('serialize an emission once, and create a new object per listener', () => {
    let made = 0
    const emission = new Emission(() => ({ made: ++made }))
    expect([emission.json, emission.json]).toEqual(['{"made":1}', '{"made":1}'])
    expect([emission.value(), emission.value()]).toEqual([{ made: 2 }, { made: 3 }])
  })

  it.each<[string, unknown?]>([
    ['newHeads'],
    ['logs', { topics: [] }],
    ['newPreconfBlocks'],
    ['newFlashblocks'],
    ['newPreconfTransactions', true],
    ['pendingLogs', {}],
    ['newPendingTransactions', true],
  ])('share the emissions of %s among connections', async (...params) => {
    const { chain, probe } = await startScene()
    const [one, other] = [chain.provider('preconf'), chain.provider('preconf')]
    const [first, second] = [await emissions(one, ...params), await emissions(other, ...params)]
    const seen: unknown[] = []
    one.on('message', ({ data }) => seen.push(data.result))
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [2n]) })
    await chain.tick()
    await chain.seal()
    expect(first.length).toBeGreaterThan(0)
    expect(second).toEqual(first)
    for (const [index, emission] of first.entries()) expect(second[index]).toBe(emission)
    expect(first.map(({ json }) => JSON.parse(json))).toEqual(seen)
  })

  it('are separate for different filters and dialects', async () => {
    const { chain, probe, token } = await startScene()
    const [geth, preconf] = [chain.provider('preconf', { dialect: 'geth' }), chain.provider('preconf')]
    const blocks = [await emissions(geth, 'newPreconfBlocks'), await emissions(preconf, 'newPreconfBlocks')]
    const logs = [
      await emissions(geth, 'logs', { address: token }),
      await emissions(preconf, 'logs', { address: [token, probe] }),
      await emissions(preconf, 'logs', { address: [probe] }),
    ]
    await chain.tick()
    await chain.seal()
    const read = (found: readonly Pick<Emission, 'json'>[]) => found.map(({ json }) => JSON.parse(json))
    const difficulties = blocks.map((found) =>
      read(found).map(({ block }: PreconfBlock) => block.totalDifficulty),
    )
    expect(difficulties).toEqual([
      [undefined, undefined],
      ['0x0', '0x0'],
    ])
    const addresses = logs.map((found) => read(found).map(({ address }) => address))
    expect(addresses).toEqual([[token], [token], []])
  })

  it('are replaced by message events for a provider that is not of this library', async () => {
    const { chain } = await startScene()
    const { request, on, removeListener, close } = chain.provider('preconf')
    const other: Provider = { request, on, removeListener, closed: false, close }
    const found = await emissions(other, 'newHeads')
    const { block } = await chain.seal()
    expect(found.map(({ json }) => JSON.parse(json).hash)).toEqual([block.hash])
  })
})
