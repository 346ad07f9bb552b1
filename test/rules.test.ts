import { createBlockHeader } from '@ethereumjs/block'
import { paramsTx } from '@ethereumjs/tx'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Crypto, loadCrypto } from '../src/crypto.ts'
import { InvalidOptionError } from '../src/errors.ts'
import { type ChainRules, createChainRules, hardforkConfig, TIME_FORKS } from '../src/rules.ts'
import type { GethGenesis, Hardfork } from '../src/types.ts'
import { forksUpTo } from './forks.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

const rulesOf = (config: GethGenesis['config']): ChainRules =>
  createChainRules({ config, alloc: {}, gasLimit: '0x1c9c380' }, crypto)

describe('createChainRules', () => {
  it.each<[Hardfork, string?]>([
    ['paris', 'mergeNetsplitBlock'],
    ['shanghai'],
    ['cancun'],
    ['prague'],
    ['osaka'],
  ])('starts a chain with %s and stays there', (hardfork, name = hardfork) => {
    const fork = forksUpTo(hardfork)
    const rules = rulesOf(hardforkConfig(1234, hardfork))
    const at = rules.at(0n, 0n)
    expect({ chainId: rules.chainId, at: { ...at, common: at.common.chainId() } }).toEqual({
      chainId: 1234n,
      at: { chainId: 1234n, hardfork: name, fork, common: 1234n },
    })
    expect(rules.at(1_000_000n, 2n ** 40n)).toBe(at)
  })

  it('changes the rules at the timestamps a genesis names', () => {
    const config = { ...hardforkConfig(1, 'shanghai'), cancunTime: 100, pragueTime: 200, osakaTime: 200 }
    const rules = rulesOf(config)
    const times = [0n, 99n, 100n, 199n, 200n, 2n ** 40n]
    expect(times.map((timestamp) => rules.at(1n, timestamp).hardfork)).toEqual([
      'shanghai',
      'shanghai',
      'cancun',
      'cancun',
      'osaka',
      'osaka',
    ])
    expect(rules.at(1n, 100n)).toBe(rules.at(7n, 150n))
  })

  const { mergeForkBlock, mergeNetsplitBlock, terminalTotalDifficulty, ...rest } = hardforkConfig(1, 'paris')
  const { terminalTotalDifficultyPassed, ...london } = rest

  it.each<[string, object]>([
    ['a terminal total difficulty of 0', { terminalTotalDifficulty: 0 }],
    ['one of 0 as text', { terminalTotalDifficulty: '0x0' }],
    [
      'one of 0 that is said not to have been passed',
      { terminalTotalDifficulty: 0, terminalTotalDifficultyPassed: false },
    ],
    ['the word that it was passed', { terminalTotalDifficultyPassed: true }],
  ])('starts at the merge with %s', (_name, merged) => {
    expect(rulesOf({ ...london, ...merged }).at(0n, 0n)).toMatchObject({
      hardfork: 'mergeNetsplitBlock',
      fork: forksUpTo('paris'),
    })
  })

  it.each<[string, GethGenesis['config']]>([
    ['no merge', london],
    ['a terminal total difficulty ahead', { ...london, terminalTotalDifficulty: 1 }],
    ['no fork at all', { chainId: 1 }],
    ['forks before the merge only', { ...hardforkConfig(1, 'paris'), mergeForkBlock: 5 }],
  ])('refuses a genesis with %s', (_name, config) => {
    expect(() => rulesOf(config)).toThrow(InvalidOptionError)
  })
})

describe('the Common of some rules', () => {
  const common = () => rulesOf(hardforkConfig(1, 'prague')).at(0n, 0n).common

  it('is nobody else’s to alter', () => {
    const shared = common()
    const before = shared.param('txGas')
    expect(shared.copy()).toBe(shared)
    shared.updateParams({ 1: { txGas: 1 } })
    expect(shared.param('txGas')).toBe(before)
    shared.setHardfork('prague')
    expect(() => shared.setHardfork('paris')).toThrow(new TypeError('these rules are those of prague'))
  })

  it('knows what a stock one knows', () => {
    const shared = common()
    const stock = rulesOf(hardforkConfig(1, 'prague')).stockCommon()
    stock.setHardfork('prague')
    stock.updateParams(paramsTx)
    for (let eip = 0; eip < 10_000; eip++) {
      if (shared.isActivatedEIP(eip) !== stock.isActivatedEIP(eip)) expect(eip).toBe('the same in both')
    }
    for (const name of Object.keys(paramsTx[1]!))
      expect([name, shared.param(name)]).toEqual([name, stock.param(name)])
    expect(() => shared.param('noSuchParameter')).toThrow()
  })

  it('leaves a stock one to those who alter theirs', () => {
    const rules = rulesOf(hardforkConfig(1, 'prague'))
    const stock = rules.stockCommon()
    stock.setHardfork('paris')
    expect([stock.hardfork(), rules.stockCommon().hardfork(), rules.at(0n, 0n).hardfork]).toEqual([
      'paris',
      'prague',
      'prague',
    ])
    expect(createBlockHeader({}, { common: common() }).common).toBeDefined()
  })
})

describe('hardforkConfig', () => {
  it('activates the forks up to the one asked for, and no later ones', () => {
    const times = TIME_FORKS.map((fork) =>
      Object.keys(hardforkConfig(1, fork)).filter((key) => key.endsWith('Time')),
    )
    expect(times).toEqual(TIME_FORKS.map((_, i) => TIME_FORKS.slice(0, i + 1).map((fork) => `${fork}Time`)))
  })
})
