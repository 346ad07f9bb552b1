import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToBigint, concatBytes, hexToBytes } from '../../../../src/base/bytes.ts'
import type { Hex } from '../../../../src/base/types.ts'
import { Suspended } from '../../../../src/base/waiting.ts'
import {
  Analysis,
  analysed,
  type Code,
  isJumpDestination,
  keepAnalysis,
} from '../../../../src/ethereum/evm/engine/code.ts'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { createPresealEngine } from '../../../../src/ethereum/evm/engine/presealEngine.ts'
import { forksUpTo, rulesOf } from '../../../forks.ts'
import { runs } from '../../../full.ts'
import { ALWAYS_DUE } from '../../../suspending.ts'
import { createBench, SENDER, TARGET } from '../setup.ts'
import { assemble, bytecode, returning, wordsIn } from './assembly.ts'
import { analyse } from './frames.ts'

const [JUMP, JUMPI, JUMPDEST, PUSH1] = [0x56, 0x57, 0x5b, 0x60] as const
const osaka = instructionSetOf(forksUpTo('osaka'))
const analyseHex = (code: Hex): Code => analyse(hexToBytes(code), osaka)

/** The blocks of code in order. */
function blocksOf({ blockAt, blockGas, blockNeed, blockRoom }: Code) {
  return [...blockAt.entries()]
    .filter(([, block]) => block !== 0)
    .map(([at, block]) => ({ at, gas: blockGas[block], need: blockNeed[block], room: blockRoom[block] }))
}

/** The offsets of the instructions of code, and of the STOP behind it unless the code ends in the data of a PUSH. */
function offsetsOf(bytes: Uint8Array): number[] {
  const offsets: number[] = []
  for (let at = 0; at <= bytes.length; at++) {
    offsets.push(at)
    const op = bytes[at] ?? 0
    if (op >= PUSH1 && op < PUSH1 + 32) at += op - PUSH1 + 1
  }
  return offsets
}

/** Code with many PUSHes and JUMPDESTs. */
const anyCode = fc.array(
  fc.oneof(fc.nat(255), fc.constantFrom(JUMPDEST, JUMP, JUMPI, PUSH1, 0x64, 0x7f, 1)),
  {
    maxLength: 150,
  },
)

describe('jump destinations', () => {
  test('are the JUMPDESTs that are not data of a PUSH', () => {
    fc.assert(
      fc.property(anyCode, (ops) => {
        const bytes = Uint8Array.from(ops)
        const code = analyse(bytes, osaka)
        const valid = Array.from({ length: bytes.length + 50 }, (_, to) => to).filter((to) =>
          isJumpDestination(code, to),
        )
        expect(valid).toEqual(offsetsOf(bytes).filter((at) => bytes[at] === JUMPDEST))
      }),
      runs(300, 20_000),
    )
  })

  test('are not in the index that replaces the data of a PUSH', () => {
    // 91 constants before it, so that the index is that of JUMPDEST.
    const code = analyseHex(`0x${'6400000000ff'.repeat(JUMPDEST)}64ffffffffff5b`)
    expect(code.program[6 * JUMPDEST + 3]).toBe(JUMPDEST)
    expect([3, 6].map((by) => isJumpDestination(code, 6 * JUMPDEST + by))).toEqual([false, true])
  })

  test('are none beyond 2^53', () => {
    expect([2n ** 53n, 2n ** 256n - 1n].map((to) => isJumpDestination(analyseHex('0x5b'), to))).toEqual([
      false,
      false,
    ])
  })
})

describe('blocks', () => {
  test.each<[string, string, ReturnType<typeof blocksOf>]>([
    ['no code', '', [{ at: 0, gas: 0, need: 0, room: 0 }]],
    [
      'a STOP',
      'STOP',
      [
        { at: 0, gas: 0, need: 0, room: 0 },
        { at: 1, gas: 0, need: 0, room: 0 },
      ],
    ],
    ['arithmetic on words of its own', '1 2 ADD POP', [{ at: 0, gas: 11, need: 0, room: 2 }]],
    ['arithmetic on words below', 'ADD MUL 1 SUB', [{ at: 0, gas: 14, need: 3, room: 0 }]],
    ['words below after a PUSH', '1 POP POP POP', [{ at: 0, gas: 9, need: 2, room: 1 }]],
    ['a DUP and a SWAP', 'DUP3 SWAP5', [{ at: 0, gas: 6, need: 5, room: 1 }]],
    ['words that go and come', 'POP POP 1 2 3', [{ at: 0, gas: 13, need: 2, room: 1 }]],
    [
      'a loop',
      '1 JUMPDEST DUP1 2 JUMPI POP',
      [
        { at: 0, gas: 3, need: 0, room: 1 },
        { at: 2, gas: 17, need: 1, room: 2 },
        { at: 7, gas: 2, need: 1, room: 0 },
      ],
    ],
    [
      'JUMPDESTs one after the other',
      'JUMPDEST JUMPDEST',
      [
        { at: 0, gas: 1, need: 0, room: 0 },
        { at: 1, gas: 1, need: 0, room: 0 },
      ],
    ],
    [
      'instructions that may see the gas',
      'GAS 0 SSTORE 0 MLOAD 0 0 KECCAK256 CALLER',
      [
        { at: 0, gas: 2, need: 0, room: 1 },
        { at: 1, gas: 3, need: 1, room: 1 },
        { at: 4, gas: 42, need: 0, room: 3 },
        { at: 12, gas: 2, need: 0, room: 1 },
      ],
    ],
    [
      'an undefined opcode',
      '1 #0c 2',
      [
        { at: 0, gas: 3, need: 0, room: 1 },
        { at: 3, gas: 3, need: 0, room: 1 },
      ],
    ],
    ['PUSH data that looks like code', '0x5b56 POP', [{ at: 0, gas: 5, need: 0, room: 1 }]],
    ['truncated PUSH data', 'CALLER #7f01', [{ at: 0, gas: 5, need: 0, room: 2 }]],
  ])('of %s', (_, source, expected) => {
    expect(blocksOf(analyseHex(bytecode(source)))).toEqual(expected)
  })

  test('that need or grow more than the stack holds say so within 16 bits', () => {
    const [pops, pushes] = ['50', '30'].map((op) => blocksOf(analyseHex(`0x${op.repeat(70_000)}`)))
    expect([pops, pushes]).toEqual([
      [{ at: 0, gas: 140_000, need: 1025, room: 0 }],
      [{ at: 0, gas: 140_000, need: 0, room: 1025 }],
    ])
  })

  test('start with the first instruction, at each JUMPDEST, and behind each instruction that ends one', () => {
    fc.assert(
      fc.property(anyCode, (ops) => {
        const bytes = Uint8Array.from(ops)
        const offsets = offsetsOf(bytes)
        const starts = offsets.filter((at, i) => {
          const before = bytes[offsets[i - 1]!] ?? 0
          return i === 0 || bytes[at] === JUMPDEST || osaka.ends[before] === 1
        })
        const blocks = blocksOf(analyse(bytes, osaka))
        expect(blocks.map(({ at }) => at)).toEqual(starts)
        const gas = offsets.reduce((sum, at) => sum + osaka.gas[bytes[at] ?? 0]!, 0)
        expect(blocks.reduce((sum, block) => sum + block.gas!, 0)).toBe(gas)
      }),
      runs(300, 20_000),
    )
  })

  test('have the gas of the hardfork', () => {
    const bytes = hexToBytes(bytecode('CALLER BALANCE'))
    const gas = (['frontier', 'istanbul', 'osaka'] as const).map(
      (fork) => blocksOf(analyse(bytes, instructionSetOf(forksUpTo(fork))))[0]!.gas,
    )
    expect(gas).toEqual([22, 702, 102])
  })
})

describe('an analysis', () => {
  test('of deployed code is made once per array and instruction set', () => {
    const bytes = hexToBytes('0x5b00')
    const berlin = instructionSetOf(forksUpTo('berlin'))
    expect(analysed(bytes, osaka)).toBeUndefined()
    const code = analyse(bytes, osaka)
    keepAnalysis(code, osaka)
    expect([analysed(bytes, osaka), analysed(bytes, berlin), analysed(bytes.slice(), osaka)]).toEqual([
      code,
      undefined,
      undefined,
    ])
  })

  test('in parts of any size is that in one', () => {
    fc.assert(
      fc.property(anyCode, fc.integer({ min: 1, max: 50 }), (ops, size) => {
        const bytes = Uint8Array.from(ops)
        const analysis = new Analysis(bytes, osaka)
        let parts = 1
        while (!analysis.advance(size)) parts += 1
        expect(analysis.code()).toEqual(analyse(bytes, osaka))
        expect(parts).toBeLessThanOrEqual(Math.ceil((bytes.length + 1) / size))
      }),
      runs(300, 20_000),
    )
  })

  test('of a megabyte is paused in between, of deployed code and of initcode', async () => {
    const code: Hex = `0x00${'5b'.repeat(2 ** 20)}`
    for (const [fork, to] of [
      ['osaka', TARGET],
      ['london', undefined],
    ] as const) {
      const bench = await createBench(
        'osaka',
        { [SENDER]: { nonce: 1n }, [TARGET]: { code } },
        { rules: rulesOf(fork) },
      )
      const message = { caller: SENDER, to, value: 0n, data: hexToBytes(code), gasLimit: 10n, gasPrice: 0n }
      let work = createPresealEngine(bench.crypto).run(message, bench.env, bench.state, undefined, ALWAYS_DUE)
      let parts = 0
      for (; work instanceof Suspended; work = work.resume()) parts += 1
      expect([parts, work.error, work.gasUsed]).toEqual([8, undefined, 0n])
    }
  })

  test('leaves the code unchanged', () => {
    const bytes = Uint8Array.from({ length: 33 }, (_, i) => 0x7f + i)
    const before = bytes.slice()
    expect(analyse(bytes, osaka).bytes).toBe(bytes)
    expect(bytes).toEqual(before)
  })
})

/** The words that code returns. */
async function execute(code: Hex): Promise<bigint[]> {
  const bench = await createBench('osaka', { [TARGET]: { nonce: 1n, code } })
  const { error, output } = await bench.include({ gasLimit: 16_000_000n })
  expect(error).toBeUndefined()
  return wordsIn(output)
}

describe('constants', () => {
  test('of each width are pushed, with and without leading zeros', async () => {
    const all: Hex[] = Array.from({ length: 32 }, (_, i) => {
      const width = i + 1
      return (['ff', '5b', '01', '00'] as const).map((byte): Hex => `0x${byte.repeat(width)}`)
    }).flat()
    const padded = Array.from({ length: 32 }, (_, i): Hex => `0x${'c4'.padStart(2 * (i + 1), '0')}`)
    const constants = [...all, ...padded]
    expect(await execute(bytecode(returning(...constants)))).toEqual(constants.map(BigInt))
  })

  test('that the code ends in are padded with zeros, and followed by a STOP', () => {
    const cut = [5, 6, 31, 32].flatMap((width) =>
      [0, 1, 3, width - 1].map((length) => ({ width, data: new Uint8Array(length).fill(0xab) })),
    )
    const analysed = cut.map(({ width, data }) =>
      analyse(concatBytes(Uint8Array.of(PUSH1 + width - 1), data), osaka),
    )
    expect(
      analysed.map(({ constants, program }, i) => [constants.map(BigInt), program[1 + cut[i]!.width]]),
    ).toEqual(
      cut.map(({ width, data }) => [
        [bytesToBigint(concatBytes(data, new Uint8Array(width - data.length)))],
        0,
      ]),
    )
  })

  test('of any width may end the code, which then ends without an error', async () => {
    const ends = Array.from({ length: 32 }, (_, size) =>
      [...new Set([0, 1, size])].map(
        (length): Hex => `0x${(PUSH1 + size).toString(16)}${'5b'.repeat(length)}`,
      ),
    ).flat()
    expect(await Promise.all(ends.map(execute))).toEqual(ends.map(() => []))
  })

  test('of more than 2^16 are told apart', async () => {
    const many = Array.from({ length: 70_000 }, (_, i) => `64${i.toString(16).padStart(10, '0')}50`).join('')
    const code: Hex = `0x${many}${assemble(returning('0x00000111ff', '0x1234567890'))}`
    expect(await execute(code)).toEqual([0x111ffn, 0x1234567890n])
  })
})

describe('long code', () => {
  // 65,520 bytes is the least for which the numbers of the blocks have 32 bits.
  test.each([65_519, 65_520, 65_521, 65_536, 65_537, 1_000_000])('of %i bytes is executed', async (size) => {
    const end = assemble(`JUMPDEST ${returning('PC', 'CODESIZE')}`)
    const at = size - end.length / 2
    const start = assemble(`0x${at.toString(16).padStart(6, '0')} JUMP`)
    const between = '5b'.repeat(at - start.length / 2)
    expect(await execute(`0x${start}${between}${end}`)).toEqual([BigInt(at + 1), BigInt(size)])
  })

  test.each([
    ['JUMPDEST', 2 ** 20, 0],
    ['STOP', 2 ** 20 + 1, 0],
    ['CALLER', 1, 0],
    ['PUSH5', 1, Math.ceil(2 ** 20 / 6)],
    ['PUSH32', 1, Math.ceil(2 ** 20 / 33)],
  ])('of a megabyte of %s has its blocks and constants', (name, blocks, constants) => {
    const bytes = new Uint8Array(2 ** 20).fill(Number(bytecode(name)))
    const code = analyse(bytes, osaka)
    // Block 0 is none.
    expect([code.blockGas.length - 1, code.constants.length]).toEqual([blocks, constants])
  })
})
