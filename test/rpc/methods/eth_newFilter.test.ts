import { describe, expect, it } from 'vitest'
import { ask, probeCall, send, startScene, tokenCall, UNKNOWN } from '../scene.ts'

describe('eth_newFilter', () => {
  it('collects new logs once: sealed ones, with `toBlock: pending` pre-confirmed ones', async () => {
    const { chain, token, accounts } = await startScene()
    const install = (view: 'standard' | 'preconf', filter: object) =>
      chain[view].request({ method: 'eth_newFilter', params: [filter] })
    const ids = {
      standard: await install('standard', {}),
      'standard pending': await install('standard', { toBlock: 'pending' }),
      preconf: await install('preconf', {}),
      'preconf pending': await install('preconf', { fromBlock: 'pending', toBlock: 'pending' }),
      'preconf, another address': await install('preconf', { address: accounts[0], toBlock: 'pending' }),
      'preconf from block 4': await install('preconf', { fromBlock: '0x4', toBlock: 'pending' }),
      'preconf up to block 3': await install('preconf', { toBlock: '0x3' }),
    }
    /** The new logs of each filter that has any. */
    const changes = async () => {
      const found: Record<string, unknown> = {}
      for (const [name, id] of Object.entries(ids)) {
        const view = name.startsWith('standard') ? chain.standard : chain.preconf
        const logs = (await view.request({ method: 'eth_getFilterChanges', params: [id] })) as {
          blockNumber: string
          transactionIndex: string
        }[]
        if (logs.length === 0) continue
        found[name] = logs
          .map((log) => `${Number(log.blockNumber)}.${Number(log.transactionIndex)}`)
          .join(' ')
      }
      return found
    }
    const transfer = (nonce: number) =>
      send(chain, 0, { nonce, to: token, data: tokenCall('transfer', [accounts[1], 1n]) })

    expect(await changes()).toEqual({})
    await transfer(5)
    await chain.tick()
    expect(await changes()).toEqual({ 'preconf pending': '3.5' })
    expect(await changes()).toEqual({})
    await transfer(6)
    await chain.seal()
    await transfer(7)
    await chain.tick()
    expect(await changes()).toEqual({
      standard: '3.0 3.5 3.6',
      'standard pending': '3.0 3.5 3.6',
      preconf: '3.0 3.5 3.6',
      'preconf pending': '3.6 4.0',
      'preconf from block 4': '4.0',
      'preconf up to block 3': '3.0 3.5 3.6',
    })
    expect(await changes()).toEqual({})
  })

  it('numbers filters per connection', async () => {
    const { chain } = await startScene()
    expect(await ask(chain.preconf, 'eth_newFilter', [{}])).toBe('0x1')
    expect(await ask(chain.preconf, 'eth_newFilter', [{ address: UNKNOWN.slice(0, 42) }])).toBe('0x2')
    expect(await ask(chain.standard, 'eth_newFilter', [{}])).toBe('0x1')
    expect(await ask(chain.provider('preconf'), 'eth_getFilterChanges', ['0x1'])).toBe(
      'error -32000 filter not found',
    )
  })

  it('matches as eth_getLogs does', async () => {
    const { chain, probe } = await startScene()
    const filter = { topics: [null, null, `0x${'1'.padStart(64, '0')}`], toBlock: 'pending' }
    const id = await chain.preconf.request({ method: 'eth_newFilter', params: [filter as never] })
    await send(chain, 4, { nonce: 0, to: probe, data: probeCall('emitLogs', [3n]) })
    await chain.tick()
    const logs = await ask(chain.preconf, 'eth_getFilterChanges', [id])
    expect(logs).toEqual(await ask(chain.preconf, 'eth_getLogs', [{ ...filter, fromBlock: 'pending' }]))
    expect(logs).toHaveLength(1)
  })
})
