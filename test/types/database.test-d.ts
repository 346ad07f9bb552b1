import { MemoryLevel } from 'memory-level'
import { describe, expectTypeOf, test } from 'vitest'
import { type ChainOptions, createChain, type Database } from '../../src/index.ts'

describe('types of a database', () => {
  test('a chain accepts any abstract-level database, with any types of keys and values', () => {
    expectTypeOf(new MemoryLevel()).toExtend<Database>()
    expectTypeOf(new MemoryLevel<string, Uint8Array>({ valueEncoding: 'view' })).toExtend<Database>()
    expectTypeOf(new MemoryLevel<Uint8Array, Uint8Array>({ storeEncoding: 'view' })).toExtend<Database>()
    expectTypeOf<{ database: MemoryLevel }>().toExtend<ChainOptions>()
    expectTypeOf(createChain).toBeCallableWith({ database: new MemoryLevel() })
  })

  test('a chain accepts nothing else as its database', () => {
    expectTypeOf<Map<string, string>>().not.toExtend<Database>()
    expectTypeOf<{ get(key: string): Promise<string> }>().not.toExtend<Database>()
    expectTypeOf<string>().not.toExtend<Database>()
  })
})
