import { describe, expect, test } from 'vitest'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { Halt } from '../../../../src/ethereum/evm/engine/message.ts'
import { OPCODES, type Opcode } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import { NEWEST } from '../../../../src/ethereum/rules.ts'
import { ALL_FORKS, forksUpTo } from '../../../forks.ts'
import { createBench, TARGET } from '../setup.ts'
import { bytecode } from './assembly.ts'

const byteOf = (code: number) => code.toString(16).padStart(2, '0')

/** Why code fails on the newest fork. @param gas - the gas that it may use. */
async function errorOf(code: string, gas = 1_000_000): Promise<string | undefined> {
  const bench = await createBench(NEWEST, { [TARGET]: { nonce: 1n, code: bytecode(code) } })
  return (await bench.include({ gasLimit: 21_000n + BigInt(gas) })).error
}

describe.each(ALL_FORKS)('the instructions of %s', (fork) => {
  const set = instructionSetOf(forksUpTo(fork))
  const active = OPCODES.filter(({ since }) => ALL_FORKS.indexOf(since) <= ALL_FORKS.indexOf(fork))
  const missing = Array.from({ length: 256 }, (_, code) => code).filter(
    (code) => !active.some((opcode) => opcode.code === code),
  )

  test('are one for each opcode, with its stack effect', () => {
    const [undefinedInstruction] = missing.map((code) => set.run[code])
    const others = active.filter(({ code }) => typeof set.run[code] !== 'function')
    expect([...others, ...active.filter(({ code }) => set.run[code] === undefinedInstruction)]).toEqual([])
    expect(active.map(({ code }) => [set.need[code], set.growth[code], set.effect[code]])).toEqual(
      active.map(({ pops, pushes, effect }) => [pops, pushes - pops, effect]),
    )
  })

  test('that it does not define fail at no price, whatever is on the stack', () => {
    const failures = missing.map((code) => {
      try {
        return set.run[code]!({ code: { bytes: Uint8Array.of(code) }, pc: 1 } as never, code)
      } catch (error) {
        return [error, set.gas[code], set.need[code], set.growth[code], set.ends[code]]
      }
    })
    const text = (code: number) => (code === 0xfe ? 'INVALID' : `opcode 0x${code.toString(16)} not defined`)
    expect(failures).toEqual(missing.map((code) => [new Halt(`invalid opcode: ${text(code)}`), 0, 0, 0, 1]))
  })

  test('end a block if they look at the gas left, or charge for more than memory', () => {
    const ending = active.filter(({ code }) => set.ends[code] === 1)
    const extending = ['MLOAD', 'MSTORE', 'MSTORE8']
    expect(ending).toEqual(
      active.filter(({ name, effect }) => effect !== 'moves' && !extending.includes(name)),
    )
  })
})

test('the instructions are created once for the same rules', () => {
  const rules = forksUpTo('prague')
  expect(instructionSetOf(rules)).toBe(instructionSetOf(rules))
})

describe('each instruction', () => {
  /** The opcodes that fail with an error, of those that are executed after words, with this much gas behind them. */
  const failing = async (
    error: string,
    opcodes: readonly Opcode[],
    height: (opcode: Opcode) => number,
    gas: (opcode: Opcode) => number,
  ) => {
    const errors = opcodes.map((opcode) => {
      const words = height(opcode)
      return errorOf(`${'PUSH0 '.repeat(words)} #${byteOf(opcode.code)}`, 2 * words + gas(opcode))
    })
    const all = await Promise.all(errors)
    return opcodes.filter((_, i) => all[i] === error)
  }

  test('fails with a word too few, before it is charged', async () => {
    const popping = OPCODES.filter(({ pops }) => pops > 0)
    const low = await failing(
      'stack underflow',
      popping,
      ({ pops }) => pops - 1,
      () => 0,
    )
    expect(low).toEqual(popping)
  })

  test('fails on a full stack, before it is charged, if and only if the stack grows', async () => {
    const full = await failing(
      'stack overflow',
      OPCODES,
      () => 1024,
      () => 0,
    )
    expect(full).toEqual(OPCODES.filter(({ pops, pushes }) => pushes > pops))
  })

  test('fails with one gas less than its static gas', async () => {
    const { gas } = instructionSetOf(forksUpTo(NEWEST))
    const charged = OPCODES.filter(({ code }) => gas[code]! > 0)
    const poor = await failing(
      'out of gas',
      charged,
      ({ pops }) => pops,
      ({ code }) => gas[code]! - 1,
    )
    expect(poor).toEqual(charged)
  })
})
