/** The folder of a database, opened without being created. */
import { constants } from 'node:fs'
import { access, copyFile, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Level, openLevel } from '../../../core/ledger/bytesDatabase.ts'
import { DatabaseInUseError, DatabaseOpenError } from '../../../core/ledger/errors.ts'
import { isDatabaseFile, openLevelIn } from '../openDatabase.ts'
import { isSoundTable } from './tableFile.ts'

/** A folder has no database that can be checked, and why. */
export class NoDatabaseError extends Error {}

/** There is no room for the copy of a database that is checked. */
export class NoRoomError extends Error {
  constructor(place: string, size: number) {
    super(`${place} has no room for a copy of the database, ${size} bytes; TMPDIR names another folder`)
  }
}

/** @throws NoDatabaseError if it has no database; nothing is created then. */
export async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${error.code})`
    throw new NoDatabaseError(`${folder} is no folder of a database: ${reason}`)
  })
  if (!names.some(isDatabaseFile))
    throw new NoDatabaseError(`${folder} is no folder of a database: it has no file of one`)
}

/** The size of the folder's files in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const name of await readdir(folder)) size += (await stat(join(folder, name))).size
  return size
}

/** A copy of a folder's database, since opening one writes to its files. */
export interface FolderCopy {
  readonly folder: string
  /** @throws DatabaseInUseError if the database was written to since the copy began. */
  assertCurrent(): Promise<void>
  remove(): Promise<void>
}

/** @throws NoRoomError */
export async function copyOf(folder: string): Promise<FolderCopy> {
  const place = tmpdir()
  const copy = await mkdtemp(join(place, 'preseal-db-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    const before = await filesOf(folder)
    for (const name of before.keys())
      await copyFile(join(folder, name), join(copy, name), constants.COPYFILE_FICLONE)
    await shareLock(folder, copy)
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

/** The files of a database, each with what changes if it is written to. */
async function filesOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const name of (await readdir(folder)).filter(isDatabaseFile)) {
    const { size, mtimeMs, ino } = await stat(join(folder, name))
    files.set(name, `${size} ${mtimeMs} ${ino}`)
  }
  return files
}

/** Lets the copy have the lock of the database, so that opening it fails while a chain has the database open. */
async function shareLock(folder: string, copy: string): Promise<void> {
  const lock = resolve(folder, 'LOCK')
  try {
    await access(lock, constants.R_OK | constants.W_OK)
    await symlink(lock, join(copy, 'LOCK'))
  } catch {
    // Nobody can have the lock without the file. Where links are not allowed, as on Windows, `assertCurrent` remains.
  }
}

/** Whether the file that names the others is missing. */
export async function isWithoutCurrent(folder: string): Promise<boolean> {
  return !(await readdir(folder)).includes('CURRENT')
}

/** The tables of a database that do not match their checksums, by their names. */
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
    await openLevel(level)
    return level
  } catch (error) {
    if (error instanceof DatabaseOpenError && isDamage(error.cause)) return undefined
    throw error
  }
}

/** Lets LevelDB write all its tables again, without what cannot be read of them. */
export async function rewriteTables(folder: string): Promise<void> {
  const { ClassicLevel } = await import('classic-level')
  const keyEncoding = 'view'
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, { createIfMissing: false, keyEncoding })
  await level.open()
  await level.compactRange(new Uint8Array(1), Uint8Array.of(0xff)).finally(() => level.close())
}

/** Lets LevelDB rebuild what it can of its files. */
export async function repairFiles(folder: string): Promise<void> {
  const { ClassicLevel } = await import('classic-level')
  await ClassicLevel.repair(folder)
}

/** Whether LevelDB reports that its files are damaged. */
export function isDamage(error: unknown): boolean {
  const { message, cause } = error as Error
  if (/^(Corruption|NotFound|IO error|Invalid argument): (?!.*(Permission denied|\/LOCK:))/.test(message))
    return true
  return cause instanceof Error && cause !== error && isDamage(cause)
}
