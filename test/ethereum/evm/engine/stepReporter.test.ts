import { expect, test } from 'vitest'
import type { Address } from '../../../../src/base/types.ts'
import { call } from './assembly.ts'
import { execute } from './execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`

test.each([
  ['DELEGATECALL', 'frontier'],
  ['STATICCALL', 'homestead'],
] as const)('%s reports what it would access on %s, which does not define it', async (name, fork) => {
  const accessed: Address[] = []
  const hooks = { onAccess: (address: Address) => accessed.push(address) }
  const code = `${call('CALL', OTHER, { gas: 50_000 })} POP`
  const accounts = { [OTHER]: { code: call(name, `0x${'ee'.repeat(20)}`, { gas: 1 }) } }
  const { endings } = await execute(code, { fork, accounts, hooks })
  expect(endings).toEqual([expect.stringContaining('invalid opcode'), undefined])
  expect(accessed).toEqual([OTHER, `0x${'ee'.repeat(20)}`])
})
