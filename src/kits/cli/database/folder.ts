/** The folder of a database: copies, checks and repairs its files, and opens it without creating it. */

import { constants } from 'node:fs'
import { access, copyFile, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BytesDatabase, type Level } from '../../../core/ledger/bytesDatabase.ts'
import { DatabaseInUseError, DatabaseOpenError } from '../../../core/ledger/errors.ts'
import { isDatabaseFile, openLevelIn } from '../files.ts'

/** A folder has no database that can be checked; the message has the reason. */
export class NoDatabaseError extends Error {}

/** There is no room for the copy of a database. */
export class NoRoomError extends Error {
  constructor(place: string, size: number) {
    super(`${place} has no room for a copy of the database, ${size} bytes; set TMPDIR to a folder that has`)
  }
}

/** Checks that a folder has files of a database. @throws NoDatabaseError */
export async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${error.code})`
    throw new NoDatabaseError(`${folder} is no folder of a database: ${reason}`)
  })
  if (!names.some(isDatabaseFile))
    throw new NoDatabaseError(`${folder} is no folder of a database: it has no file of one`)
}

/** Returns the size of the files in a folder, in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const name of await readdir(folder)) size += (await stat(join(folder, name))).size
  return size
}

/** Copies a folder's database, as opening it writes to its files. @throws NoRoomError */
export async function copyOf(folder: string) {
  const place = tmpdir()
  const copy = await mkdtemp(join(place, 'preseal-db-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    const before = await filesOf(folder)
    for (const name of before.keys())
      await copyFile(join(folder, name), join(copy, name), constants.COPYFILE_FICLONE)
    await shareLock(folder, copy)
    /** @throws DatabaseInUseError if the database was written to since the copy began */
    const assertCurrent = async (): Promise<void> => {
      const after = await filesOf(folder)
      const isSame =
        after.size === before.size && [...before].every(([name, text]) => after.get(name) === text)
      if (!isSame) throw new DatabaseInUseError(folder)
    }
    return { folder: copy, assertCurrent, remove }
  } catch (error) {
    await remove()
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
    throw isFull ? new NoRoomError(place, await sizeOf(folder)) : error
  }
}

/** Returns the files of a database by name, each with a text that changes when the file is written to. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const name of (await readdir(folder)).filter(isDatabaseFile)) {
    const { size, mtimeMs, ino } = await stat(join(folder, name))
    files.set(name, `${size} ${mtimeMs} ${ino}`)
  }
  return files
}

/** Shares the database's lock with its copy, so that opening the copy fails while a chain has the database open. */
async function shareLock(folder: string, copy: string): Promise<void> {
  const lock = resolve(folder, 'LOCK')
  try {
    await access(lock, constants.R_OK | constants.W_OK)
    await symlink(lock, join(copy, 'LOCK'))
  } catch {
    // Without the file, no process has the lock. Where links are not allowed, as on Windows, only `assertCurrent` checks.
  }
}

/** Whether the file CURRENT is missing, through which LevelDB finds the list of its tables. */
export async function isWithoutCurrent(folder: string): Promise<boolean> {
  return !(await readdir(folder)).includes('CURRENT')
}

/** Returns the names of tables that do not match their checksums. */
export async function damagedTables(folder: string): Promise<string[]> {
  const damaged: string[] = []
  for (const name of (await readdir(folder)).filter((one) => /\.(ldb|sst)$/.test(one)).sort())
    if (!isSoundTable(await readFile(join(folder, name)))) damaged.push(name)
  return damaged
}

/** Opens the database; undefined if its files are damaged. @throws DatabaseInUseError, DatabaseOpenError */
export async function openFolder(folder: string): Promise<Level | undefined> {
  const level = (await openLevelIn(folder, false)) as unknown as Level
  try {
    await new BytesDatabase(level).open()
    return level
  } catch (error) {
    if (error instanceof DatabaseOpenError && isDamage(error.cause)) return undefined
    throw error
  }
}

/** Makes LevelDB write all its tables again, without the parts that it cannot read. */
export async function rewriteTables(folder: string): Promise<void> {
  const { ClassicLevel } = await import('classic-level')
  const keyEncoding = 'view'
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, { createIfMissing: false, keyEncoding })
  await level.open()
  await level.compactRange(new Uint8Array(1), Uint8Array.of(0xff)).finally(() => level.close())
}

/** Makes LevelDB rebuild its files from the parts that it can read. */
export async function repairFiles(folder: string): Promise<void> {
  const { ClassicLevel } = await import('classic-level')
  await ClassicLevel.repair(folder)
}

/** Whether LevelDB reports damaged files. */
export function isDamage(error: unknown): boolean {
  const { message, cause } = error as Error
  if (/^(Corruption|NotFound|IO error|Invalid argument): (?!.*(Permission denied|\/LOCK:))/.test(message))
    return true
  return cause instanceof Error && cause !== error && isDamage(cause)
}

// Checks the tables of LevelDB (`*.ldb`) by their blocks' checksums. LevelDB does not compare them, and ends the process at
// some damaged tables. Sources: LevelDB's doc/table_format.md, Snappy's format_description.txt.

/** A block of a file. The block's type and checksum follow it. */
interface Handle {
  readonly offset: number
  readonly size: number
}

const FOOTER = 48
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
/** Added to stored checksums (`crc32c.h`). */
const MASK_DELTA = 0xa282ead8

/** Whether all blocks of a table match their checksums. */
function isSoundTable(file: Uint8Array): boolean {
  try {
    const footer = file.subarray(file.length - FOOTER)
    if (footer.length < FOOTER || !MAGIC.every((byte, i) => footer[FOOTER - 8 + i] === byte)) return false
    const cursor = new Cursor(footer)
    // Reads the index of filters, then the index of blocks.
    return [cursor.handle(), cursor.handle()].every((index) => {
      const blocks = blocksIn(readBlock(file, index))
      return blocks.every((one) => isSoundBlock(file, one))
    })
  } catch (error) {
    // A length leads out of the file.
    if (error instanceof RangeError) return false
    throw error
  }
}

function isSoundBlock(file: Uint8Array, { offset, size }: Handle): boolean {
  const end = offset + size + 1
  if (end + 4 > file.length - FOOTER) return false
  const stored = new DataView(file.buffer, file.byteOffset).getUint32(end, true)
  const crc = crc32c(file.subarray(offset, end))
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0 === stored
}

/** Returns the content of a block. @throws RangeError if it is damaged */
function readBlock(file: Uint8Array, handle: Handle): Uint8Array {
  if (!isSoundBlock(file, handle)) throw new RangeError('a block does not match its checksum')
  const { offset, size } = handle
  const content = file.subarray(offset, offset + size)
  return file[offset + size] === 0 ? content : decompress(content)
}

function blocksIn(index: Uint8Array): Handle[] {
  const count = new DataView(index.buffer, index.byteOffset).getUint32(index.length - 4, true)
  const end = index.length - 4 - 4 * count
  const cursor = new Cursor(index)
  const handles: Handle[] = []
  while (cursor.at < end) {
    cursor.varint()
    const rest = cursor.varint()
    cursor.varint()
    cursor.at += rest
    handles.push(cursor.handle())
  }
  return handles
}

class Cursor {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw new RangeError('a number is cut off')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  handle(): Handle {
    return { offset: this.varint(), size: this.varint() }
  }
}

/** Decompresses Snappy. */
function decompress(bytes: Uint8Array): Uint8Array {
  const cursor = new Cursor(bytes)
  const output = new Uint8Array(cursor.varint())
  let { at } = cursor
  let written = 0
  const number = (size: number): number => {
    let value = 0
    for (let i = 0; i < size; i++) value += bytes[at++]! * 256 ** i
    return value
  }
  while (at < bytes.length) {
    const tag = bytes[at++]!
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >> 2
      const length = 1 + (short < 60 ? short : number(short - 59))
      output.set(bytes.subarray(at, at + length), written)
      at += length
      written += length
      continue
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
    const distance = kind === 1 ? ((tag >> 5) << 8) + number(1) : number(kind === 2 ? 2 : 4)
    // Copies byte by byte, as the copied range may reach into the output of this copy.
    for (let i = 0; i < length; i++, written++) output[written] = output[written - distance]!
  }
  return output
}

/** The CRC-32C (Castagnoli) remainders of all bytes, bits reversed. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0)
  return remainder
})

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ REMAINDERS[(crc ^ byte) & 255]!
  return (crc ^ 0xffffffff) >>> 0
}
