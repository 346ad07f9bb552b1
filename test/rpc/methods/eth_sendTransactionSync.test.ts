import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

describe('eth_sendTransactionSync', () => {
  it('answers with the pre-confirmed receipt on preconf, the sealed one on standard', async () => {
    const chain = await startChain()
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const arrived = new Promise((resolve) => chain.once('transaction', resolve))
    const send = (provider: typeof chain.preconf, from: Hex) =>
      provider.request({ method: 'eth_sendTransactionSync', params: [{ from, to: bob! }, 500] })
    const preconf = send(chain.preconf, alice!)
    await arrived
    const preconfBlock = await chain.tick()
    expect(await preconf).toEqual(preconfBlock.receipts[0])
    const second = new Promise((resolve) => chain.once('transaction', resolve))
    const standard = send(chain.standard, bob!)
    await second
    const { receipts } = await chain.seal()
    expect(await standard).toEqual(receipts[1])
  })

  it('refuses too long timeouts and unknown accounts, and sends nothing', async () => {
    const { preconf, accounts } = await startChain()
    const from = accounts[0]!.address
    expect(await ask(preconf, 'eth_sendTransactionSync', [{ from, to: from }, 60_001])).toMatch(
      /^error -32602/,
    )
    const stranger = `0x${'99'.repeat(20)}`
    expect(await ask(preconf, 'eth_sendTransactionSync', [{ from: stranger, to: from }])).toBe(
      `error 4100 unknown account ${stranger}`,
    )
    expect(await ask(preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('fails at once behind a nonce gap', async () => {
    const { preconf, accounts } = await startChain()
    const from = accounts[0]!.address
    expect(await ask(preconf, 'eth_sendTransactionSync', [{ from, to: from, nonce: '0x1' }])).toMatch(
      /^error 5 /,
    )
  })
})
