import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import { createManualClock, type Hex, type PresealChain, type PresealRpcLog } from '../../../src/index.ts'
import { LOGGING, sign } from '../../core/sequencer/support.ts'
import { startChain } from '../../harness.ts'
import { ask, probeCall, send, startScene, tokenCall } from '../scene.ts'

describe('eth_getFilterChanges', () => {
  it('returns what is new since the last poll', async () => {
    const { chain } = await startScene()
    const id = await chain.preconf.request({ method: 'eth_newBlockFilter' })
    const changes = () => ask(chain.preconf, 'eth_getFilterChanges', [id])
    expect(await changes()).toEqual([])
    const { block } = await chain.seal()
    expect(await changes()).toEqual([block.hash])
    expect(await changes()).toEqual([])
  })

  it('refuses an unknown id', async () => {
    const { chain } = await startScene()
    expect(await ask(chain.preconf, 'eth_getFilterChanges', ['0x1'])).toBe('error -32000 filter not found')
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [1])).toBe(
      'error -32602 invalid argument 0: expected the id of a filter or a subscription',
    )
  })

  it.each(['standard', 'preconf'] as const)(
    'continues after a poll on %s that found too many logs',
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

  it.each([
    ['standard', 'latest'],
    ['preconf', 'latest'],
    ['preconf', 'pending'],
  ] as const)('spreads many logs over several polls on %s, up to %s', async (view, toBlock) => {
    const { chain, probe, token, accounts } = await startScene({ limits: { logResults: 3 } })
    await chain.seal()
    const id = await ask(chain[view], 'eth_newFilter', [{ toBlock }])
    const changes = async () => {
      const logs = await ask(chain[view], 'eth_getFilterChanges', [id])
      if (typeof logs === 'string') return logs
      return (logs as PresealRpcLog[]).map(({ transactionHash, logIndex, removed }) => [
        transactionHash,
        logIndex,
        removed,
      ])
    }
    let nonce = 5
    const emit = (logs: bigint) =>
      send(chain, 0, { nonce: nonce++, to: probe, data: probeCall('emitLogs', [logs]) })
    const first = await emit(2n)
    const second = await emit(2n)
    await chain.seal()
    const third = await emit(1n)
    const long = await emit(4n)
    const data = tokenCall('transfer', [accounts[1], 1n])
    const last = await send(chain, 0, { nonce: nonce++, to: token, data })
    if (toBlock === 'latest') await chain.seal()
    else await chain.tick()
    expect([await changes(), await changes()]).toEqual([
      [
        [first, '0x0', false],
        [first, '0x1', false],
      ],
      [
        [second, '0x2', false],
        [second, '0x3', false],
        [third, '0x0', false],
      ],
    ])
    // That transaction alone has more logs than an answer can hold.
    expect([await changes(), await changes(), await changes()]).toEqual([
      'error -32602 more than 3 logs',
      [[last, '0x5', false]],
      [],
    ])
    expect(long).not.toBe(last)
  })

  it('returns removed logs after a poll that found too many', async () => {
    const { chain, probe } = await startScene({ limits: { logResults: 1 } })
    await chain.seal()
    const id = await ask(chain.standard, 'eth_newFilter', [{}])
    const changes = () => ask(chain.standard, 'eth_getFilterChanges', [id])
    const emit = (nonce: number, logs: bigint) =>
      send(chain, 0, { nonce, to: probe, data: probeCall('emitLogs', [logs]) })
    const snapshot = await chain.snapshot()
    const transactionHash = await emit(5, 1n)
    await chain.seal()
    expect(await changes()).toMatchObject([{ transactionHash, removed: false }])
    await chain.revert(snapshot)
    await emit(5, 2n)
    await chain.seal()
    expect(await changes()).toBe('error -32602 more than 1 logs')
    expect(await changes()).toMatchObject([{ transactionHash, removed: true }])
    expect(await changes()).toEqual([])
  })

  it.each([
    ['pending', 'pending'],
    ['latest', 'pending'],
  ] as const)(
    'replaces pre-confirmed logs with those of an imported block, from %s to %s',
    async (fromBlock, toBlock) => {
      const options = { clock: createManualClock() }
      const [here, other] = [await startChain(options), await startChain({ clock: createManualClock() })]
      const raws = [await sign(here, { nonce: 0, ...LOGGING }), await sign(here, { nonce: 1, ...LOGGING })]
      const submit = (chain: PresealChain, raw: Hex) => ask(chain.preconf, 'eth_sendRawTransaction', [raw])
      for (const raw of raws) await submit(other, raw)
      await other.seal()
      const block = await other.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })

      const id = await ask(here.preconf, 'eth_newFilter', [{ fromBlock, toBlock }])
      const changes = async () =>
        ((await ask(here.preconf, 'eth_getFilterChanges', [id])) as PresealRpcLog[]).map((log) => [
          log.transactionHash,
          log.removed,
        ])
      const first = await submit(here, raws[0]!)
      await here.tick()
      expect(await changes()).toEqual([[first, false]])
      await here.importBlocks(hexToBytes(block))
      const [, second] = (await here.preconf.request({
        method: 'eth_getBlockByNumber',
        params: ['latest', false],
      }))!.transactions as Hex[]
      expect(await changes()).toEqual([
        [first, true],
        [first, false],
        [second, false],
      ])
      expect(await changes()).toEqual([])
    },
  )

  it.each(['standard', 'preconf'] as const)('continues after a late poll on %s', async (view) => {
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
})
