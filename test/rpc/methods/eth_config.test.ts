import { describe, expect, it } from 'vitest'
import { readForkSchedule } from '../../../src/ethereum/rules.ts'
import type { Address, RpcForkConfig } from '../../../src/index.ts'
import { forkId } from '../../../src/rpc/configuration.ts'
import { startChain } from '../../harness.ts'
import { ask } from '../scene.ts'

const config = (fields: object) => ({
  config: {
    chainId: 7,
    terminalTotalDifficulty: 0,
    terminalTotalDifficultyPassed: true,
    ...Object.fromEntries(
      'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul berlin london'
        .split(' ')
        .map((name) => [`${name}Block`, 0]),
    ),
    ...fields,
  },
  alloc: {},
  gasLimit: '0x1c9c380',
})

const PRAGUE_CONTRACTS = {
  BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  DEPOSIT_CONTRACT_ADDRESS: '0x00000000219ab540356cbb839cbe05303d7705fa',
  HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
  WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: '0x00000961ef480eb55e80d19ad83579a64c007002',
} as const satisfies Record<string, Address>

const nameOf = (fork: RpcForkConfig | null) =>
  fork && {
    activationTime: fork.activationTime,
    blobSchedule: fork.blobSchedule,
    precompiles: Object.keys(fork.precompiles).length,
    systemContracts: Object.keys(fork.systemContracts).length,
  }

const MAX_6 = { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 }
const MAX_9 = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 }

describe('eth_config', () => {
  it('returns the fork of a chain on which no other follows (EIP-7910)', async () => {
    const chain = await startChain({ hardfork: 'prague' })
    for (const provider of [chain.standard, chain.preconf]) {
      const { current, next, last } = await provider.request({ method: 'eth_config' })
      expect({ next, last }).toEqual({ next: null, last: null })
      expect(current).toMatchObject({
        activationTime: 0,
        blobSchedule: MAX_9,
        chainId: '0x7a69',
        forkId: expect.stringMatching(/^0x[0-9a-f]{8}$/),
        precompiles: { ECREC: `0x${'00'.repeat(19)}01`, BLS12_MAP_FP2_TO_G2: `0x${'00'.repeat(19)}11` },
      })
      expect(current?.systemContracts).toEqual(PRAGUE_CONTRACTS)
      expect(Object.keys(current!.precompiles)).toEqual(Object.keys(current!.precompiles).sort())
      expect(Object.keys(current!.precompiles)).toHaveLength(17)
    }
  })

  it('returns the next fork and the last one, which the newest block of the view decides', async () => {
    const start = 1_700_000_000
    const schedule = config({
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: start + 1000,
      osakaTime: start + 2000,
    })
    const chain = await startChain({ genesis: { ...schedule, timestamp: `0x${start.toString(16)}` } })
    const read = async (view: 'standard' | 'preconf') => {
      const found = await chain[view].request({ method: 'eth_config' })
      return { current: nameOf(found.current), next: nameOf(found.next), last: nameOf(found.last) }
    }
    const cancun = { activationTime: 0, blobSchedule: MAX_6, precompiles: 10, systemContracts: 1 }
    const prague = { activationTime: start + 1000, blobSchedule: MAX_9, precompiles: 17, systemContracts: 5 }
    const osaka = { ...prague, activationTime: start + 2000, precompiles: 18 }
    expect(await read('standard')).toEqual({ current: cancun, next: prague, last: osaka })
    await chain.standard.request({ method: 'evm_setNextBlockTimestamp', params: [start + 1500] })
    await chain.tick()
    expect(await read('standard')).toEqual({ current: cancun, next: prague, last: osaka })
    expect(await read('preconf')).toEqual({ current: prague, next: osaka, last: osaka })
    await chain.seal()
    expect(await read('standard')).toEqual({ current: prague, next: osaka, last: osaka })
    const ids = new Set<string>()
    const answer = await chain.standard.request({ method: 'eth_config' })
    for (const fork of [answer.current, answer.next]) ids.add(fork!.forkId)
    expect(ids.size).toBe(2)
    expect(answer.last).toEqual(answer.next)
  })

  it('returns no fork before Shanghai, and no blobs before Cancun', async () => {
    const before = await startChain({ hardfork: 'paris' })
    expect(await ask(before.standard, 'eth_config')).toEqual({ current: null, next: null, last: null })
    const shanghai = await startChain({ hardfork: 'shanghai' })
    expect(await ask(shanghai.standard, 'eth_config')).toMatchObject({
      current: { blobSchedule: null, systemContracts: {} },
      next: null,
    })
  })

  it('identifies the forks of mainnet as EIP-2124 and EIP-6122 do', () => {
    const mainnet = {
      homesteadBlock: 1_150_000,
      daoForkBlock: 1_920_000,
      daoForkSupport: true,
      eip150Block: 2_463_000,
      eip155Block: 2_675_000,
      eip158Block: 2_675_000,
      byzantiumBlock: 4_370_000,
      constantinopleBlock: 7_280_000,
      petersburgBlock: 7_280_000,
      istanbulBlock: 9_069_000,
      muirGlacierBlock: 9_200_000,
      berlinBlock: 12_244_000,
      londonBlock: 12_965_000,
      arrowGlacierBlock: 13_773_000,
      grayGlacierBlock: 15_050_000,
      shanghaiTime: 1_681_338_455,
      cancunTime: 1_710_338_135,
      pragueTime: 1_746_612_311,
    }
    const schedule = readForkSchedule({
      config: { chainId: 1, terminalTotalDifficulty: '58750000000000000000000', ...mainnet },
      difficulty: '0x400000000',
      gasLimit: '0x1388',
      alloc: {},
    } as never)
    const genesis = {
      hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
      timestamp: 0n,
    } as const
    const at = (time: number) => forkId(schedule, genesis, BigInt(time))
    expect([at(0), at(1_681_338_455), at(1_710_338_135), at(1_746_612_311)]).toEqual([
      '0xf0afd0e3',
      '0xdce96c2d',
      '0x9f3d2254',
      '0xc376cf8b',
    ])
  })
})
