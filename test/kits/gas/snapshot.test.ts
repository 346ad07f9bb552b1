import { describe, expect, it } from 'vitest'
import {
  compareGasSnapshots,
  formatGasComparison,
  isGasComparisonPassed,
} from '../../../src/kits/gas/index.ts'

const lineOf = (name: string, max: number, count = 1) =>
  `${name} (min: 100, mean: 100, median: 100, max: ${max}, count: ${count})\n`

describe('the comparison of snapshots of gas', () => {
  it('finds nothing in equal ones, whatever the counts and the ends of lines', () => {
    const comparison = compareGasSnapshots(
      lineOf('A#f()', 100).replace('\n', '\r\n'),
      lineOf('A#f()', 100, 7),
    )
    expect(comparison).toEqual({ changed: [], added: [], removed: [], malformed: [] })
    expect([isGasComparisonPassed(comparison), formatGasComparison(comparison)]).toEqual([true, ''])
  })

  it.each([
    [700, 749, 7, true],
    [700, 651, 7, true],
    [700, 750, 7, false],
    [700, 650, 7, false],
    [700, 701, 0, false],
    [0, 1, 50, false],
  ])('of %i and %i with a tolerance of %i %%: passed is %s', (before, after, tolerance, passed) => {
    const comparison = compareGasSnapshots(lineOf('A#f()', before), lineOf('A#f()', after), tolerance)
    expect(isGasComparisonPassed(comparison)).toBe(passed)
    expect(comparison.changed).toEqual(
      passed ? [] : [{ name: 'A#f()', figure: 'max', expected: before, actual: after }],
    )
  })

  it('passes with methods that are new or gone, and fails with lines that cannot be read', () => {
    const before = lineOf('A#f()', 100) + lineOf('A#g()', 100)
    const comparison = compareGasSnapshots(before, lineOf('A#g()', 100) + lineOf('A (via P)#h(uint256)', 100))
    expect(comparison).toEqual({
      changed: [],
      added: ['A (via P)#h(uint256)'],
      removed: ['A#f()'],
      malformed: [],
    })
    expect(isGasComparisonPassed(comparison)).toBe(true)
    const broken = compareGasSnapshots('<<<<<<< HEAD\nA#g() (max: much)\n', '')
    expect(broken.malformed).toEqual(['<<<<<<< HEAD', 'A#g() (max: much)'])
    expect(isGasComparisonPassed(broken)).toBe(false)
  })

  it('prints differences in gas and in percent', () => {
    const comparison = compareGasSnapshots(
      `${lineOf('A#f()', 1000)}${lineOf('Long#transfer(address)', 0)}${lineOf('A#gone()', 1)}junk\n`,
      lineOf('A#f()', 900) + lineOf('Long#transfer(address)', 5) + lineOf('A#new()', 1),
    )
    expect(formatGasComparison(comparison, (format, text) => `<${format}>${text}</${format}>`)).toBe(`\
A#f()                   max     1000 → 900 <green>(-100, -10.00 %)</green>
Long#transfer(address)  max     0 → 5 <red>(+5)</red>
<green>+ A#new()</green>
<dim>- A#gone()</dim>
<red>cannot be read: junk</red>
`)
  })

  it.each([-1, Number.NaN, '1'])('refuses the tolerance %s', (tolerance) => {
    expect(() => compareGasSnapshots('', '', tolerance as number)).toThrow(
      'invalid option tolerance: expected a number of percent >= 0',
    )
  })
})
