import { expect, test } from 'vitest'
import { Idle } from '../../../../src/ethereum/evm/engine/presealEngine.ts'

test('four machines wait to be used again, the last of them first', () => {
  const idle = new Idle<number>()
  expect([idle.take(), idle.size]).toEqual([undefined, 0])
  for (let machine = 1; machine <= 10; machine++) idle.add(machine)
  expect(idle.size).toBe(4)
  expect([idle.take(), idle.take(), idle.size]).toEqual([4, 3, 2])
  idle.add(9)
  expect([idle.take(), idle.take(), idle.take(), idle.take()]).toEqual([9, 2, 1, undefined])
})
