import { describe, expectTypeOf, test } from 'vitest'
import { object, optional } from '../../src/base/schema.ts'
import type { BlockParameter, Hex } from '../../src/base/types.ts'
import type { BlockReference } from '../../src/core/view/sources.ts'
import { blockParameter } from '../../src/rpc/params/block.ts'
import type { callObject } from '../../src/rpc/params/callObject.ts'
import { address, boolean, parseParams, quantity, type WireParams } from '../../src/rpc/params/params.ts'

const specs = [address, optional(blockParameter), optional(boolean)] as const

describe('parsers of params', () => {
  test('return the types of parsed values', () => {
    expectTypeOf(parseParams([], specs)).toEqualTypeOf<
      [Hex, BlockReference | undefined, boolean | undefined]
    >()
    expectTypeOf(object({ a: address, b: optional(quantity) }).parse({}, '0')).toEqualTypeOf<{
      readonly a: Hex
      readonly b?: bigint
    }>()
  })

  test('have the types of wire values as input', () => {
    expectTypeOf<WireParams<typeof specs>>().toEqualTypeOf<
      [value: Hex, value?: BlockParameter | null | undefined, value?: boolean | null | undefined]
    >()
    expectTypeOf<{ to: Hex; input: Hex; gas: undefined }>().toExtend<WireParams<[typeof callObject]>[0]>()
    expectTypeOf<{ to: number }>().not.toExtend<WireParams<[typeof callObject]>[0]>()
  })
})
