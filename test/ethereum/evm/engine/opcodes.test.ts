/** The table of opcodes, compared to that of @ethereumjs, and to what its instructions do with the stack. */
import { createBlock } from '@ethereumjs/block'
import { Common, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { Account, Address } from '@ethereumjs/util'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { OPCODES, opcodeName } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import { ALL_FORKS, type ForkName, forksUpTo, STOCK_FORKS } from '../../../forks.ts'
import { hex, push } from '../programs.ts'

const [JUMP, REVERT] = [0x56, 0xfd] as const

const commonOf = (fork: ForkName) =>
  new Common({ chain: Mainnet, hardfork: fork === 'frontier' ? 'chainstart' : fork })

const isActive = (fork: ForkName, since: ForkName) => ALL_FORKS.indexOf(since) <= ALL_FORKS.indexOf(fork)

/** The opcodes that @ethereumjs charges for only as it executes them since EIP-2929. */
const ACCESSES = /^(BALANCE|EXTCODE\w+|SLOAD|\w*CALL|CALLCODE)$/

/** What @ethereumjs charges for in advance, except for the topics of logs and for accesses, which are static here. */
function stockFee(fork: ForkName, { name, fee }: { readonly name: string; readonly fee: number }): number {
  if (name.startsWith('LOG')) return fee * (1 + Number(name.slice(3)))
  return isActive(fork, 'berlin') && ACCESSES.test(name) ? fee + 100 : fee
}

describe.each<ForkName>(['frontier', ...STOCK_FORKS])('on %s', (fork) => {
  test('names, activation and static gas are those of @ethereumjs', async () => {
    const { gas } = instructionSetOf(forksUpTo(fork))
    const active = OPCODES.filter(({ since }) => isActive(fork, since))
    const ours = active.map(({ code, name }) => [code, name, gas[code]])
    const stock = [...(await createEVM({ common: commonOf(fork) })).getActiveOpcodes().values()]
      .map(({ code, fullName, fee }) => ({ code, name: fullName, fee }))
      .filter(({ name }) => name !== 'INVALID')
      .map((one) => [
        one.code,
        // Traces keep the name from before the merge.
        one.name === 'PREVRANDAO' ? 'DIFFICULTY' : one.name,
        stockFee(fork, one),
      ])
    expect(ours).toEqual(stock)
  })
})

describe('the stack effects of', () => {
  const newest = STOCK_FORKS.at(-1)!
  const common = commonOf(newest)
  const to = new Address(new Uint8Array(20).fill(0xcc))

  /** Executes an instruction after this many words, all of which are 0, or the offset behind the code for a jump. */
  async function run(code: number, height: number) {
    const destination = 2 * height + 1
    const words = push(code === JUMP ? destination : 0).repeat(height)
    const evm = await createEVM({ common })
    await evm.stateManager.putAccount(to, new Account(1n))
    await evm.stateManager.putCode(to, hexToBytes(hex(`${words}${code.toString(16).padStart(2, '0')}5b`)))
    return (await evm.runCall({ to, block: createBlock({}, { common }) })).execResult
  }

  test.each(OPCODES.filter(({ since }) => isActive(newest, since)))(
    '$name are those of @ethereumjs',
    async ({ code, pops, pushes }) => {
      const { exceptionError, runState } = await run(code, pops)
      expect([exceptionError?.error, runState?.stack.length]).toEqual([
        code === REVERT ? 'revert' : undefined,
        pushes,
      ])
      if (pops > 0) {
        expect((await run(code, pops - 1)).exceptionError?.error).toBe('stack underflow')
      }
    },
  )
})

test('each opcode has one name, and all others are INVALID', () => {
  const named = new Map(OPCODES.map(({ code, name }) => [code, name]))
  expect(named.size).toBe(OPCODES.length)
  const names = Array.from({ length: 256 }, (_, code) => opcodeName(code))
  expect(names).toEqual(names.map((_, code) => named.get(code) ?? 'INVALID'))
})
