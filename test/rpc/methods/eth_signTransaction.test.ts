import { type Hex, parseTransaction, recoverTransactionAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { startChain } from '../../harness.ts'
import { ask, askBoth } from '../scene.ts'

describe('eth_signTransaction', () => {
  it('returns the signed transaction, with omitted fields filled in', async () => {
    const { preconf, accounts } = await startChain()
    const [alice, bob] = accounts.map(({ address }) => address)
    for (const [type, fields] of [
      ['legacy', { type: '0x0' }],
      ['eip2930', { accessList: [], gasPrice: '0x77359400' }],
      ['eip1559', {}],
    ] as const) {
      const request = { from: alice!, to: bob!, value: '0x5', ...fields } as const
      const params = [{ ...request }] as const
      const raw = (await preconf.request({ method: 'eth_signTransaction', params })) as Hex
      expect(parseTransaction(raw)).toMatchObject({ type, to: bob, value: 5n, gas: 21_000n, chainId: 31337 })
      const sender = await recoverTransactionAddress({ serializedTransaction: raw as never })
      expect(sender.toLowerCase()).toBe(alice)
    }
    expect(await ask(preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('refuses accounts without a key, also impersonated ones', async () => {
    const chain = await startChain()
    const from = `0x${'99'.repeat(20)}` as const
    await chain.preconf.request({ method: 'anvil_impersonateAccount', params: [from] })
    expect(await askBoth(chain, 'eth_signTransaction', [{ from, to: from }])).toEqual({
      both: `error 4100 unknown account ${from}`,
    })
  })
})
