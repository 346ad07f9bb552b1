import { describe, expect, it } from 'vitest'
import { createChainRules } from '../../src/ethereum/rules.ts'
import { isMergedAtGenesis, type NetworkConfig, networkConfig } from './networks.ts'

/** The hardfork of a network at blocks, given by number, time in seconds, and difficulty. */
function hardforksOf(network: string, ...blocks: readonly (readonly [number, number, number?])[]): string[] {
  const genesis = { config: networkConfig(network), alloc: {}, gasLimit: '0x0', difficulty: '0x1' }
  const rules = createChainRules(genesis)
  return blocks.map(([number, time, difficulty = 0]) => {
    return rules.at(BigInt(number), BigInt(time), BigInt(difficulty)).hardfork
  })
}

const FORKS: readonly (readonly [string, string])[] = [
  ['Frontier', 'chainstart'],
  ['Homestead', 'homestead'],
  ['EIP150', 'tangerineWhistle'],
  ['TangerineWhistle', 'tangerineWhistle'],
  ['EIP158', 'spuriousDragon'],
  ['SpuriousDragon', 'spuriousDragon'],
  ['Byzantium', 'byzantium'],
  ['Constantinople', 'constantinople'],
  ['ConstantinopleFix', 'petersburg'],
  ['Petersburg', 'petersburg'],
  ['Istanbul', 'istanbul'],
  ['Berlin', 'berlin'],
  ['London', 'london'],
  ['ArrowGlacier', 'arrowGlacier'],
  ['GrayGlacier', 'grayGlacier'],
  ['Merge', 'paris'],
  ['Paris', 'paris'],
  ['Shanghai', 'shanghai'],
  ['Cancun', 'cancun'],
  ['Prague', 'prague'],
  ['Osaka', 'osaka'],
]

describe('a network of tests', () => {
  it.each(FORKS)('%s has the hardfork %s at every block', (network, hardfork) => {
    const merged = FORKS.indexOf(FORKS.find(([name]) => name === network)!) >= 15
    expect(hardforksOf(network, [0, 0, 1], [1, 1], [1000, 2 ** 40])).toEqual(Array(3).fill(hardfork))
    expect(isMergedAtGenesis(network)).toBe(merged)
  })

  it('changes its hardfork at a block, at a time, or at a total difficulty', () => {
    const at5 = (network: string) => hardforksOf(network, [4, 0, 1], [5, 0, 1], [1000, 0, 1])
    expect(at5('HomesteadToDaoAt5')).toEqual(['homestead', 'dao', 'dao'])
    expect(at5('ByzantiumToConstantinopleFixAt5')).toEqual(['byzantium', 'petersburg', 'petersburg'])
    expect(at5('BerlinToLondonAt5')).toEqual(['berlin', 'london', 'london'])
    expect(hardforksOf('ShanghaiToCancunAtTime15k', [1, 14_999], [2, 15_000])).toEqual(['shanghai', 'cancun'])
    const { terminalTotalDifficulty, mergeForkBlock, grayGlacierBlock } = networkConfig(
      'ArrowGlacierToParisAtDiffC0000',
    )
    expect({ terminalTotalDifficulty, mergeForkBlock, grayGlacierBlock }).toEqual({
      terminalTotalDifficulty: '0xC0000',
    })
    expect(hardforksOf('ArrowGlacierToParisAtDiffC0000', [4, 0, 1], [5, 0, 0])).toEqual([
      'arrowGlacier',
      'paris',
    ])
    expect(isMergedAtGenesis('ArrowGlacierToParisAtDiffC0000')).toBe(false)
    expect(isMergedAtGenesis('ParisToShanghaiAtTime15k')).toBe(true)
    expect(() => networkConfig('Atlantis')).toThrow('unknown fork Atlantis')
  })

  it('has the chain id and the blob parameters of its config, which are hex', () => {
    const of = (blobs: number) => {
      const hex = `0x0${blobs}` as const
      return { target: hex, max: hex, baseFeeUpdateFraction: '0x4c6964' } as const
    }
    const config: NetworkConfig = {
      chainid: '0x07',
      blobSchedule: { Cancun: of(1), BPO1: of(2), BPO2: of(3) },
    }
    const genesis = { config: networkConfig('BPO1ToBPO2AtTime15k', config), alloc: {}, gasLimit: '0x0' }
    const rules = createChainRules(genesis)
    const [before, after] = [14_999n, 15_000n].map((time) => rules.at(1n, time))
    expect([rules.chainId, before!.hardfork, after!.hardfork]).toEqual([7n, 'bpo1', 'bpo2'])
    expect([before!.blobs.maxGas, after!.blobs.maxGas]).toEqual([2n * 131_072n, 3n * 131_072n])
    expect(after!.blobs.updateFraction).toBe(0x4c6964n)
  })

  it('can be past the merge after its last block', () => {
    const rules = createChainRules({
      config: networkConfig('Byzantium', {}, 3),
      alloc: {},
      gasLimit: '0x0',
      difficulty: '0x1',
    })
    expect([0n, 1n, 2n, 3n].map((number) => rules.at(number, 0n).hardfork)).toEqual([
      ...Array(3).fill('byzantium'),
      'paris',
    ])
  })
})
