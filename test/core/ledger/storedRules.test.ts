/** The rules that a database states: read again, they are the same at every block. */
import { describe, expect, it } from 'vitest'
import { rulesToText, textToRules } from '../../../src/core/ledger/format/databaseFormat.ts'
import { createChainRules, HARDFORKS, hardforkConfig } from '../../../src/ethereum/rules.ts'
import type { GethGenesis } from '../../../src/index.ts'

const genesisOf = (config: object, rest: object = {}): GethGenesis =>
  ({ config: { chainId: 5, ...config }, alloc: {}, gasLimit: '0x1', ...rest }) as never

const UP_TO_LONDON = Object.fromEntries(
  [
    'homestead',
    'eip150',
    'eip155',
    'eip158',
    'byzantium',
    'constantinople',
    'petersburg',
    'istanbul',
    'berlin',
    'london',
  ].map((name, i) => [`${name}Block`, name === 'eip155' ? 3 : i]),
)

const GENESES: readonly (readonly [string, GethGenesis])[] = [
  ...HARDFORKS.map((name) => [name, genesisOf(hardforkConfig(5, name))] as const),
  ['chainstart', genesisOf({})],
  ['DAO', genesisOf({ homesteadBlock: 0, daoForkBlock: 2, daoForkSupport: true })],
  ['London', genesisOf(UP_TO_LONDON)],
  [
    'terminal total difficulty',
    genesisOf({ ...UP_TO_LONDON, terminalTotalDifficulty: 1000, shanghaiTime: 10 }),
  ],
  ['first block without difficulty', genesisOf({ ...UP_TO_LONDON, shanghaiTime: 10 }, { difficulty: '0x5' })],
  [
    'blob parameters',
    genesisOf({
      ...hardforkConfig(5, 'osaka'),
      depositContractAddress: `0x${'ab'.repeat(20)}`,
      bpo1Time: 20,
      blobSchedule: { bpo1: { target: 1, max: 2, baseFeeUpdateFraction: 3 } },
    }),
  ],
]

describe('stored rules', () => {
  it.each(GENESES)('are the same when they are read: %s', (_, genesis) => {
    for (const lifted of [{}, { allowUnlimitedContractSize: true }, { transactionGasCap: false }]) {
      const rules = createChainRules(genesis, lifted)
      const text = rulesToText(rules.at(0n, 0n))
      const read = textToRules(text, 5n, 'the rules')!
      expect(rulesToText(read.at(0n, 0n))).toBe(text)
      expect(read.terminalTotalDifficulty).toBe(rules.terminalTotalDifficulty)
      for (let n = 0n; n < 30n; n += 1n) {
        for (const difficulty of [0n, 1n]) {
          const { schedule: a, ...found } = read.at(n, n, difficulty)
          const { schedule: b, ...expected } = rules.at(n, n, difficulty)
          expect(found).toEqual(expected)
          expect([a.depositContract, a.blobs]).toEqual([b.depositContract, b.blobs])
        }
      }
    }
  })
})
