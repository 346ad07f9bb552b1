/** Arbitrary bytecode, weighted towards state access, and helpers to write small programs by hand. */
import fc from 'fast-check'
import type { Address, Hex } from '../../src/primitives/types.ts'

/** Bytes as hex without prefix. */
export type Code = string

/** PUSH of the shortest width. */
export function push(value: bigint | number): Code {
  const digits = BigInt(value).toString(16)
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`
  return (0x5f + hex.length / 2).toString(16) + hex
}

/** Copies `bytes` to memory from 0 on. */
export function toMemory(bytes: Code): Code {
  let code = ''
  for (let at = 0; at < bytes.length; at += 64) {
    code += `7f${bytes.slice(at, at + 64).padEnd(64, '0')}${push(at / 2)}52`
  }
  return code
}

/** Init code that runs `before` and deploys `runtime`. */
export function initCode(runtime: Code, before: Code = ''): Code {
  const size = runtime.length / 2
  const head = (offset: number) =>
    `${before}61${size.toString(16).padStart(4, '0')}80` +
    `61${offset.toString(16).padStart(4, '0')}6000396000f3`
  return head(head(0).length / 2) + runtime
}

/** Hex with prefix. */
export function hex(code: Code): Hex {
  return `0x${code}`
}

const word = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 32n, 255n, 2n ** 255n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 64n),
)
const slot = fc.nat(3)
const byte = (n: number): Code => n.toString(16).padStart(2, '0')

/** One statement; it leaves the stack as it was or one word higher. */
function statement(targets: readonly Address[], inner: fc.Arbitrary<Code>): fc.Arbitrary<Code> {
  const target = fc.constantFrom(...targets).map((address) => `73${address.slice(2)}`)
  const call = fc
    .record({
      op: fc.constantFrom('f1', 'f1', 'f1', 'f2', 'f4', 'fa'),
      target,
      value: fc.constantFrom(0, 0, 1, 1000),
      size: fc.constantFrom(0, 32, 192),
      gas: fc.constantFrom('5a', '5a', push(0), push(2300), push(40_000)),
    })
    .map(({ op, target, value, size, gas }) => {
      const transfers = op === 'f1' || op === 'f2' ? push(value) : ''
      return `${push(32)}${push(0)}${push(size)}${push(0)}${transfers}${target}${gas}${op}`
    })
  const create = fc
    .record({ inner, salt: fc.nat(1), value: fc.constantFrom(0, 0, 1), two: fc.boolean() })
    .map(({ inner, salt, value, two }) => {
      const made = `${toMemory(inner)}${two ? push(salt) : ''}${push(inner.length / 2)}${push(0)}${push(value)}`
      return made + (two ? 'f5' : 'f0')
    })
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(slot, word).map(([at, value]) => `${push(value)}${push(at)}55`) },
    { weight: 2, arbitrary: slot.map((at) => `${push(at)}54`) },
    { weight: 2, arbitrary: fc.tuple(slot, word).map(([at, value]) => `${push(value)}${push(at)}5d`) },
    { weight: 2, arbitrary: slot.map((at) => `${push(at)}5c${push(at)}55`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat(4), fc.nat(40))
        .map(([n, size]) => `${push(7).repeat(n)}${push(size)}${push(0)}${byte(0xa0 + n)}`),
    },
    { weight: 5, arbitrary: call },
    // The result of a call goes into storage, where a difference shows.
    { weight: 3, arbitrary: fc.tuple(call, slot).map(([code, at]) => `${code}${push(at)}55`) },
    { weight: 2, arbitrary: call.map((code) => `${code}${push(0)}5155`) },
    { weight: 4, arbitrary: create },
    { weight: 3, arbitrary: fc.tuple(create, slot).map(([code, at]) => `${code}80${push(at)}55`) },
    // Calls what was just created.
    {
      weight: 3,
      arbitrary: create.map((code) => `${push(0)}${push(0)}${push(0)}${push(0)}${push(0)}${code}5af1`),
    },
    { weight: 2, arbitrary: target.map((at) => `${at}ff`) },
    { weight: 1, arbitrary: fc.constant('30ff') },
    {
      weight: 3,
      arbitrary: fc
        .tuple(target, fc.constantFrom('31', '3b', '3f'), slot)
        .map(([at, op, to]) => `${at}${op}${push(to)}55`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(0, 1, 32, 33), fc.constantFrom(0, 1))
        .map(([size, from]) => `${push(size)}${push(from)}${push(0)}3e`),
    },
    // Context: COINBASE, TIMESTAMP, NUMBER, PREVRANDAO, GASLIMIT, CHAINID, SELFBALANCE, BASEFEE, BLOBBASEFEE, GAS …
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            '41',
            '42',
            '43',
            '44',
            '45',
            '46',
            '47',
            '48',
            '4a',
            '5a',
            '3a',
            '32',
            '33',
            '34',
            '36',
          ),
          slot,
        )
        .map(([op, at]) => `${op}${push(at)}55`),
    },
    { weight: 1, arbitrary: fc.tuple(fc.nat(3), slot).map(([n, at]) => `${push(n)}40${push(at)}55`) },
    { weight: 1, arbitrary: fc.constant(`${push(32)}${push(0)}20${push(1)}55`) },
    { weight: 1, arbitrary: fc.constant(`${push(8)}1e${push(1)}55`) },
    { weight: 1, arbitrary: fc.constantFrom('00', 'fe', '600060fd', '60206000fd', '60206000f3') },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 6 }).map((b) => [...b].map(byte).join('')),
    },
  )
}

/** A program: statements, some of which create others. */
export function program(targets: readonly Address[], depth = 2): fc.Arbitrary<Code> {
  const flat = fc.constantFrom(
    '',
    '00',
    hexOfReturn,
    '33ff',
    `${push(1)}${push(0)}55`,
    'ef00',
    'fe',
    '600060fd',
  )
  const inner = depth === 0 ? flat : fc.oneof(flat, creation(targets, depth - 1))
  return fc.array(statement(targets, inner), { maxLength: 6 }).map((parts) => parts.join(''))
}

/** Init code: statements, then a runtime that is a program too. */
export function creation(targets: readonly Address[], depth = 1): fc.Arbitrary<Code> {
  return fc
    .tuple(program(targets, depth), program(targets, depth))
    .map(([before, runtime]) => initCode(runtime, before))
}

const hexOfReturn = initCode(`${push(1)}${push(0)}55`)
