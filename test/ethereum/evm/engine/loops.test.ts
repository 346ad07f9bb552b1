/** The fast loop does what the plain loop does, whatever is on the stack and however much gas there is. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import type { MaybePromise } from '../../../../src/base/types.ts'
import { whenLoaded } from '../../../../src/base/waiting.ts'
import { MAX_STACK } from '../../../../src/ethereum/evm/engine/code.ts'
import { instructionSetOf } from '../../../../src/ethereum/evm/engine/instructionSet.ts'
import { OPCODES, type Opcode } from '../../../../src/ethereum/evm/engine/opcodes.ts'
import { NEWEST } from '../../../../src/ethereum/rules.ts'
import { ALL_FORKS, type ForkName, forksUpTo } from '../../../forks.ts'
import { FULL, runs, sample } from '../../../full.ts'
import { assemble, bytecode } from './assembly.ts'
import { BOUNDARIES, FEW_BOUNDARIES, FEWEST_BOUNDARIES } from './boundaryWords.ts'
import { type Beginning, CALLEE, Loops } from './loops.ts'

type Words = readonly bigint[]

const FORKS: readonly ForkName[] = FULL ? ['frontier', 'shanghai', 'cancun', NEWEST] : [NEWEST]

/** The words whose pairs, and those whose triples, are operands. */
function wordsOn(fork: ForkName): readonly [paired: Words, tripled: Words] {
  if (!FULL) return [FEWEST_BOUNDARIES, FEWEST_BOUNDARIES]
  return fork === NEWEST ? [BOUNDARIES, FEW_BOUNDARIES] : [FEW_BOUNDARIES, FEWEST_BOUNDARIES]
}

const JUMPDEST = 0x5b
/** More gas than any of the programs needs that does not run out of it. */
const AMPLE = 10_000_000n

const byteOf = (code: number): string => code.toString(16).padStart(2, '0')
const activeOn = (fork: ForkName): readonly Opcode[] =>
  OPCODES.filter(({ since }) => ALL_FORKS.indexOf(since) <= ALL_FORKS.indexOf(fork))

/** Operands with which an instruction ends without an error, the topmost first. */
function usualOperands({ name, pops }: Opcode): Words {
  if (name === 'EXTCODECOPY') return [BigInt(CALLEE), 0n, 0n, 32n]
  if (name === 'CREATE2') return [0n, 0n, 32n, 1n]
  if (name.endsWith('CALL') || name === 'CALLCODE')
    return [1000n, BigInt(CALLEE), ...(pops === 7 ? [1n] : []), 0n, 32n, 32n, 32n]
  return Array.from({ length: pops }, (_, i) => BigInt(i))
}

/** Offsets and sizes at which memory is extended by a byte, a word, or beyond the 1,024 bytes that a frame begins with. */
const OFFSETS: Words = [
  ...[0n, 1n, 31n, 32n, 33n, 991n, 992n, 993n, 1023n, 1024n, 1025n, 2047n, 2048n, 4097n],
  ...[2n ** 53n - 1n, 2n ** 53n],
]
const SIZES: Words = [0n, 1n, 31n, 32n, 33n, 1023n, 1024n, 1025n, 2n ** 53n]

/** For the instructions that access memory: operands, the topmost first. */
const MEMORY_OPERANDS: Readonly<Record<string, readonly Words[]>> = (() => {
  const pairs = OFFSETS.flatMap((at) => SIZES.map((size): readonly [bigint, bigint] => [at, size]))
  const words = OFFSETS.map((at) => [at, 2n ** 255n + 0xfan])
  const copies = pairs.flatMap(([to, size]) => [0n, 33n, 1025n, 2n ** 53n].map((from) => [to, from, size]))
  return {
    KECCAK256: pairs,
    CALLDATACOPY: copies,
    CODECOPY: copies,
    EXTCODECOPY: copies.map((copy) => [BigInt(CALLEE), ...copy]),
    RETURNDATACOPY: copies,
    MLOAD: words,
    MSTORE: words,
    MSTORE8: words,
    MCOPY: copies,
    LOG0: pairs,
    LOG1: pairs.map((range) => [...range, 1n]),
    RETURN: pairs,
    REVERT: pairs,
  }
})()

/** Offsets of four accesses in a row. */
const MEMORY_STEPS: readonly (readonly [bigint, bigint, bigint, bigint])[] = [
  [0n, 32n, 64n, 96n],
  [0n, 0n, 0n, 0n],
  [1023n, 1024n, 33n, 1025n],
  [31n, 1n, 1000n, 0n],
  [2000n, 992n, 993n, 5000n],
]

/** Words with a pair of others in each two places. */
function withPairs(words: Words, others: Words): Words[] {
  return words.flatMap((_, i) =>
    words
      .slice(i + 1)
      .flatMap((__, j) => others.flatMap((a) => others.map((b) => words.with(i, a).with(i + 1 + j, b)))),
  )
}

/** The operands that an instruction is tried with, the topmost first. */
function operandsOf(opcode: Opcode, fork: ForkName): Words[] {
  const { pops, name } = opcode
  const [paired, tripled] = wordsOn(fork)
  if (/^(DUP|SWAP)/.test(name)) {
    return BOUNDARIES.map((_, i) => [...BOUNDARIES.slice(i), ...BOUNDARIES].slice(0, pops))
  }
  if (pops === 0) return [[]]
  if (pops === 1) return BOUNDARIES.map((a) => [a])
  if (pops === 2) return paired.flatMap((a) => paired.map((b) => [a, b]))
  if (pops > 3) return withPairs(usualOperands(opcode), FEWEST_BOUNDARIES)
  return tripled.flatMap((a) => tripled.flatMap((b) => tripled.map((c) => [a, b, c])))
}

/** Operands as a stack on `below`. */
const stackOf = (operands: Words, below: Words = []): Words => [...below, ...operands.toReversed()]

/** What differs between the loops, if anything, over beginnings; and how the plain loop left each of them. */
class Comparison {
  readonly differences: string[] = []
  readonly #loops: Loops
  readonly #prices = new Set<string>()

  constructor(loops: Loops) {
    this.#loops = loops
  }

  /** Adds a beginning. @returns the gas that it uses; undefined if it ends with an error. */
  add(beginning: Beginning): bigint | undefined {
    const { ending, gas, difference } = this.#loops.compare(beginning)
    if (difference !== undefined && this.differences.length < 10) this.differences.push(difference)
    return typeof ending === 'number' ? beginning.gas - gas : undefined
  }

  /**
   * Adds a beginning with ample gas, and unless that was done before for code that uses as much, with what it uses then and
   * with one less. @returns as {@link add} with ample gas.
   */
  addWithGas(beginning: Omit<Beginning, 'gas'>): bigint | undefined {
    const used = this.add({ ...beginning, gas: AMPLE })
    const price = `${beginning.code} ${used}`
    if (used === undefined || this.#prices.has(price)) return used
    this.#prices.add(price)
    this.add({ ...beginning, gas: used })
    if (used > 0n) this.add({ ...beginning, gas: used - 1n })
    return used
  }
}

/** The differences that `add` finds, once the libraries of the precompiles that it calls are loaded. */
function differencesOf(loops: Loops, add: (comparison: Comparison) => void): MaybePromise<string[]> {
  return whenLoaded(() => {
    const comparison = new Comparison(loops)
    add(comparison)
    return comparison.differences
  })
}

describe.each(FORKS)('on %s, both loops do the same', (fork) => {
  const active = activeOn(fork)
  const { gas: staticGas } = instructionSetOf(forksUpTo(fork))

  test('with each instruction on boundary words, with the gas that it needs and with one less', async () => {
    const loops = await Loops.on(fork)
    const ended = new Set<string>()
    const differences = await differencesOf(loops, (comparison) => {
      for (const opcode of active) {
        // A jump to 32 is valid, and the data of a PUSH is not 0.
        const code = new Uint8Array(48).fill(JUMPDEST)
        code[0] = opcode.code
        if (!opcode.name.startsWith('PUSH')) code.fill(0, 1, 32)
        for (const operands of operandsOf(opcode, fork)) {
          const used = comparison.addWithGas({ code, stack: stackOf(operands, [7n]), memorySize: 64 })
          if (used !== undefined) ended.add(opcode.name)
        }
      }
    })
    expect(differences).toEqual([])
    expect(active.filter(({ name }) => !ended.has(name))).toEqual([])
  })

  test('with each byte, defined or not, on a stack with a word too few or too many, with little gas', async () => {
    const loops = await Loops.on(fork)
    const differences = await differencesOf(loops, (comparison) => {
      for (let byte = 0; byte < 256; byte++) {
        const opcode = active.find(({ code }) => code === byte)
        const { pops } = opcode ?? { pops: 0 }
        const prices = [0n, BigInt(staticGas[byte]!) - 1n, AMPLE]
        const full = opcode === undefined ? [] : [MAX_STACK - 2, MAX_STACK - 1]
        const heights = [pops - 1, pops, ...full, MAX_STACK]
        for (const code of [[byte], [0x60, 0, 0x50, byte, 0x30, 0x50]].map((ops) => Uint8Array.from(ops))) {
          for (const height of heights.filter((one) => one >= 0)) {
            const stack = new Array<bigint>(height).fill(0n)
            for (const gas of prices) if (gas >= 0n) comparison.add({ code, stack, gas })
          }
        }
      }
    })
    expect(differences).toEqual([])
  })

  test('with each instruction within a block, whichever instruction the gas lasts to', async () => {
    const loops = await Loops.on(fork)
    const ended = new Set<string>()
    const differences = await differencesOf(loops, (comparison) => {
      for (const opcode of active) {
        const data = opcode.name.startsWith('PUSH') ? '5b'.repeat(Number(opcode.name.slice(4))) : ''
        // What the jump leads to is a block too.
        const code = hexToBytes(
          bytecode(
            `64 MLOAD 2 ADD POP #${byteOf(opcode.code)}${data} MSIZE PC 3 MSTORE8 JUMPDEST 96 MLOAD POP`,
          ),
        )
        const isJump = opcode.name.startsWith('JUMP') && opcode.pops > 0
        const operands = isJump ? [BigInt(code.indexOf(JUMPDEST)), 1n] : usualOperands(opcode)
        const beginning = { code, stack: stackOf(operands.slice(0, opcode.pops), [7n, 8n]) }
        for (const isStatic of [false, true]) {
          const used = comparison.add({ ...beginning, gas: AMPLE, isStatic })
          if (used === undefined) continue
          ended.add(opcode.name)
          for (let by = 0n; by <= (FULL ? 60n : 12n); by++) {
            comparison.add({ ...beginning, gas: by, isStatic })
            if (used > by) comparison.add({ ...beginning, gas: used - by, isStatic })
          }
        }
      }
    })
    expect(differences).toEqual([])
    expect(active.filter(({ name }) => !ended.has(name))).toEqual([])
  })

  test('with memory that is extended by a byte, by a word, and beyond what the frame has', async () => {
    const loops = await Loops.on(fork)
    const ended = new Set<string>()
    const differences = await differencesOf(loops, (comparison) => {
      for (const opcode of active) {
        const layouts = MEMORY_OPERANDS[opcode.name]
        if (layouts === undefined) continue
        const code = hexToBytes(bytecode(`1 POP #${byteOf(opcode.code)} MSIZE POP`))
        for (const memorySize of sample([0, 32, 992, 1024, 1056], 2)) {
          for (const operands of layouts) {
            const used = comparison.addWithGas({ code, stack: stackOf(operands), memorySize })
            if (used !== undefined) ended.add(opcode.name)
          }
        }
      }
    })
    expect(differences).toEqual([])
    expect([...ended]).toEqual(active.map(({ name }) => name).filter((name) => name in MEMORY_OPERANDS))
  })

  test('with several accesses to memory in a block, whichever the gas lasts to', async () => {
    const loops = await Loops.on(fork)
    const code = hexToBytes(bytecode('MSTORE8 1 POP MSTORE MLOAD 7 ADD MSTORE MSIZE'))
    const differences = await differencesOf(loops, (comparison) => {
      for (const [a, b, c, d] of MEMORY_STEPS) {
        const beginning = { code, stack: stackOf([a, 0xabn, b, 2n ** 255n + 3n, c, d]) }
        const used = comparison.add({ ...beginning, gas: AMPLE })!
        for (let gas = 0n; gas <= used; gas++) comparison.add({ ...beginning, gas })
      }
    })
    expect(differences).toEqual([])
  })

  test('with jumps to any offset, and on any condition', async () => {
    const loops = await Loops.on(fork)
    // JUMPDESTs among the code, one after the other, as the data of PUSHes, and as the last byte.
    const tail = assemble('STOP JUMPDEST 0x5b JUMPDEST JUMPDEST 0x5b5b POP 0x5b5b5b 0x5b00000000 #7f')
    const rest = `${tail}${'5b'.repeat(32)}005b`
    const targets = [...Array.from({ length: rest.length / 2 + 40 }, (_, at) => BigInt(at)), ...BOUNDARIES]
    const taken = new Set<bigint>()
    const differences = await differencesOf(loops, (comparison) => {
      for (const to of targets) {
        const jump = hexToBytes(`0x56${rest}`)
        if (comparison.addWithGas({ code: jump, stack: [to] }) !== undefined) taken.add(to)
        const jumpi = hexToBytes(`0x57${rest}`)
        for (const condition of BOUNDARIES) comparison.addWithGas({ code: jumpi, stack: [condition, to] })
      }
    })
    expect(differences).toEqual([])
    expect([...taken]).toEqual([2n, 5n, 6n, BigInt(rest.length / 2)])
  })

  test('with a PUSH whose data the code cuts off, on any free words and with any gas', async () => {
    const loops = await Loops.on(fork)
    const differences = await differencesOf(loops, (comparison) => {
      for (let size = 1; size <= 32; size++) {
        for (const length of new Set([0, 1, 2, 3, size - 1, size])) {
          const code = new Uint8Array(2 + length).fill(length % 2 === 0 ? 0xff : JUMPDEST)
          code.set([0x30, 0x5f + size])
          for (const height of [0, MAX_STACK - 2, MAX_STACK - 1]) {
            const stack = new Array<bigint>(height).fill(3n)
            for (const gas of [4n, 5n]) comparison.add({ code, stack, gas })
          }
        }
      }
    })
    expect(differences).toEqual([])
  })

  test('with any bytes', async () => {
    const loops = await Loops.on(fork)
    const frequent = active.filter(({ name }) => !/^(CREATE|.*CALL.*|SELF.*|LOG.)$/.test(name))
    const byte = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...frequent.map(({ code }) => code)) },
      { weight: 3, arbitrary: fc.constantFrom(JUMPDEST, 0x56, 0x57, 0x60, 0x62) },
      { weight: 1, arbitrary: fc.nat(255) },
    )
    const word = fc.oneof(fc.constantFrom(...FEW_BOUNDARIES), fc.bigInt(0n, 100n))
    const beginning = fc.record({
      code: fc.array(byte, { maxLength: 80 }).map((ops) => Uint8Array.from(ops)),
      stack: fc.array(word, { maxLength: 40 }),
      gas: fc.oneof(fc.bigInt(0n, 1000n), fc.bigInt(0n, 100_000n)),
      memorySize: fc.constantFrom(0, 32, 1024),
      isStatic: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(beginning, async (one) => {
        expect(await differencesOf(loops, (comparison) => comparison.add(one))).toEqual([])
      }),
      runs(300, 20_000),
    )
  })
})
