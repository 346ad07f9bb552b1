import { beforeAll, describe, expect, it } from 'vitest'
import { loadCrypto } from '../../../../../src/base/crypto/crypto.ts'
import { precompilesByAddress } from '../../../../../src/ethereum/evm/engine/precompiles/precompiles.ts'
import { precompilesOf } from '../../../../../src/ethereum/evm/precompiles.ts'
import { type ForkCase, forkCases } from './stock.ts'

let forks: readonly ForkCase[]
beforeAll(async () => {
  forks = await forkCases()
})

describe('the precompiles of a hardfork', () => {
  it('are at the addresses at which stock @ethereumjs has them', () => {
    const ours = forks.map(({ name, precompiles }) => [name, [...precompiles.keys()]])
    const stocks = forks.map(({ name, stock }) => [
      name,
      [...stock.precompiles.keys()].map((hex) => Number(`0x${hex}`)).sort((a, b) => a - b),
    ])
    expect(ours).toEqual(stocks)
  })

  it('are at the addresses that calls and access lists know', () => {
    const numbers = forks.map(({ fork }) => [...precompilesOf(fork)].map(Number))
    expect(numbers).toEqual(forks.map(({ precompiles }) => [...precompiles.keys()]))
  })

  it('are created once', async () => {
    const crypto = await loadCrypto()
    for (const { fork, precompiles } of forks) expect(precompilesByAddress(fork, crypto)).toBe(precompiles)
  })
})
