import { describe, expect, it } from 'vitest'
import type { Address, ChainOptions, Hex, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

const OTHER: Address = `0x${'77'.repeat(20)}`

async function start(options: ChainOptions = {}) {
  const chain = await startChain({ dialect: 'hardhat', mining: 'auto', ...options })
  const provider = chain.standard as Provider
  const accounts = chain.accounts.map(({ address }) => address)
  return {
    chain,
    provider,
    accounts,
    q: (method: string, ...params: unknown[]) => ask(provider, method, params),
  }
}

describe('results of cheats in the hardhat dialect', () => {
  it('are true, and false if an account was not impersonated', async () => {
    const { q } = await start()
    const answers = {
      impersonated: await q('hardhat_impersonateAccount', OTHER),
      stopped: await q('hardhat_stopImpersonatingAccount', OTHER),
      'stopped again': await q('hardhat_stopImpersonatingAccount', OTHER),
      balance: await q('hardhat_setBalance', OTHER, '0x1'),
      nonce: await q('hardhat_setNonce', OTHER, '0x1'),
      code: await q('hardhat_setCode', OTHER, '0x00'),
      storage: await q('hardhat_setStorageAt', OTHER, '0x0', `0x${'00'.repeat(32)}`),
      coinbase: await q('hardhat_setCoinbase', OTHER),
      fee: await q('hardhat_setNextBlockBaseFeePerGas', '0x342770c0'),
      randao: await q('hardhat_setPrevRandao', `0x${'00'.repeat(32)}`),
      logging: await q('hardhat_setLoggingEnabled', false),
      mined: await q('hardhat_mine', '0x2'),
      reset: await q('hardhat_reset'),
      'automatic mining': await q('evm_setAutomine', true),
      interval: await q('evm_setIntervalMining', 0),
      'gas limit': await q('evm_setBlockGasLimit', '0x1c9c380'),
      'unknown transaction': await q('hardhat_dropTransaction', `0x${'11'.repeat(32)}`),
    }
    expect(answers).toEqual({
      ...Object.fromEntries(Object.keys(answers).map((name) => [name, true])),
      'stopped again': false,
      'unknown transaction': false,
    })
  })

  it('are decimal digits of times and blocks', async () => {
    const { chain, q } = await start()
    expect(await q('evm_increaseTime', 123)).toBe('123')
    expect(await q('evm_increaseTime', '0x2')).toBe('125')
    const next = Math.floor(chain.clock.now() / 1000) + 1000
    expect(await q('evm_setNextBlockTimestamp', next)).toBe(`${next}`)
    expect(await q('evm_setNextBlockTimestamp', `0x${(next + 1).toString(16)}`)).toBe(`${next + 1}`)
    expect(await q('evm_mine')).toBe('0')
  })

  it('are null for a filter that is unknown or uninstalled', async () => {
    const { q } = await start()
    const id = await q('eth_newBlockFilter')
    expect(await q('eth_getFilterChanges', id)).toEqual([])
    expect(await q('eth_uninstallFilter', id)).toBe(true)
    expect(await q('eth_getFilterChanges', id)).toBe(null)
    expect(await q('eth_getFilterLogs', id)).toBe(null)
    expect(await q('eth_uninstallFilter', id)).toBe(false)
    expect(await q('eth_getFilterLogs', await q('eth_newBlockFilter'))).toBe(null)
  })

  it('are those of the library under the names of anvil, and in other dialects', async () => {
    const { chain, q } = await start()
    expect(await q('anvil_impersonateAccount', OTHER)).toBe(null)
    expect(await q('anvil_increaseTime', 5)).toBe('0x5')
    const other = chain.provider('standard', { dialect: 'preconf' }) as Provider
    expect(await ask(other, 'hardhat_impersonateAccount', [OTHER])).toBe(null)
    expect(await ask(other, 'evm_mine')).toBe('0x0')
    expect(await ask(other, 'eth_getFilterChanges', ['0x99'])).toBe('error -32000 filter not found')
  })
})

describe('impersonated accounts in the hardhat dialect', () => {
  it('are not listed, and may send', async () => {
    const { chain, provider, accounts, q } = await start()
    const changes: unknown[] = []
    provider.on('accountsChanged', (listed) => changes.push(listed))
    await q('hardhat_impersonateAccount', OTHER)
    await q('hardhat_setBalance', OTHER, '0xde0b6b3a7640000')
    expect(await q('eth_accounts')).toEqual(accounts)
    expect(await q('eth_requestAccounts')).toEqual(accounts)
    expect(await q('wallet_getPermissions')).toMatchObject([{ caveats: [{ value: accounts }] }])
    expect(await q('eth_sendTransaction', { from: OTHER, to: accounts[0] })).toMatch(/^0x/)
    expect(changes).toEqual([])
    const other = chain.provider('standard', { dialect: 'preconf' })
    expect(await other.request({ method: 'eth_accounts' })).toEqual([...accounts, OTHER])
  })
})

describe('evm_setAutomine(true) in the hardhat dialect', () => {
  async function startWaiting() {
    const { chain, provider, accounts, q } = await start()
    const [a, b, to] = accounts
    await q('evm_setAutomine', false)
    const sent = []
    for (const from of [a, b])
      sent.push(await q('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' }))
    expect(await q('evm_setAutomine', true)).toBe(true)
    expect(await q('eth_blockNumber')).toBe('0x0')
    const blockOf = async (number: Hex) =>
      (await provider.request({ method: 'eth_getBlockByNumber', params: [number, false] }))!.transactions
    return { chain, a, to, q, sent, blockOf }
  }

  it('leaves what waits to the next block', async () => {
    const { q, sent, blockOf } = await startWaiting()
    await q('evm_mine')
    expect(await q('eth_blockNumber')).toBe('0x1')
    expect(await blockOf('0x1')).toEqual(sent)
  })

  it('leaves what waits to the block of the next send, of the same sender too', async () => {
    const { a, to, q, sent, blockOf } = await startWaiting()
    const last = await q('eth_sendTransaction', { from: a, to, value: '0x1', gas: '0x5208' })
    expect(await q('eth_blockNumber')).toBe('0x1')
    expect(await blockOf('0x1')).toEqual([...sent, last])
  })

  it('refuses a nonce that waits or leaves a gap', async () => {
    const { a, to, q } = await startWaiting()
    const note = "Note that transactions can't be queued when automining."
    const send = (nonce: Hex) => q('eth_sendTransaction', { from: a, to, nonce })
    expect(await send('0x0')).toBe(`error -32000 Nonce too low. Expected nonce to be 1 but got 0. ${note}`)
    expect(await send('0x2')).toBe(`error -32000 Nonce too high. Expected nonce to be 1 but got 2. ${note}`)
  })

  it('seals what waits in the other dialects', async () => {
    const { q, accounts } = await start({ dialect: 'preconf' })
    await q('evm_setAutomine', false)
    await q('eth_sendTransaction', { from: accounts[0], to: OTHER })
    expect(await q('evm_setAutomine', true)).toBe(null)
    expect(await q('eth_blockNumber')).toBe('0x1')
  })
})
