import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { type Level, levelToDB } from '../../../src/ledger/ethereumjs/levelDB.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const text = { keyEncoding: 'string', valueEncoding: 'string' } as const

describe.each(['view', 'buffer'] as const)(
  'levelToDB over a memory-level of encoding %s',
  (storeEncoding) => {
    const open = async () => {
      const level = new MemoryLevel({ storeEncoding })
      await level.open()
      return levelToDB(level as unknown as Level)
    }

    it('returns the bytes that were put', async () => {
      const db = await open()
      await db.put(bytes(0, 1, 0xff), bytes(2, 0xfe))
      expect(Uint8Array.from((await db.get(bytes(0, 1, 0xff))) as Uint8Array)).toEqual(bytes(2, 0xfe))
      expect(await db.get(bytes(0, 1))).toBeUndefined()
    })

    it('returns undefined for deleted keys', async () => {
      const db = await open()
      await db.put(bytes(1), bytes(2))
      await db.del(bytes(1))
      expect(await db.get(bytes(1))).toBeUndefined()
    })

    it('returns text as text and objects as objects', async () => {
      const db = await open()
      const json = { keyEncoding: 'string', valueEncoding: 'json' } as never
      await db.put('name', 'value', text as never)
      await db.put('heads', { vm: '0x01' }, json)
      expect(await db.get('name', text as never)).toBe('value')
      expect(await db.get('heads', json)).toEqual({ vm: '0x01' })
    })

    it('accepts a batch whose operations have their own encodings', async () => {
      const db = await open()
      await db.put(bytes(9), bytes(9))
      await db.batch([
        { type: 'put', key: bytes(1), value: bytes(2) },
        { type: 'put', key: 'name', value: 'value', opts: text as never },
        { type: 'del', key: bytes(9) },
      ])
      expect(Uint8Array.from((await db.get(bytes(1))) as Uint8Array)).toEqual(bytes(2))
      expect(await db.get('name', text as never)).toBe('value')
      expect(await db.get(bytes(9))).toBeUndefined()
    })

    it('shares the database with its shallow copy', async () => {
      const db = await open()
      await db.shallowCopy().put(bytes(1), bytes(2))
      expect(Uint8Array.from((await db.get(bytes(1))) as Uint8Array)).toEqual(bytes(2))
    })
  },
)

describe('levelToDB over a database that rejects', () => {
  const rejecting = (code: string): Level => ({
    open: async () => {},
    close: async () => {},
    batch: async () => {},
    get: () => Promise.reject(Object.assign(new Error('rejected'), { code })),
  })

  it('treats LEVEL_NOT_FOUND as a missing key', async () => {
    expect(await levelToDB(rejecting('LEVEL_NOT_FOUND')).get('key')).toBeUndefined()
  })

  it('rejects with any other error', async () => {
    await expect(levelToDB(rejecting('LEVEL_IO_ERROR')).get('key')).rejects.toThrow('rejected')
  })
})
