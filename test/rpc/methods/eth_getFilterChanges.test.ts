import { expect, it } from 'vitest'
import { ask, probeCall, send, startScene } from '../scene.ts'

it('gives what is new since the last look, and nothing where nothing is', async () => {
  const { chain } = await startScene()
  const id = await chain.preconf.request({ method: 'eth_newBlockFilter' })
  const changes = () => ask(chain.preconf, 'eth_getFilterChanges', [id])
  expect(await changes()).toEqual([])
  const { block } = await chain.seal()
  expect(await changes()).toEqual([block.hash])
  expect(await changes()).toEqual([])
})

it('refuses an id it does not know', async () => {
  const { chain } = await startScene()
  expect(await ask(chain.preconf, 'eth_getFilterChanges', ['0x1'])).toBe('error -32000 filter not found')
  expect(await ask(chain.preconf, 'eth_getFilterChanges', [1])).toBe(
    'error -32602 invalid argument 0: expected the id of a filter or a subscription',
  )
})

it.each(['standard', 'preconf'] as const)(
  'goes on after a look on %s that met too many logs',
  async (view) => {
    const { chain, probe } = await startScene({ limits: { logResults: 2 } })
    const id = await chain[view].request({ method: 'eth_newFilter', params: [{ address: probe }] })
    const changes = () => ask(chain[view], 'eth_getFilterChanges', [id])
    const emit = (nonce: number, logs: bigint) =>
      send(chain, 0, { nonce, to: probe, data: probeCall('emitLogs', [logs]) })
    await emit(5, 3n)
    await chain.seal()
    expect(await changes()).toBe('error -32602 more than 2 logs')
    expect(await changes()).toEqual([])
    const hash = await emit(6, 2n)
    await chain.seal()
    expect(await changes()).toMatchObject([
      { transactionHash: hash, logIndex: '0x0' },
      { transactionHash: hash, logIndex: '0x1' },
    ])
    expect(await changes()).toEqual([])
  },
)

it.each(['standard', 'preconf'] as const)('goes on after a look on %s that came too late', async (view) => {
  const { chain, probe } = await startScene({ history: { blocks: 3 } })
  const id = await chain[view].request({ method: 'eth_newFilter', params: [{ address: probe }] })
  const changes = () => ask(chain[view], 'eth_getFilterChanges', [id])
  for (let i = 0; i < 5; i++) await chain.seal()
  expect(await changes()).toBe('error -32000 state not available')
  expect(await changes()).toEqual([])
  const hash = await send(chain, 0, { nonce: 5, to: probe, data: probeCall('emitLogs', [1n]) })
  await chain.seal()
  expect(await changes()).toMatchObject([{ transactionHash: hash }])
  expect(await changes()).toEqual([])
})
