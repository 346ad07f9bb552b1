import { describe, expect, test } from 'vitest'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { addAll, bestOf, createPool, transfer } from './pool.ts'

describe('the order of inclusion', () => {
  test('by fees: the highest tip first, nonces in order, equal tips by arrival', () => {
    const { pool } = createPool()
    addAll(pool, transfer('A', 0, 2), transfer('A', 1, 9), transfer('B', 0, 5), transfer('C', 0, 5))
    pool.add(transfer('B', 1, 1))
    expect(bestOf(pool)).toEqual(['B0 tip 5', 'C0 tip 5', 'A0 tip 2', 'A1 tip 9', 'B1 tip 1'])
  })

  test('a tip counts up to the fee cap minus the base fee', () => {
    const { pool, world } = createPool()
    addAll(pool, transfer('A', 0, 9, 12), transfer('B', 0, 3, 50))
    expect(bestOf(pool)).toEqual(['B0 tip 3', 'A0 tip 9'])
    world.baseFee = 7n
    expect(bestOf(pool)).toEqual(['A0 tip 9', 'B0 tip 3'])
    expect(bestOf(pool, 13n)).toEqual(['B0 tip 3'])
  })

  test('by arrival', () => {
    const { pool } = createPool({ ordering: 'fifo' })
    addAll(pool, transfer('A', 1, 1), transfer('B', 0, 2), transfer('C', 0, 9), transfer('A', 0, 5))
    expect(bestOf(pool)).toEqual(['B0 tip 2', 'C0 tip 9', 'A0 tip 5', 'A1 tip 1'])
  })

  test('is one that is known', () => {
    expect(() => resolveOptions({ mempool: { ordering: 'size' as never } })).toThrow(
      new InvalidOptionError('mempool.ordering', "'fees' or 'fifo'"),
    )
  })
})
