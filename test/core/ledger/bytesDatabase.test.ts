import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { BytesDatabase, type Level } from '../../../src/core/ledger/bytesDatabase.ts'
import { DatabaseOpenError, DatabaseReadError } from '../../../src/core/ledger/errors.ts'

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

describe('BytesDatabase that is opened again', () => {
  const entriesOf = async (db: BytesDatabase) =>
    (await db.entriesOf('n')).map(([key, value]) => [key, ...value])

  it('lets reads wait until it is open', async () => {
    const level = new MemoryLevel({ storeEncoding: 'view' })
    const db = new BytesDatabase(level as unknown as Level)
    await db.write([{ key: 'name', value: bytes(3) }])
    const [, value, entries] = await Promise.all([db.reopen(), db.get('name'), entriesOf(db)])
    expect({ value: [...value!], entries }).toEqual({ value: [3], entries: [['name', 3]] })
  })

  it('refuses reads as such if it could not be opened', async () => {
    const level = new MemoryLevel({ storeEncoding: 'view' })
    const failing = Object.assign(level as unknown as Level, {
      open: () => Promise.reject(new Error('no room')),
    })
    const db = new BytesDatabase(failing)
    await expect(db.reopen()).rejects.toThrow(new DatabaseOpenError(new Error('no room')))
    await expect(db.get('name')).rejects.toBeInstanceOf(DatabaseReadError)
    await expect(entriesOf(db)).rejects.toBeInstanceOf(DatabaseReadError)
  })
})

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
