/** Requests that peers answer, or refuse for another reason. */
import { numberToHex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address, ChainOptions, Hex, Provider } from '../../src/index.ts'
import { feeHistoryCount } from '../../src/rpc/params/block.ts'
import { startChain } from '../harness.ts'
import { ask } from './scene.ts'

async function start(options: ChainOptions = {}) {
  const chain = await startChain({ mining: 'auto', ...options })
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]
  const provider = chain.standard as Provider
  return {
    chain,
    provider,
    from,
    to,
    q: (method: string, ...params: unknown[]) => ask(provider, method, params),
  }
}

describe('a transaction of the whole balance', () => {
  it.each(['preconf', 'geth'] as const)('lacks funds for its gas, in the %s dialect', async (dialect) => {
    const { from, to, q } = await start({ dialect })
    const value = await q('eth_getBalance', from, 'latest')
    const message = 'error -32000 insufficient funds for gas * price + value'
    expect(await q('eth_sendTransaction', { from, to, value })).toBe(message)
    expect(await q('eth_estimateGas', { from, to, value, gasPrice: '0x77359400' })).toBe(message)
    expect(await q('eth_estimateGas', { from, to, value })).toBe('0x5208')
    const least = numberToHex(parseEther('10000') - 1n)
    expect(await q('eth_estimateGas', { from, to, value: least, gasPrice: '0x77359400' })).toBe(
      'error -32000 gas required exceeds allowance (0)',
    )
  })

  it('is estimated in the hardhat dialect', async () => {
    const { from, to, q } = await start({ dialect: 'hardhat' })
    const value = await q('eth_getBalance', from, 'latest')
    expect(await q('eth_estimateGas', { from, to, value, gasPrice: '0x77359400' })).toBe('0x5208')
  })
})

describe('a fee cap of a few wei', () => {
  const fees = (cap: bigint, tip: bigint) => ({
    maxFeePerGas: numberToHex(cap),
    maxPriorityFeePerGas: numberToHex(tip),
    gas: '0x5208',
  })

  it('waits on a chain of the geth dialect from 1 wei on', async () => {
    const { from, to, q } = await start({ dialect: 'geth', mining: 'manual' })
    expect(await q('eth_sendTransaction', { from, to, ...fees(2n, 1n) })).toMatch(/^0x/)
    expect(await q('eth_sendTransaction', { from, to, ...fees(1n, 1n) })).toMatch(/^0x/)
    expect(await q('eth_sendTransaction', { from, to, ...fees(0n, 0n) })).toBe(
      'error -32000 transaction underpriced',
    )
    expect(await q('txpool_status')).toEqual({ pending: '0x0', queued: '0x2' })
  })

  it('is refused below 7 wei on others', async () => {
    const { from, to, q } = await start({ mining: 'manual' })
    expect(await q('eth_sendTransaction', { from, to, ...fees(6n, 1n) })).toBe(
      'error -32000 transaction underpriced',
    )
    expect(await q('eth_sendTransaction', { from, to, ...fees(7n, 1n) })).toMatch(/^0x/)
  })
})

describe('eth_feeHistory', () => {
  it('has no reward for an empty list of percentiles', async () => {
    const { q } = await start()
    expect(Object.keys((await q('eth_feeHistory', '0x1', 'latest', [])) as object)).toEqual(
      Object.keys((await q('eth_feeHistory', '0x1', 'latest')) as object),
    )
  })

  it('is empty for no blocks, and reads at most 1024', async () => {
    const { chain, q } = await start({ mining: 'manual' })
    expect(await q('eth_feeHistory', '0x0', 'latest', [50])).toEqual({
      oldestBlock: '0x0',
      baseFeePerGas: [],
      gasUsedRatio: [],
      baseFeePerBlobGas: [],
      blobGasUsedRatio: [],
    })
    expect(await q('eth_feeHistory', 0, '0x99', [])).toBe('error -32000 header not found')
    await chain.mine(2)
    const history = (await q('eth_feeHistory', '0x7d0', 'latest', [50])) as {
      oldestBlock: Hex
      reward: unknown[]
    }
    expect([history.oldestBlock, history.reward.length]).toEqual(['0x0', 3])
    expect(['0x400', '0x401', 2000].map((count) => feeHistoryCount.parse(count, ''))).toEqual([
      1024, 1024, 1024,
    ])
  })
})

it('a slot may lack its prefix in reads of storage', async () => {
  const { to, q } = await start()
  expect(await q('eth_getProof', to, ['b'])).toMatchObject({ storageProof: [{ key: '0xb' }] })
  const value = `0x${'5'.padStart(64, '0')}`
  await q('anvil_setStorageAt', to, '0xb', value)
  for (const slot of ['b', 'B', '0b', 'b'.padStart(64, '0')]) {
    expect(await q('eth_getStorageAt', to, slot, 'latest')).toBe(value)
    expect(await q('eth_getStorageValues', { [to]: [slot] }, 'latest')).toEqual({ [to]: [value] })
  }
  for (const slot of ['', 'g', '0'.repeat(65), '0xg']) {
    expect(await q('eth_getStorageAt', to, slot, 'latest')).toBe(
      'error -32602 invalid argument 1: expected a hex string of up to 32 bytes',
    )
  }
})

describe('the type of a transaction', () => {
  it('may be 0 beside an access list without entries', async () => {
    const { provider, from, to, q } = await start()
    const hash = await q('eth_sendTransaction', { from, to, type: '0x0', accessList: [] })
    const sent = await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })
    expect(sent).toMatchObject({ type: '0x0', blockNumber: '0x1' })
    expect(sent).not.toHaveProperty('accessList')
  })

  it('is refused if another field contradicts it', async () => {
    const { from, to, q } = await start()
    const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x77359400' }
    const entry = { address: to, storageKeys: [] }
    const refusals = {
      'fees under type 1': await q('eth_sendTransaction', { from, to, type: '0x1', ...fees }),
      'an access list under type 0': await q('eth_sendTransaction', {
        from,
        to,
        type: '0x0',
        accessList: [entry],
      }),
      'a gas price under type 2': await q('eth_sendTransaction', {
        from,
        to,
        type: '0x2',
        gasPrice: '0x77359400',
      }),
    }
    expect(refusals).toEqual({
      'fees under type 1':
        'error -32602 invalid argument 0.maxFeePerGas: expected no value in a transaction of type 1',
      'an access list under type 0':
        'error -32602 invalid argument 0.accessList: expected no value in a transaction of type 0',
      'a gas price under type 2':
        'error -32602 invalid argument 0.gasPrice: expected no value in a transaction of type 2',
    })
  })
})
