import { keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hex, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask, probeCall, send, startScene } from '../../rpc/scene.ts'

const STRANGER: Hex = `0x${'99'.repeat(20)}`

const impersonate = (provider: Provider, account: Hex) =>
  provider.request({ method: 'anvil_impersonateAccount', params: [account] })

/** A chain on which the stranger, the zero address and Token have ether. */
async function start() {
  const scene = await startScene()
  const { chain, token, probe } = scene
  const zero: Hex = `0x${'00'.repeat(20)}`
  for (const [i, to] of [STRANGER, zero].entries()) await send(chain, 6, { nonce: i, to, value: 10n ** 18n })
  // A selfdestruct in a creation sends ether to a contract that accepts none.
  const give = `0x73${token.slice(2)}ff` as const
  await send(chain, 6, { nonce: 2, data: give, value: 10n ** 18n })
  await chain.tick()
  return { ...scene, zero, probe }
}

describe('impersonation', () => {
  describe('anvil_impersonateAccount', () => {
    it('lets an account send without its key, with r as its address and s as 1', async () => {
      const { chain, accounts } = await start()
      const { preconf } = chain
      expect(await impersonate(chain.standard, STRANGER)).toBe(null)
      const request = { from: STRANGER, to: accounts[0]!, value: '0x1' } as const
      const types = [{}, { type: '0x0' }, { type: '0x1' }] as const
      const hashes: Hex[] = []
      for (const type of types) {
        hashes.push(
          await preconf.request({ method: 'eth_sendTransaction', params: [{ ...request, ...type }] }),
        )
      }
      const waiting = await ask(preconf, 'eth_getTransactionByHash', [hashes[0]])
      expect(waiting).toMatchObject({
        from: STRANGER,
        nonce: '0x0',
        r: STRANGER,
        s: '0x1',
        v: '0x0',
        yParity: '0x0',
      })
      const preconfBlock = await chain.tick()
      const sealed = await chain.seal()
      expect(sealed.block.hash).toBe(preconfBlock.block.hash)
      const found = await Promise.all(
        hashes.map((hash) => chain.standard.request({ method: 'eth_getTransactionByHash', params: [hash] })),
      )
      expect(found.map((tx) => [tx!.from, tx!.nonce, tx!.r, tx!.s, tx!.v])).toEqual([
        [STRANGER, '0x0', STRANGER, '0x1', '0x0'],
        [STRANGER, '0x1', STRANGER, '0x1', '0xf4f5'],
        [STRANGER, '0x2', STRANGER, '0x1', '0x0'],
      ])
      const receipts = await Promise.all(
        hashes.map((hash) => chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
      )
      expect(receipts.map((receipt) => [receipt!.from, receipt!.status])).toEqual(
        Array(3).fill([STRANGER, '0x1']),
      )
    })

    it('lets a contract and the zero address send', async () => {
      const { chain, token, probe, zero } = await start()
      for (const from of [token, zero]) {
        await impersonate(chain.preconf, from)
        const request = { from, to: probe, data: probeCall('set', [BigInt(from), 1n]), gas: '0x186a0' }
        const hash = await ask(chain.preconf, 'eth_sendTransaction', [request])
        await chain.tick()
        expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({
          from,
          status: '0x1',
        })
      }
      await chain.seal()
      expect(await ask(chain.standard, 'eth_getTransactionCount', [zero])).toBe('0x1')
    })

    it('applies to all connections, and emits accountsChanged on those with permission', async () => {
      const chain = await startChain({ accounts: { count: 1 } })
      const [alice] = chain.accounts.map(({ address }) => address)
      const events: unknown[] = []
      const revoked: unknown[] = []
      const other = chain.provider('preconf')
      await other.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })
      chain.standard.on('accountsChanged', (accounts) => events.push(accounts))
      other.on('accountsChanged', (accounts) => revoked.push(accounts))
      await impersonate(chain.preconf, STRANGER)
      await impersonate(chain.preconf, STRANGER)
      expect(await ask(chain.standard, 'eth_accounts')).toEqual([alice, STRANGER])
      expect(await ask(other, 'eth_accounts')).toEqual([])
      await chain.preconf.request({ method: 'anvil_stopImpersonatingAccount', params: [STRANGER] })
      expect(events).toEqual([[alice, STRANGER], [alice]])
      expect(revoked).toEqual([])
      chain.standard.close()
      await impersonate(chain.preconf, STRANGER)
      expect(events).toHaveLength(2)
    })

    it('signs for an account that has a key with that key', async () => {
      const chain = await startChain()
      const from = chain.accounts[0]!.address
      await impersonate(chain.preconf, from)
      const raw = await chain.preconf.request({ method: 'eth_signTransaction', params: [{ from, to: from }] })
      const hash = await ask(chain.preconf, 'eth_sendTransaction', [{ from, to: from }])
      expect(hash).toBe(keccak256(raw))
      expect(await ask(chain.preconf, 'eth_accounts')).toHaveLength(10)
    })

    it('adds no ether: an account without funds cannot send', async () => {
      const { preconf } = await startChain()
      await impersonate(preconf, STRANGER)
      const request = { from: STRANGER, to: STRANGER, gas: '0x5208' }
      expect(await ask(preconf, 'eth_sendTransaction', [request])).toBe(
        'error -32000 insufficient funds for gas * price + value',
      )
    })

    it('works by every name', async () => {
      const { preconf } = await startChain({ accounts: { count: 0 } })
      await preconf.request({ method: 'hardhat_impersonateAccount', params: [STRANGER] })
      expect(await ask(preconf, 'eth_accounts')).toEqual([STRANGER])
      await preconf.request({ method: 'hardhat_stopImpersonatingAccount', params: [STRANGER] })
      expect(await ask(preconf, 'eth_accounts')).toEqual([])
    })
  })

  describe('anvil_stopImpersonatingAccount', () => {
    it('ends the impersonation, and keeps sent transactions', async () => {
      const chain = await startChain()
      const { preconf } = chain
      await send(chain, 0, { nonce: 0, to: STRANGER, value: 10n ** 18n })
      await chain.tick()
      await preconf.request({ method: 'anvil_impersonateAccount', params: [STRANGER] })
      const hash = await ask(preconf, 'eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])
      expect(await ask(preconf, 'anvil_stopImpersonatingAccount', [STRANGER])).toBe(null)
      const { block } = await chain.tick()
      expect(block.transactions.map((tx) => tx.hash)).toContain(hash)
      expect(await ask(preconf, 'eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])).toBe(
        `error 4100 unknown account ${STRANGER}`,
      )
    })

    it('does nothing for an account that is not impersonated', async () => {
      const { preconf, accounts } = await startChain()
      const from = accounts[0]!.address
      expect(await ask(preconf, 'anvil_stopImpersonatingAccount', [from])).toBe(null)
      expect(await ask(preconf, 'eth_sendTransaction', [{ from, to: from }])).toMatch(/^0x/)
    })
  })

  describe('anvil_autoImpersonateAccount', () => {
    it('lets every account send until it is turned off; accounts impersonated by name still can', async () => {
      const chain = await startChain()
      const { preconf } = chain
      const named: Hex = `0x${'88'.repeat(20)}`
      for (const [i, to] of [STRANGER, named].entries())
        await send(chain, 0, { nonce: i, to, value: 10n ** 18n })
      await chain.tick()
      const attempt = (from: Hex) => ask(preconf, 'eth_sendTransaction', [{ from, to: from }])
      await preconf.request({ method: 'anvil_impersonateAccount', params: [named] })
      expect(await ask(preconf, 'anvil_autoImpersonateAccount', [true])).toBe(null)
      expect(await attempt(STRANGER)).toMatch(/^0x/)
      expect(await ask(preconf, 'eth_accounts')).not.toContain(STRANGER)
      expect(await ask(preconf, 'anvil_autoImpersonateAccount', [false])).toBe(null)
      expect(await attempt(STRANGER)).toBe(`error 4100 unknown account ${STRANGER}`)
      expect(await attempt(named)).toMatch(/^0x/)
    })
  })

  describe('the option autoImpersonate', () => {
    it('lets every account send from the start, until a request turns it off, and again after a reset', async () => {
      const chain = await startChain({ autoImpersonate: true })
      const attempt = async () => {
        await chain.setBalance(STRANGER, 10n ** 18n)
        return ask(chain.preconf, 'eth_sendTransaction', [{ from: STRANGER, to: STRANGER }])
      }
      const accounts = await ask(chain.preconf, 'eth_accounts')
      expect(await attempt()).toMatch(/^0x/)
      expect(await ask(chain.preconf, 'eth_accounts')).toEqual(accounts)
      await impersonate(chain.preconf, chain.accounts[0]!.address)
      await chain.preconf.request({ method: 'anvil_stopImpersonatingAccount', params: [STRANGER] })
      expect(await attempt()).toMatch(/^0x/)
      await ask(chain.preconf, 'anvil_autoImpersonateAccount', [false])
      expect(await attempt()).toBe(`error 4100 unknown account ${STRANGER}`)
      await ask(chain.preconf, 'hardhat_reset', [])
      expect(await attempt()).toMatch(/^0x/)
    })
  })

  it('is restored by snapshots', async () => {
    const chain = await startChain({ accounts: { count: 1 } })
    const [alice] = chain.accounts.map(({ address }) => address)
    await send(chain, 0, { nonce: 0, to: STRANGER, value: 10n ** 18n })
    await chain.seal()
    const events: unknown[] = []
    chain.standard.on('accountsChanged', (accounts) => events.push(accounts))
    const before = await chain.snapshot()
    await impersonate(chain.preconf, STRANGER)
    const within = await chain.snapshot()
    await chain.preconf.request({ method: 'anvil_stopImpersonatingAccount', params: [STRANGER] })
    await chain.preconf.request({ method: 'anvil_autoImpersonateAccount', params: [true] })
    await chain.revert(within)
    expect(await ask(chain.preconf, 'eth_accounts')).toEqual([alice, STRANGER])
    expect(await ask(chain.preconf, 'eth_sendTransaction', [{ from: STRANGER, to: alice }])).toMatch(/^0x/)
    await chain.revert(before)
    expect(await ask(chain.preconf, 'eth_sendTransaction', [{ from: STRANGER, to: alice }])).toBe(
      `error 4100 unknown account ${STRANGER}`,
    )
    expect(events).toEqual([[alice, STRANGER], [alice], [alice, STRANGER], [alice]])
  })
})
