import { numberToHex, parseEther, parseGwei } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Address, Hex, Provider } from '../../../src/index.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

/** Returns the price and the base fee that it sees. */
const FEES_CODE = '0x3a600052486020526040 6000f3'.replace(' ', '') as Hex
const FEES: Address = `0x${'fe'.repeat(20)}`
const POOR: Address = `0x${'1234'.padStart(40, '0')}`

const words = (...values: bigint[]): Hex =>
  `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}`

async function start(dialect: 'hardhat' | 'preconf' = 'hardhat') {
  const chain = await startChain({ dialect, mining: 'auto' })
  const provider = chain.standard as Provider
  const [from, to] = chain.accounts.map(({ address }) => address) as [Address, Address]
  await provider.request({ method: 'hardhat_setCode', params: [FEES, FEES_CODE] })
  // The base fee falls below the default tip with the first block.
  await provider.request({ method: 'eth_sendTransaction', params: [{ from, to }] })
  const { baseFeePerGas } = (await chain.standard.request({
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  }))!
  return { chain, provider, from, to, baseFee: BigInt(baseFeePerGas!) }
}

describe('a fee cap without a tip in the hardhat dialect', () => {
  it('is the tip if it is below the default one', async () => {
    const { provider, from, to, baseFee } = await start()
    expect(baseFee).toBeLessThan(parseGwei('1'))
    const maxFeePerGas = numberToHex(baseFee)
    expect(
      await provider.request({ method: 'eth_fillTransaction', params: [{ from, to, maxFeePerGas }] }),
    ).toMatchObject({ tx: { maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas } })
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, maxFeePerGas }],
    })
    expect(await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })).toMatchObject({
      blockNumber: '0x2',
      maxFeePerGas,
      maxPriorityFeePerGas: maxFeePerGas,
    })
  })

  it('leaves the default tip as it is if that is lower', async () => {
    const { provider, from, to } = await start()
    const maxFeePerGas = numberToHex(parseGwei('5'))
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, maxFeePerGas }],
    })
    expect(await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })).toMatchObject({
      maxFeePerGas,
      maxPriorityFeePerGas: numberToHex(parseGwei('1')),
    })
  })
})

describe('a call in the hardhat dialect', () => {
  it('has its tip as its fee cap if it names no fee cap', async () => {
    const { provider, from, to } = await start()
    const maxPriorityFeePerGas = numberToHex(parseGwei('3'))
    const call = { from, to: FEES, maxPriorityFeePerGas }
    const [price] = [parseGwei('3')]
    const seen = (await provider.request({ method: 'eth_call', params: [call] })) as Hex
    expect(seen.slice(0, 66)).toBe(words(price))
    expect(await ask(provider, 'eth_estimateGas', [{ from, to, maxPriorityFeePerGas }])).toBe('0x5208')
    expect(await ask(provider, 'eth_call', [{ from, to, maxPriorityFeePerGas: '0x3' }])).toBe('0x')
  })

  it('executes with a price below the base fee', async () => {
    const { provider, from, to, baseFee } = await start()
    const cheap = { from, to: FEES, gasPrice: '0x1' }
    for (const block of ['latest', 'pending', '0x1']) {
      const seen = (await provider.request({ method: 'eth_call', params: [cheap, block] })) as Hex
      expect(seen.slice(0, 66)).toBe(words(1n))
    }
    expect(await provider.request({ method: 'eth_call', params: [cheap, '0x1'] })).toBe(words(1n, baseFee))
    const transfer = { from, to, gasPrice: '0x1' }
    const { result } = (await ask(provider, 'debug_traceCall', [
      transfer,
      'latest',
      { tracer: 'prestateTracer', tracerConfig: {} },
    ]).then((traced) => ({ result: Object.keys(traced as object) }))) as { result: string[] }
    expect(result).toContain(from)
    expect(await ask(provider, 'eth_estimateGas', [transfer])).toBe('0x5208')
    expect(
      await ask(provider, 'eth_estimateGas', [{ ...transfer, gasPrice: undefined, maxFeePerGas: '0x1' }]),
    ).toBe('0x5208')
    expect(await ask(provider, 'eth_createAccessList', [transfer])).toEqual({
      accessList: [],
      gasUsed: '0x5208',
    })
  })

  it('executes without funds', async () => {
    const { chain, provider, to } = await start()
    const call = { from: POOR, to, value: '0xa' }
    expect(await ask(provider, 'eth_call', [call])).toBe('0x')
    expect(await ask(provider, 'eth_estimateGas', [call])).toBe('0x5208')
    const priced = {
      ...call,
      value: numberToHex(parseEther('20000')),
      gasPrice: numberToHex(parseGwei('100')),
    }
    expect(await ask(provider, 'eth_call', [priced])).toBe('0x')
    expect(await ask(provider, 'eth_estimateGas', [priced])).toBe('0x5208')
    expect(await ask(provider, 'eth_createAccessList', [priced])).toEqual({
      accessList: [],
      gasUsed: '0x5208',
    })
    const { gasUsed, succeeded } = await chain
      .explain({ from: POOR, to, value: 10n })
      .then(({ gasUsed, succeeded }) => ({ gasUsed, succeeded }))
    expect({ gasUsed, succeeded }).toEqual({ gasUsed: 21_000n, succeeded: true })
  })

  it('is refused if its tip is above its fee cap, in every method with both values', async () => {
    const { provider, from, to } = await start()
    const fees = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' }
    const call = { from, to, ...fees }
    const message = 'error -32000 maxPriorityFeePerGas (2) is bigger than maxFeePerGas (1)'
    expect(await ask(provider, 'eth_call', [call])).toBe(message)
    expect(await ask(provider, 'eth_estimateGas', [call])).toBe(message)
    expect(await ask(provider, 'eth_sendTransaction', [call])).toBe(message)
    expect(await ask(provider, 'eth_fillTransaction', [call])).toBe(message)
    const simulated = { blockStateCalls: [{ calls: [call] }], validation: true }
    expect(await ask(provider, 'eth_simulateV1', [simulated])).not.toMatch(/-32603/)
  })
})

it('calls need funds and the base fee in the other dialects', async () => {
  const { provider, from, to, baseFee } = await start('preconf')
  expect(await ask(provider, 'eth_call', [{ from, to, gasPrice: '0x1' }])).toBe(
    `error -32000 max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: ${baseFee}`,
  )
  expect(await ask(provider, 'eth_call', [{ from: POOR, to, value: '0xa' }])).toBe(
    'error -32000 insufficient funds for gas * price + value',
  )
  expect(await ask(provider, 'eth_call', [{ from, to, maxPriorityFeePerGas: '0x3' }])).toBe(
    'error -32000 max priority fee per gas higher than max fee per gas',
  )
  expect(await ask(provider, 'eth_sendTransaction', [{ from, to, maxFeePerGas: numberToHex(baseFee) }])).toBe(
    'error -32000 max priority fee per gas higher than max fee per gas',
  )
})
