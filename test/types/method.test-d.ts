import { describe, expectTypeOf, test } from 'vitest'
import {
  defineCheat,
  defineMethod,
  type Method,
  type ResetContext,
  type RpcContext,
  type SendingContext,
} from '../../src/rpc/method.ts'
import { boolean } from '../../src/rpc/params/params.ts'

const handler = () => true

describe('the definition of a method', () => {
  test('says what answers it on a fork, unless it is a cheat or of a wallet', () => {
    defineMethod({ class: 'node', onFork: 'local', handler })
    defineMethod({ class: 'cheat', handler })
    defineMethod({ class: 'wallet', handler })
    // @ts-expect-error -- without `onFork`
    defineMethod({ class: 'node', handler })
    // @ts-expect-error -- without `onFork`
    defineMethod({ class: 'debug', handler })
    // @ts-expect-error -- without `class`
    defineMethod({ onFork: 'local', handler })
    defineMethod({ class: 'node', onFork: { reads: 'state', answer: { nonce: 'quantity64' } }, handler })
    // @ts-expect-error -- only readers read a range
    defineMethod({ class: 'node', onFork: { reads: 'range', answer: 'bytes' }, handler })
    // @ts-expect-error -- no check has this name
    defineMethod({ class: 'node', onFork: { reads: 'state', answer: 'hex' }, handler })
  })

  test('gives its handler the context of its turn, and the values of its params', () => {
    const params = [boolean] as const
    const read = defineMethod({
      class: 'cheat',
      params,
      handler: (context, on) => {
        expectTypeOf(context).toEqualTypeOf<RpcContext>()
        expectTypeOf(on).toEqualTypeOf<boolean>()
        return on
      },
    })
    expectTypeOf(read).toEqualTypeOf<Method<typeof params, boolean, never>>()
    defineMethod({
      class: 'cheat',
      turn: 'change',
      handler: (context) => expectTypeOf(context).toEqualTypeOf<RpcContext>(),
    })
    defineMethod({
      class: 'wallet',
      turn: 'raw',
      handler: (context) => expectTypeOf(context).toEqualTypeOf<SendingContext>(),
    })
    defineMethod({
      class: 'cheat',
      turn: 'reset',
      handler: (context) => expectTypeOf(context).toEqualTypeOf<ResetContext>(),
    })
  })

  test('of a cheat gives it the names of all development chains, and the result that it states', () => {
    const cheat = defineCheat('foo', { aliases: ['foo_bar'], returns: true, handler: () => 'ignored' })
    type Names = 'anvil_foo' | 'evm_foo' | 'ganache_foo' | 'hardhat_foo' | 'foo_bar'
    expectTypeOf(cheat).toEqualTypeOf<Method<readonly [], boolean, Names>>()
  })
})
