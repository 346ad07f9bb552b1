import fc from 'fast-check'
import { toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  createGasReport,
  formatGasReport,
  type GasRecord,
  gasReportToSnapshot,
} from '../../../src/kits/gas/index.ts'
import { runs } from '../../full.ts'

const ADDRESS = '0x00000000000000000000000000000000000000aa' as const

const recordOf = (gas: readonly number[]): GasRecord => ({
  codes: [{ runtime: '0x60016002' }],
  samples: gas.map((one) => ({ address: ADDRESS, codes: [0], selector: '0x12345678', gas: one, count: 1 })),
})

describe('a report of gas', () => {
  it('has the least, the mean, the median and the largest of any transactions, however they are distributed', async () => {
    const gas = fc.array(fc.integer({ min: 21_000, max: 2 ** 24 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(gas, fc.nat(), async (all, at) => {
        const sorted = [...all].sort((a, b) => a - b)
        const half = (sorted[(all.length - 1) >> 1]! + sorted[all.length >> 1]!) / 2
        const report = await createGasReport([recordOf(all)])
        expect(report.contracts[0]?.methods).toEqual([
          {
            signature: '0x12345678',
            count: all.length,
            min: sorted[0],
            mean: Math.round(all.reduce((sum, one) => sum + one, 0) / all.length),
            median: Math.round(half),
            max: sorted.at(-1),
          },
        ])
        const [some, rest] = [all.slice(0, at % all.length), all.slice(at % all.length)]
        const other = await createGasReport([recordOf(rest.reverse()), recordOf(some)])
        expect(gasReportToSnapshot(other)).toBe(gasReportToSnapshot(report))
      }),
      runs(50, 1000),
    )
  })

  it('names contracts of one name by their sources, and overloaded methods by their parameters', async () => {
    const artifactOf = (sourceName: string, bytecode: string, abi: readonly object[]) => ({
      contractName: 'Box',
      sourceName,
      bytecode,
      deployedBytecode: bytecode,
      abi,
    })
    const put = (type: string) => ({ type: 'function', name: 'put', inputs: [{ type }] })
    const artifacts = {
      one: artifactOf('contracts/One.sol', '0x6001', [put('uint256'), put('bytes')]),
      two: artifactOf('contracts/Two.sol', '0x6002', []),
    }
    const call = (code: number, selector: `0x${string}`) => ({
      address: ADDRESS,
      codes: [code],
      selector,
      gas: 30_000,
      count: 1,
    })
    const [ofNumber, ofBytes] = ['uint256', 'bytes'].map((type) => toFunctionSelector(`put(${type})`))
    const samples = [call(0, ofNumber!), call(0, ofBytes!), call(1, '0x')]
    const report = await createGasReport(
      [{ codes: [{ runtime: '0x6001' }, { runtime: '0x6002' }], samples }],
      { artifacts },
    )
    expect(formatGasReport(report)).toMatchInlineSnapshot(`
      "Gas of transactions    count    min   mean  median    max  size
      contracts/One.sol:Box
        put(bytes)               1  30000  30000   30000  30000
        put(uint256)             1  30000  30000   30000  30000
      contracts/Two.sol:Box
        0x                       1  30000  30000   30000  30000
      "
    `)
  })

  it('says that there is nothing, and adds the colours that it is given', async () => {
    const empty = await createGasReport([], { artifacts: { Bad: 1 } })
    expect(formatGasReport(empty, (format, text) => `<${format}>${text}</${format}>`)).toBe(`\
<bold>Gas of transactions  count  min  mean  median  max  size</bold>
  no transaction called or created a contract
<yellow>note: artifact Bad is not used: it is neither an artifact, an ABI nor build info</yellow>
`)
  })
})
