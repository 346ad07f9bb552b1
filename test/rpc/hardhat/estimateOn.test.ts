import { numberToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address, ChainOptions, Dialect, Hex, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'

const COUNTER: Address = `0x${'77'.repeat(20)}`
/** Counts its calls in slot 0, and uses 8 kB of memory for each one before. */
const COUNTER_CODE: Hex = '0x5f5480600101 5f55 600d1b8052 00'.replaceAll(' ', '') as Hex

/** A chain without automatic blocks, with the counter. */
async function start(dialect: Dialect, options: ChainOptions = {}) {
  const chain = await startChain({ dialect, ...options })
  await chain.standard.request({ method: 'hardhat_setCode', params: [COUNTER, COUNTER_CODE] })
  const [from, other] = chain.accounts.map(({ address }) => address) as [Address, Address]
  const call = { from: other, to: COUNTER }
  return {
    chain,
    send: (request: Readonly<Record<string, Hex>> = {}) =>
      chain.standard.request({
        method: 'eth_sendTransaction',
        params: [{ from, to: COUNTER, gas: '0xf4240', ...request }],
      }),
    estimate: (provider: Provider, block?: 'latest' | 'pending') =>
      provider.request({
        method: 'eth_estimateGas',
        params: block === undefined ? [call] : [call, block],
      }) as Promise<Hex>,
  }
}

describe('estimateOn', () => {
  it('estimates on pending what a transaction needs after those that wait, on each view', async () => {
    const { chain, send, estimate } = await start('hardhat')
    const alone = await estimate(chain.standard)
    const estimates: Hex[] = []
    for (let i = 0; i < 3; i++) {
      await send()
      const views = [
        await estimate(chain.standard),
        await estimate(chain.standard, 'pending'),
        await estimate(chain.preconf, 'pending'),
        await estimate(chain.live),
      ]
      expect(new Set(views).size).toBe(1)
      estimates.push(views[0]!)
    }
    expect(new Set([alone, ...estimates]).size).toBe(4)
    expect(await estimate(chain.standard, 'latest')).toBe(alone)
    await chain.tick()
    expect(await estimate(chain.live)).toBe(estimates[2])
    await chain.seal()
    expect(await estimate(chain.standard, 'latest')).toBe(estimates[2])
  })

  it('follows what is replaced, and publishes nothing', async () => {
    const { chain, send, estimate } = await start('hardhat')
    const alone = await estimate(chain.standard)
    await send()
    const after = await estimate(chain.standard)
    const shown = await chain.preconf.request({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    })
    expect(shown?.transactions).toEqual([])
    await send({ nonce: '0x0', to: chain.accounts[5]!.address, gasPrice: numberToHex(10n ** 11n) })
    expect(await estimate(chain.standard)).toBe(alone)
    await send()
    expect(await estimate(chain.standard)).toBe(after)
  })

  it('leaves out what the block has no gas left for', async () => {
    const { chain, send, estimate } = await start('hardhat', { gasLimit: 1_000_000n })
    await send()
    const afterOne = await estimate(chain.standard)
    await send()
    expect(await estimate(chain.standard)).toBe(afterOne)
    const { block } = await chain.seal()
    expect(block.transactions).toHaveLength(1)
    expect(await estimate(chain.standard, 'latest')).toBe(afterOne)
    expect(await estimate(chain.standard)).not.toBe(afterOne)
  })

  it('does not apply to the other dialects, which estimate on the state that a view shows', async () => {
    const { chain, send, estimate } = await start('preconf')
    const alone = await estimate(chain.standard)
    await send()
    expect(await estimate(chain.standard)).toBe(alone)
    expect(await estimate(chain.live)).toBe(alone)
    await chain.tick()
    expect(await estimate(chain.live)).not.toBe(alone)
  })
})
