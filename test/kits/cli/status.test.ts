import { describe, expect, it } from 'vitest'
import { RateMeter, statusLine } from '../../../src/kits/cli/banner.ts'

describe('the status line', () => {
  it('shows the block, its preconf block, the pool and the rate', () => {
    expect(statusLine({ block: 12, preconf: 3, pool: 45, rate: 300 })).toBe(
      'block 12  preconf 3  pool 45  300 tx/s',
    )
  })
})

describe('the rate', () => {
  it('is what happened in the last second', () => {
    const meter = new RateMeter()
    const rates = [0, 200, 400, 999, 1000, 1201, 5000].map((at, i) => meter.add(at, 10 ** i))
    expect(rates).toEqual([1, 11, 111, 1111, 11_110, 111_100, 1_000_000])
  })
})
