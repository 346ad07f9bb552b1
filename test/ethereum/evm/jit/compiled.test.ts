import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPCODES } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import { NEWEST } from '../../../../src/ethereum/rules.ts'
import { runs } from '../../../full.ts'
import { assemble } from '../engine/assembly.ts'
import { Comparison } from './frames.ts'

const END = 2n ** 256n
const around = (bits: number): bigint[] => [-1n, 0n, 1n].map((by) => 2n ** BigInt(bits) + by)

/** Words at which a limb, a sign or a case distinction changes. */
const BOUNDARIES: readonly bigint[] = [
  ...[0n, 1n, 2n, 7n, 30n, 31n, 32n, 33n, 63n, 64n, 65n, 127n, 128n, 192n, 255n, 256n, 257n],
  ...[32, 53, 63, 64, 128, 192, 255].flatMap(around),
  ...[END - 2n ** 64n, END - 2n ** 32n + 1n, END - 3n, END - 2n, END - 1n],
  // A digit of a quotient by these is estimated too high.
  ...[((2n ** 31n) << 64n) + 2n ** 32n - 1n, 2n ** 127n + 2n ** 64n - 1n, 2n ** 255n + 2n ** 224n - 1n],
  0x80000000_fffffffe_00000000_00000000n,
]

const SOME = BOUNDARIES.filter((_, i) => i % 3 === 0)

const anyWord = fc.oneof(
  fc.constantFrom(...BOUNDARIES),
  fc.integer({ min: 1, max: 256 }).chain((bits) => fc.bigInt(0n, 2n ** BigInt(bits) - 1n)),
)

/** The instructions on words alone, by the number of operands. */
const operationsOf = (operands: number) =>
  OPCODES.filter(({ code, pops }) => pops === operands && code <= 0x1e && code !== 0x0a).map(
    ({ name }) => name,
  )

const pushed = (word: bigint): string => `0x${word.toString(16).padStart(64, '0')}`

let comparison: Comparison

beforeAll(async () => {
  comparison = await Comparison.create(NEWEST)
})

describe('instructions on words are equal in compiled code and in the plain loop', () => {
  test('if no operand is known', () => {
    const pairs = operationsOf(2).map((name) => `DUP2 DUP2 ${name} SWAP2 SWAP1`)
    const ones = operationsOf(1).map((name) => `DUP1 ${name} SWAP2 SWAP1`)
    const two = comparison.prepare(assemble([...pairs, ...ones, 'STOP'].join(' ')))
    const left = pairs.length + ones.length + 2
    for (const a of BOUNDARIES) {
      for (const b of BOUNDARIES) expect(comparison.run(two, [b, a], 10_000).stack.length).toBe(left)
    }
    const triples = operationsOf(3).map((name) => `DUP3 DUP3 DUP3 ${name} SWAP3 SWAP2 SWAP1`)
    const three = comparison.prepare(assemble([...triples, 'STOP'].join(' ')))
    for (const a of SOME) {
      for (const b of SOME) {
        for (const n of SOME)
          expect(comparison.run(three, [n, b, a], 10_000).stack.length).toBe(triples.length + 3)
      }
    }
    fc.assert(
      fc.property(anyWord, anyWord, anyWord, (a, b, n) => {
        comparison.run(two, [b, a], 10_000)
        comparison.run(three, [n, b, a], 10_000)
      }),
      runs(300, 20_000),
    )
  })

  test.each(operationsOf(2))('if an operand of %s is known', (name) => {
    const parts = BOUNDARIES.map((word) => {
      const push = pushed(word)
      return `DUP1 ${push} ${name} SWAP1 DUP1 ${push} SWAP1 ${name} SWAP1 ${push} DUP1 ${name} SWAP1`
    })
    const program = comparison.prepare(assemble(`${parts.join(' ')} STOP`))
    for (const word of BOUNDARIES) {
      expect(comparison.run(program, [word], 100_000).stack.length).toBe(3 * BOUNDARIES.length + 1)
    }
  })
})

/** What a block of a random program does, and how it ends. */
interface Block {
  readonly body: readonly string[]
  readonly end: 'next' | 'jump' | 'jumpIf' | 'returnTo' | 'jumpIfTo' | 'anywhere' | 'leave'
  readonly to: number
}

const numbered = (name: string): fc.Arbitrary<string> =>
  fc.integer({ min: 1, max: 16 }).map((n) => `${name}${n}`)

const OFFSET = '511 AND'

const instruction = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...[1, 2, 3].flatMap(operationsOf)) },
  { weight: 4, arbitrary: anyWord.map(String) },
  { weight: 2, arbitrary: fc.nat(40).map(String) },
  { weight: 6, arbitrary: numbered('DUP') },
  { weight: 5, arbitrary: numbered('SWAP') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'POP',
      `${OFFSET} MLOAD`,
      `${OFFSET} MSTORE`,
      `${OFFSET} MSTORE8`,
      'MSIZE',
      'PC',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('MLOAD', 'MSTORE', 'MSTORE8', '65535 AND MLOAD') },
  { weight: 1, arbitrary: fc.constantFrom('CALLDATASIZE', 'CALLER', 'CALLDATALOAD', 'TLOAD', 'GASPRICE') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('40 3 KECCAK256', `${OFFSET} SWAP1 ${OFFSET} KECCAK256`, 'KECCAK256'),
  },
  { weight: 1, arbitrary: fc.constantFrom('GAS', '0 SLOAD', '32 0 64 MCOPY', '3 EXP') },
)

const block: fc.Arbitrary<Block> = fc.record({
  body: fc.array(instruction, { maxLength: 12 }),
  end: fc.constantFrom(
    'next',
    'jump',
    'jump',
    'jumpIf',
    'jumpIf',
    'returnTo',
    'jumpIfTo',
    'anywhere',
    'leave',
  ),
  to: fc.nat(6),
})

/** Links blocks, each of which begins with a JUMPDEST. */
function link(blocks: readonly Block[]): string {
  const starts: number[] = []
  let code = ''
  for (const isLinked of [false, true]) {
    code = ''
    blocks.forEach(({ body, end, to }, i) => {
      if (!isLinked) starts[i] = code.length / 2
      const start = (starts[to % blocks.length] ?? 0).toString(16).padStart(4, '0')
      const ends = {
        next: '',
        jump: `0x${start} JUMP`,
        jumpIf: `0x${start} JUMPI`,
        // A destination that only memory has.
        returnTo: `0x${start} 0 MSTORE 0 MLOAD JUMP`,
        jumpIfTo: `0x${start} 0 MSTORE 0 MLOAD JUMPI`,
        anywhere: '63 AND JUMP',
        leave: '0 MLOAD STOP',
      }
      code += assemble(`JUMPDEST ${body.join(' ')} ${ends[end]}`)
    })
  }
  return code
}

describe('compiled code', () => {
  test('does what the plain loop does, wherever it stops', () => {
    const counts = new Map<string | undefined, number>()
    let mostStops = 0
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 7 }),
        fc.array(anyWord, { minLength: 16, maxLength: 30 }),
        fc.oneof(fc.nat(2_000), fc.nat(60_000)),
        (blocks, stack, gas) => {
          const program = comparison.prepare(link(blocks))
          const { error, stops } = comparison.run(program, stack, gas)
          counts.set(error, (counts.get(error) ?? 0) + 1)
          mostStops = Math.max(mostStops, stops)
        },
      ),
      runs(100, 5000),
    )
    expect([...counts.keys()].map(String).sort()).toEqual([
      ...['invalid jump destination', 'out of gas', 'stack overflow', 'stack underflow', 'undefined'],
    ])
    expect(mostStops).toBeGreaterThan(1)
  })

  /** Writes words to memory, which it extends, and sums them. */
  const SUMMING = link([
    { body: ['0', '0'], end: 'next', to: 0 },
    // The stack: index, sum.
    { body: ['20 DUP2 LT ISZERO'], end: 'jumpIf', to: 4 },
    { body: ['DUP1 7 MUL DUP2 5 SHL MSTORE'], end: 'next', to: 0 },
    { body: ['DUP1 5 SHL MLOAD DUP3 ADD SWAP2 POP 1 ADD'], end: 'jump', to: 1 },
    { body: ['SWAP1'], end: 'leave', to: 0 },
  ])

  test('runs out of gas where the plain loop does, at each point of a loop that extends memory', () => {
    const program = comparison.prepare(SUMMING)
    const enough = 20_000
    const { stack } = comparison.run(program, [], enough)
    expect(stack.slice(0, 2)).toEqual([20, 1330])
    const ends = Array.from({ length: 2500 }, (_, gas) => comparison.run(program, [], gas).error)
    expect(new Set(ends.slice(0, 1800))).toEqual(new Set(['out of gas']))
    expect(ends.at(-1)).toBeUndefined()
    // With more gas than a trace may use, all of it is compiled.
    for (let gas = 8_192; gas < 12_000; gas += 7)
      expect(comparison.run(program, [], gas).error).toBeUndefined()
  })

  /** Hashes ever longer parts of memory, which each extend it, and leaves the last hash. */
  const HASHING = link([
    { body: ['0', '0'], end: 'next', to: 0 },
    // The stack: index, hash.
    { body: ['12 DUP2 LT ISZERO'], end: 'jumpIf', to: 3 },
    { body: ['SWAP1 POP DUP1 29 MUL DUP2 7 MUL KECCAK256 DUP1 0 MSTORE SWAP1 1 ADD'], end: 'jump', to: 1 },
    { body: ['SWAP1'], end: 'leave', to: 0 },
  ])

  test('hashes as the plain loop does, and stops where gas does not suffice', () => {
    const program = comparison.prepare(HASHING)
    expect(comparison.run(program, [], 20_000)).toMatchObject({ error: undefined, stops: 1 })
    const ends = Array.from({ length: 2500 }, (_, gas) => comparison.run(program, [], gas).error)
    expect(new Set(ends)).toEqual(new Set(['out of gas', undefined]))
    for (let gas = 8_192; gas < 11_000; gas += 7)
      expect(comparison.run(program, [], gas).error).toBeUndefined()
  })

  test('hashes any part of memory, or leaves it to the plain loop', () => {
    const program = comparison.prepare(assemble('JUMPDEST 7 0 MSTORE KECCAK256 MSIZE STOP'))
    const places = [
      0n,
      1n,
      31n,
      32n,
      33n,
      300_000n,
      2n ** 19n,
      2n ** 32n,
      2n ** 64n - 1n,
      2n ** 64n,
      END - 1n,
    ]
    const sizes = [0n, 1n, 127n, 128n, 135n, 136n, 137n, 4_096n, 200_000n, 2n ** 32n, 2n ** 64n, END - 1n]
    const errors = places.flatMap((offset) =>
      sizes.map((size) => comparison.run(program, [size, offset], 10_000_000).error),
    )
    expect(new Set(errors)).toEqual(new Set(['out of gas', undefined]))
    // An empty part extends nothing, wherever it is.
    expect(errors.filter((_, i) => i % sizes.length === 0)).toEqual(places.map(() => undefined))
  })

  test.each([
    ['overflows', 'JUMPDEST 0 0 JUMP', 'stack overflow'],
    ['underflows', 'JUMPDEST POP 0 JUMP', 'stack underflow'],
    ['jumps to what is no destination', 'JUMPDEST 1 ADD DUP1 9 LT DUP2 MUL JUMP', 'invalid jump destination'],
    ['uses up its gas', 'JUMPDEST 0 JUMP', 'out of gas'],
    ['needs more memory than there is gas for', 'JUMPDEST DUP1 ADD DUP1 MLOAD POP 0 JUMP', 'out of gas'],
  ])('ends a loop that %s as the plain loop does', (_, source, error) => {
    const program = comparison.prepare(assemble(source))
    const stack = Array.from({ length: 900 }, () => 0n)
    expect(comparison.run(program, [...stack, 1n], 300_000).error).toBe(error)
  })

  test('returns after a while, although nothing stops it', () => {
    const program = comparison.prepare(assemble('JUMPDEST 1 ADD 0 JUMP'))
    const { error, stops } = comparison.run(program, [0n], 3_000_000)
    expect([error, stops]).toEqual(['out of gas', 8])
    // Sooner if it hashes, which takes longer than its gas says.
    const hashing = comparison.prepare(assemble('JUMPDEST 32 0 KECCAK256 POP 0 JUMP'))
    expect(comparison.run(hashing, [], 3_000_000).stops).toBe(28)
  })

  test('of any length takes a bounded time to compile, and does the same', () => {
    const blocks = Array.from({ length: 5_000 }, (_, i) => `JUMPDEST DUP1 ${i} XOR ADD`).join(' ')
    const program = comparison.prepare(assemble(`${blocks} STOP`))
    expect(comparison.run(program, [1n], 1_000_000).error).toBeUndefined()
    const longBlock = comparison.prepare(assemble(`JUMPDEST ${'DUP1 ADD '.repeat(3_000)} STOP`))
    expect(comparison.run(longBlock, [1n], 1_000_000).stack).toEqual([0])
  })
})
