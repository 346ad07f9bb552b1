/** Ranges of logs that begin beyond the head: nothing is there yet. */
import { describe, expect, it } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'

const ENDS = [undefined, 'latest', 'safe', 'earliest', 'pending', '0x0', '0x2', '0x3', '0xa']

async function start(dialect: 'preconf' | 'geth' | 'hardhat') {
  const chain = await startChain({ dialect, mining: 'manual' })
  await chain.seal()
  await chain.seal()
  return chain
}

describe.each(['preconf', 'hardhat'] as const)('in the %s dialect', (dialect) => {
  it('eth_getLogs, eth_getFilterLogs and trace_filter find nothing beyond the head, however the range ends', async () => {
    const chain = await start(dialect)
    for (const provider of [chain.standard, chain.preconf] as Provider[]) {
      for (const fromBlock of ['0x3', '0x9']) {
        for (const toBlock of ENDS) {
          const filter = { fromBlock, ...(toBlock && { toBlock }) }
          expect(await ask(provider, 'eth_getLogs', [filter])).toEqual([])
          const id = await ask(provider, 'eth_newFilter', [filter])
          expect(await ask(provider, 'eth_getFilterLogs', [id])).toEqual([])
          expect(await ask(provider, 'trace_filter', [filter])).toEqual([])
        }
      }
    }
    expect(await ask(chain.standard as Provider, 'eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }])).toBe(
      'error -32602 invalid block range params',
    )
  })
})

it('the geth dialect refuses them', async () => {
  const chain = await start('geth')
  const message = 'error -32602 block range extends beyond current head block'
  for (const toBlock of ENDS) {
    const filter = { fromBlock: '0x3', ...(toBlock && { toBlock }) }
    expect(await ask(chain.standard as Provider, 'eth_getLogs', [filter])).toBe(message)
  }
  expect(await ask(chain.standard as Provider, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }])).toBe(
    message,
  )
})
