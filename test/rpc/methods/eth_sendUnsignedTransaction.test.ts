import { createTestClient, custom } from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, send } from '../scene.ts'

const STRANGER: Hex = `0x${'99'.repeat(20)}`

describe('eth_sendUnsignedTransaction', () => {
  it("sends for any account, by viem's action", async () => {
    const chain = await startChain()
    await send(chain, 0, { nonce: 0, to: STRANGER, value: 10n ** 18n })
    await chain.tick()
    const client = createTestClient({ mode: 'anvil', chain: foundry, transport: custom(chain.preconf) })
    const hash = await client.sendUnsignedTransaction({ from: STRANGER, to: STRANGER, value: 1n })
    const { receipts } = await chain.seal()
    expect(receipts.at(-1)).toMatchObject({ transactionHash: hash, from: STRANGER, status: '0x1' })
    expect(await ask(chain.preconf, 'eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])).toBe(
      `error 4100 unknown account ${STRANGER}`,
    )
  })

  it('sends for an account with a key as if it had none', async () => {
    const { preconf, accounts, seal } = await startChain()
    const from = accounts[0]!.address
    const hash = await ask(preconf, 'eth_sendUnsignedTransaction', [{ from, to: from }])
    await seal()
    expect(await ask(preconf, 'eth_getTransactionByHash', [hash])).toMatchObject({ from, r: from, s: '0x1' })
  })

  it('refuses a transaction without a sender', async () => {
    const { preconf } = await startChain()
    expect(await ask(preconf, 'eth_sendUnsignedTransaction', [{ to: STRANGER }])).toBe(
      'error -32602 invalid argument 0.from: expected a 20-byte address',
    )
  })
})
