import { describe, expectTypeOf, test } from 'vitest'
import type {
  PresealRpcBlock,
  PresealRpcPendingBlock,
  PresealRpcTransaction,
} from '../../src/base/rpcTypes.ts'
import type { Address, BlockParameter, Hash, Hex } from '../../src/base/types.ts'

describe('exported types', () => {
  test('addresses and hashes are hex strings, other strings are not', () => {
    expectTypeOf<Address>().toExtend<Hex>()
    expectTypeOf<Hash>().toExtend<Hex>()
    expectTypeOf<string>().not.toExtend<Hex>()
  })

  test('a block parameter is a tag, a number, a hash or an object', () => {
    expectTypeOf<'latest'>().toExtend<BlockParameter>()
    expectTypeOf<'0x1'>().toExtend<BlockParameter>()
    expectTypeOf<{ blockHash: Hash; requireCanonical: true }>().toExtend<BlockParameter>()
    expectTypeOf<'newest'>().not.toExtend<BlockParameter>()
    expectTypeOf<number>().not.toExtend<BlockParameter>()
  })

  test('a block has hashes or whole transactions; the empty candidate has neither number nor hash', () => {
    expectTypeOf<PresealRpcBlock['transactions'][number]>().toEqualTypeOf<Hash | PresealRpcTransaction>()
    expectTypeOf<
      PresealRpcBlock<PresealRpcTransaction>['transactions'][number]
    >().toEqualTypeOf<PresealRpcTransaction>()
    expectTypeOf<Pick<PresealRpcPendingBlock, 'number' | 'hash'>>().toEqualTypeOf<{
      readonly number: null
      readonly hash: null
    }>()
  })
})
