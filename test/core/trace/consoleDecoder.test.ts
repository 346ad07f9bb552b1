import fc from 'fast-check'
import { type Abi, encodeFunctionData, getAddress, keccak256, toBytes } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { ConsoleDecoder } from '../../../src/core/trace/consoleDecoder.ts'
import type { Hex } from '../../../src/index.ts'

const address = `0x${'11'.repeat(20)}` as const
let decoder: ConsoleDecoder
describe('consoleDecoder', () => {
  beforeAll(async () => {
    decoder = new ConsoleDecoder(await loadCrypto())
  })

  function decode(data: Hex) {
    return decoder.decode({ address, data: hexToBytes(data) })
  }

  /** A call of `name(types)`, by the selector of `signature` if that differs. */
  function payload(
    name: string,
    types: readonly string[],
    args: readonly unknown[],
    signature?: string,
  ): Hex {
    const inputs = types.map((type) => ({ type }))
    const abi = [{ type: 'function', name, inputs, outputs: [], stateMutability: 'view' }] as Abi
    const data = encodeFunctionData({ abi, functionName: name, args })
    return signature === undefined
      ? data
      : `${keccak256(toBytes(signature)).slice(0, 10) as Hex}${data.slice(10)}`
  }

  const argument = fc.oneof(
    fc.bigInt(0n, 2n ** 256n - 1n).map((value) => ['uint256', value] as const),
    fc.string({ maxLength: 80 }).map((value) => ['string', value] as const),
    fc.boolean().map((value) => ['bool', value] as const),
    fc.bigInt(0n, 2n ** 160n - 1n).map((n) => ['address', `0x${n.toString(16).padStart(40, '0')}`] as const),
  )

  it('decodes every list of up to four arguments, by the selectors of both versions', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 4 }), fc.boolean(), (list, older) => {
        const types = list.map(([type]) => type)
        const values = list.map(([, value]) => value)
        const wire = list.map(([type, value]) => (type === 'address' ? getAddress(value as Hex) : value))
        const signature = `log(${types.join().replaceAll('uint256', older ? 'uint' : 'uint256')})`
        expect(decode(payload('log', types, wire, signature)).args).toEqual(values)
      }),
    )
  })

  it.each<[name: string, type: string, value: unknown, expected: unknown]>([
    ['log', 'int256', -5n, -5n],
    ['logInt', 'int256', -(2n ** 255n), -(2n ** 255n)],
    ['logUint', 'uint256', 7n, 7n],
    ['logString', 'string', 'é', 'é'],
    ['logBool', 'bool', true, true],
    ['logAddress', 'address', address, address],
    ['logBytes', 'bytes', '0x010203', '0x010203'],
    ['log', 'bytes', '0x', '0x'],
    ['log', 'bytes32', `0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
    ['logBytes1', 'bytes1', '0xff', '0xff'],
    ['logBytes7', 'bytes7', '0x01020304050607', '0x01020304050607'],
    ['logBytes32', 'bytes32', `0x${'cd'.repeat(32)}`, `0x${'cd'.repeat(32)}`],
  ])('reads %s(%s)', (name, type, value, expected) => {
    expect(decode(payload(name, [type], [value]))).toEqual({ args: [expected], message: String(expected) })
  })

  it.each([
    [[], ''],
    [['plain'], 'plain'],
    [['%s and %s', 'one', 2n], 'one and 2'],
    [['%d%% of %i, %o', 50n, 7n, true], '50% of 7, true'],
    [['in hex %x', 255n], 'in hex 0xff'],
    [['%x', 'text'], 'text'],
    [['too many', 1n, false], 'too many 1 false'],
    [['too few %s %s', 'one'], 'too few one %s'],
    [['100%'], '100%'],
    [['%s'], '%s'],
    [[1n, '%s', 2n], '1 %s 2'],
  ])('writes %s', (args, message) => {
    const types = args.map(
      (arg) => ({ bigint: 'uint256', string: 'string', boolean: 'bool' })[typeof arg as 'string'],
    )
    expect(decode(payload('log', types, args))).toEqual({ args, message })
  })

  it('returns data that it cannot decode as hex', () => {
    const text = payload('log', ['string'], ['hello'])
    const words = hexToBytes(text)
    for (const data of [
      '0x' as const,
      '0x01' as const,
      '0x12345678' as const,
      text.slice(0, 10) as Hex,
      // Without its last word, with an offset beyond the data, and with a length beyond the data.
      text.slice(0, -64) as Hex,
      `${text.slice(0, 10)}${'f'.repeat(64)}${text.slice(74)}` as Hex,
      `${text.slice(0, 74)}${'f'.repeat(64)}${text.slice(138)}` as Hex,
    ]) {
      expect(decode(data)).toEqual({ args: [data], message: data })
    }
    expect(decoder.decode({ address, data: concatBytes(words, new Uint8Array(32)) }).args).toEqual(['hello'])
  })
})
