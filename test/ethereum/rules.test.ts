import { beforeAll, describe, expect, it } from 'vitest'
import { type Crypto, loadCrypto } from '../../src/base/crypto/crypto.ts'
import { InvalidOptionError } from '../../src/base/errors.ts'
import type { GethGenesis } from '../../src/base/types.ts'
import { commonOf } from '../../src/ethereum/evm/ethereumjs/common.ts'
import { NEXT_FIELD } from '../../src/ethereum/forks.ts'
import { type ChainRules, createChainRules, HARDFORKS, hardforkConfig } from '../../src/ethereum/rules.ts'
import { forksUpTo } from '../forks.ts'

let crypto: Crypto
describe('rules', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  const rulesOf = (config: GethGenesis['config']): ChainRules =>
    createChainRules({ config, alloc: {}, gasLimit: '0x1c9c380' })

  /** Its blob schedule. */
  const OLD_BLOBS = {
    osaka: { target: 5, max: 7, baseFeeUpdateFraction: 999 },
    bpo1: { target: 1, max: 2, baseFeeUpdateFraction: 33 },
    bpo5: { target: 3, max: 4, baseFeeUpdateFraction: 55 },
    later: { target: 1, max: 1, baseFeeUpdateFraction: 1 },
  }

  describe('createChainRules', () => {
    it.each(HARDFORKS)('starts a chain with %s and keeps it', (hardfork) => {
      const fork = forksUpTo(hardfork)
      const maxInitCodeSize = fork.shanghai ? 49_152 : Number.POSITIVE_INFINITY
      const rules = rulesOf(hardforkConfig(1234, hardfork))
      const at = rules.at(0n, 0n)
      const { schedule: _, blobs: __, ...rest } = at
      expect({ chainId: rules.chainId, at: rest }).toEqual({
        chainId: 1234n,
        at: {
          chainId: 1234n,
          hardfork,
          fork,
          maxInitCodeSize,
          maxTransactionGas: fork.osaka ? 16_777_216n : undefined,
          maxBlockSize: fork.osaka ? 8_388_608 : Number.POSITIVE_INFINITY,
          allowUnlimitedContractSize: false,
          transactionGasCap: true,
        },
      })
      expect(rules.at(1_000_000n, 2n ** 40n)).toBe(at)
    })

    it('changes the rules at the timestamps of a genesis', () => {
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

    const { mergeForkBlock, mergeNetsplitBlock, terminalTotalDifficulty, ...rest } = hardforkConfig(
      1,
      'paris',
    )
    const { terminalTotalDifficultyPassed, ...london } = rest

    it.each<[string, object]>([
      ['a terminal total difficulty of 0', { terminalTotalDifficulty: 0 }],
      ['one of 0 as text', { terminalTotalDifficulty: '0x0' }],
      [
        'one of 0 that is marked as not passed',
        { terminalTotalDifficulty: 0, terminalTotalDifficultyPassed: false },
      ],
      ['one marked as passed', { terminalTotalDifficultyPassed: true }],
    ])('starts at the merge with %s', (_name, merged) => {
      expect(rulesOf({ ...london, ...merged }).at(0n, 0n)).toMatchObject({
        hardfork: 'paris',
        fork: forksUpTo('paris'),
      })
    })

    it('starts at the merge if the genesis block has the terminal total difficulty', () => {
      const config = { ...london, terminalTotalDifficulty: 131_072 }
      const genesis = { config, alloc: {}, gasLimit: '0x1c9c380', difficulty: '0x20000' }
      expect(createChainRules(genesis).at(0n, 0n, 131_072n).hardfork).toBe('paris')
    })

    it('changes the rules at the blocks of a genesis, up to the merge', () => {
      const rules = rulesOf(OLD)
      const seen = Array.from({ length: 17 }, (_, i) => {
        const at = rules.at(BigInt(i), BigInt(10 * i))
        return `${i} ${at.hardfork} ${commonOf(at, crypto).consensusType()}`
      })
      expect(seen).toEqual([
        '0 homestead pow',
        '1 dao pow',
        '2 tangerineWhistle pow',
        '3 spuriousDragon pow',
        '4 byzantium pow',
        '5 petersburg pow',
        '6 istanbul pow',
        '7 muirGlacier pow',
        '8 berlin pow',
        '9 london pow',
        '10 arrowGlacier pow',
        '11 grayGlacier pow',
        '12 paris pos',
        '13 shanghai pos',
        '14 osaka pos',
        '15 bpo1 pos',
        '16 bpo5 pos',
      ])
    })

    it.each<[string, object, bigint | undefined]>([
      ['a total difficulty', { terminalTotalDifficulty: 4_732_352 }, 4_732_352n],
      ['one as text', { terminalTotalDifficulty: '0x4835c0' }, 4_732_352n],
      ['nothing', {}, undefined],
    ])('decides by the difficulty of a block if the merge is given by %s', (_name, merge, terminal) => {
      const { mergeNetsplitBlock: _, ...config } = OLD
      const genesis = {
        config: { ...config, ...merge } as never,
        alloc: {},
        gasLimit: '0x1c9c380',
        difficulty: '0x1',
      }
      const rules = createChainRules(genesis)
      expect(rules.terminalTotalDifficulty).toBe(terminal)
      expect(rules.at(20n, 200n, 1n).hardfork).toBe('grayGlacier')
      expect(rules.at(20n, 120n, 0n).hardfork).toBe('paris')
      expect(rules.at(20n, 200n).hardfork).toBe('bpo5')
    })

    it('uses the blob schedule of a genesis', () => {
      const rules = rulesOf(OLD)
      const schedule = (timestamp: bigint) => rules.at(16n, timestamp).blobs
      const of = (target: bigint, max: bigint, updateFraction: bigint) => ({
        targetGas: target * 131_072n,
        maxGas: max * 131_072n,
        updateFraction,
      })
      expect(schedule(140n)).toEqual(of(5n, 7n, 999n))
      expect(schedule(150n)).toEqual(of(1n, 2n, 33n))
      expect(schedule(160n)).toEqual(of(3n, 4n, 55n))
      const { blobSchedule: _, ...withoutSchedule } = hardforkConfig(1, 'cancun')
      expect(rulesOf(withoutSchedule as never).at(0n, 0n).blobs).toEqual(of(3n, 6n, 3_338_477n))
    })

    it('omits the DAO fork unless a genesis supports it', () => {
      const config = { ...OLD, daoForkSupport: false }
      expect(rulesOf(config).at(1n, 10n).hardfork).toBe('homestead')
    })

    it.each<[string, object, string]>([
      [
        'a missing fork before another',
        { istanbulBlock: undefined },
        'genesis.config.istanbulBlock: expected a value if',
      ],
      ['forks out of order', { berlinBlock: 5 }, 'genesis.config.berlinBlock: expected at least'],
      ['times out of order', { osakaTime: 120 }, 'genesis.config.osakaTime: expected at least'],
      [
        'a start that is not a number',
        { londonBlock: '9' },
        'genesis.config.londonBlock: expected an integer >= 0',
      ],
      ['two blocks for one fork', { eip155Block: 2 }, 'genesis.config.eip155Block: expected the same block'],
      [
        'proof of authority',
        { clique: { period: 0, epoch: 30_000 } },
        'genesis.config.clique: expected no value',
      ],
      ['an unsupported later fork', { [NEXT_FIELD]: 0 }, `genesis.config.${NEXT_FIELD}: expected no value`],
      ['no blobs for a fork that sets them', { blobSchedule: {} }, 'genesis.config.blobSchedule.bpo1.target'],
      [
        'blocks without room for a blob',
        { blobSchedule: { ...OLD_BLOBS, osaka: { target: 0, max: 0, baseFeeUpdateFraction: 1 } } },
        'genesis.config.blobSchedule.osaka.max: expected an integer >= 1',
      ],
      [
        'a blob base fee that cannot change',
        { blobSchedule: { ...OLD_BLOBS, bpo1: { target: 1, max: 2, baseFeeUpdateFraction: 0 } } },
        'genesis.config.blobSchedule.bpo1.baseFeeUpdateFraction: expected an integer >= 1',
      ],
    ])('rejects a genesis with %s', (_name, changes, message) => {
      expect(() => rulesOf({ ...OLD, ...changes } as never)).toThrow(InvalidOptionError)
      expect(() => rulesOf({ ...OLD, ...changes } as never)).toThrow(message)
    })
  })

  /** A chain with every fork since Frontier. */
  const OLD: GethGenesis['config'] = {
    chainId: 1,
    homesteadBlock: 0,
    daoForkBlock: 1,
    daoForkSupport: true,
    eip150Block: 2,
    eip155Block: 3,
    eip158Block: 3,
    byzantiumBlock: 4,
    constantinopleBlock: 5,
    istanbulBlock: 6,
    muirGlacierBlock: 7,
    berlinBlock: 8,
    londonBlock: 9,
    arrowGlacierBlock: 10,
    grayGlacierBlock: 11,
    mergeNetsplitBlock: 12,
    shanghaiTime: 130,
    cancunTime: 140,
    pragueTime: 140,
    osakaTime: 140,
    bpo1Time: 150,
    bpo5Time: 160,
    blobSchedule: OLD_BLOBS,
  }

  describe('the rules of one config', () => {
    it('are shared by chains with the same limits', () => {
      const config = hardforkConfig(1, 'prague')
      const genesis = { config, alloc: {}, gasLimit: '0x1c9c380' }
      const unlimited = createChainRules(genesis, { allowUnlimitedContractSize: true })
      expect(unlimited.at(0n, 0n).maxInitCodeSize).toBe(Number.POSITIVE_INFINITY)
      const first = createChainRules(genesis)
      expect(first.at(0n, 0n).maxInitCodeSize).toBe(49_152)
      const uncapped = createChainRules(genesis, { transactionGasCap: false })
      expect(uncapped.at(0n, 0n).transactionGasCap).toBe(false)
      expect(new Set([unlimited, first, uncapped]).size).toBe(3)
      const again = createChainRules(genesis)
      expect(createChainRules({ ...genesis })).toBe(again)
      expect(rulesOf(hardforkConfig(2, 'prague'))).not.toBe(again)
    })
  })

  describe('hardforkConfig', () => {
    it('activates the forks up to the given one, and no later ones', () => {
      const times = HARDFORKS.map((fork) =>
        Object.keys(hardforkConfig(1, fork)).filter((key) => key.endsWith('Time')),
      )
      expect(times).toEqual(HARDFORKS.map((_, i) => HARDFORKS.slice(0, i + 1).map((fork) => `${fork}Time`)))
    })
  })
})
