import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { BytesDatabase, type Level } from '../../src/ledger/bytesDatabase.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe.each(['view', 'buffer'] as const)(
  'BytesDatabase over a memory-level of encoding %s',
  (storeEncoding) => {
    const open = async () => {
      const level = new MemoryLevel({ storeEncoding })
      await level.open()
      const db = new BytesDatabase(level as unknown as Level)
      const get = async (key: Uint8Array | string) => {
        const value = await db.get(key)
        return value && [...value]
      }
      return { db, get }
    }

    it('returns the bytes that were written under bytes and under text', async () => {
      const { db, get } = await open()
      await db.write([
        { key: bytes(0, 1, 0xff), value: bytes(2, 0xfe) },
        { key: 'name', value: bytes(3) },
      ])
      expect(await get(bytes(0, 1, 0xff))).toEqual([2, 0xfe])
      expect(await get('name')).toEqual([3])
      expect(await get(bytes(0, 1))).toBeUndefined()
      expect(await get('other')).toBeUndefined()
    })

    it('removes keys in the batch that writes others, and keeps the rest', async () => {
      const { db, get } = await open()
      await db.write([
        { key: bytes(1), value: bytes(2) },
        { key: 'name', value: bytes(3) },
        { key: bytes(4), value: bytes(5) },
      ])
      await db.write([{ key: bytes(6), value: bytes(7) }], [bytes(1), 'name', 'unknown'])
      expect(await get(bytes(1))).toBeUndefined()
      expect(await get('name')).toBeUndefined()
      expect(await get(bytes(4))).toEqual([5])
      expect(await get(bytes(6))).toEqual([7])
    })
  },
)

describe('BytesDatabase over a database that rejects', () => {
  const rejecting = (code: string): Level => ({
    open: async () => {},
    close: async () => {},
    batch: async () => {},
    get: () => Promise.reject(Object.assign(new Error('rejected'), { code })),
    iterator: () => ({ nextv: async () => [], close: async () => {} }),
  })

  it('treats LEVEL_NOT_FOUND as a missing key', async () => {
    expect(await new BytesDatabase(rejecting('LEVEL_NOT_FOUND')).get('key')).toBeUndefined()
  })

  it('rejects with any other error', async () => {
    await expect(new BytesDatabase(rejecting('LEVEL_IO_ERROR')).get('key')).rejects.toThrow('rejected')
  })
})
