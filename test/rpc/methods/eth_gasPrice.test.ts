import { parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth, send, startScene } from '../scene.ts'

describe('eth_gasPrice', () => {
  it('is the base fee of the next block plus the suggested tip', async () => {
    const { chain } = await startScene()
    expect(await askBoth(chain, 'eth_gasPrice')).toMatchInlineSnapshot(`
      {
        "both": "0x63df142a",
      }
    `)
  })

  it('is enough for the next block', async () => {
    const chain = await startChain()
    const gasPrice = BigInt(await chain.preconf.request({ method: 'eth_gasPrice' }))
    expect(gasPrice).toBe(parseGwei('1.875'))
    const hash = await send(chain, 0, { nonce: 0, to: chain.accounts[1]!.address, gasPrice })
    expect((await chain.tick()).block.transactions.map((tx) => tx.hash)).toEqual([hash])
  })

  it('is the option gasPrice, which anvil_nodeInfo returns too', async () => {
    const chain = await startChain({ gasPrice: 7n })
    expect(await askBoth(chain, 'eth_gasPrice')).toEqual({ both: '0x7' })
    expect(await ask(chain.standard, 'anvil_nodeInfo')).toMatchObject({ environment: { gasPrice: '0x7' } })
  })
})
