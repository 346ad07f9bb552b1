import { expect, it } from 'vitest'
import { printable, printableLines } from '../../src/base/printable.ts'

const HOSTILE = '\x1b[2J\x1b]0;owned\x07\u202e\u2028\r\x9b1mé\ta\nb'

it('escapes what would change how other text is shown', () => {
  const start = '\\u001b[2J\\u001b]0;owned\\u0007\\u202e\\u2028\\u000d\\u009b1mé'
  expect(printable(HOSTILE)).toBe(`${start}\\u0009a\\nb`)
  expect(printableLines(HOSTILE)).toBe(`${start}\ta\nb`)
})
