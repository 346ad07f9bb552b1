/** The folder of a database, opened without being created. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Level } from '../../ledger/bytesDatabase.ts'
import { openLevel } from '../../ledger/claimDatabase.ts'
import { DatabaseOpenError } from '../../ledger/errors.ts'
import { openDatabase } from '../openDatabase.ts'

/** A folder has no database that can be checked, and why. */
export class NoDatabaseError extends Error {}

/** @throws NoDatabaseError if it has no database; nothing is created then. */
export async function checkFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${error.code})`
    throw new NoDatabaseError(`${folder} is no folder of a database: ${reason}`)
  })
  const isDatabase =
    names.includes('CURRENT') || names.some((name) => /^(MANIFEST-\d+|\d+\.(ldb|log))$/.test(name))
  if (!isDatabase) throw new NoDatabaseError(`${folder} is no folder of a database: it has no file of one`)
}

/** The size of the folder's files in bytes. */
export async function sizeOf(folder: string): Promise<number> {
  let size = 0
  for (const name of await readdir(folder)) size += (await stat(join(folder, name))).size
  return size
}

/** Opens the database; undefined if its files are damaged. @throws DatabaseInUseError, DatabaseOpenError */
export async function openFolder(folder: string): Promise<Level | undefined> {
  const level = (await openDatabase(folder)) as unknown as Level
  try {
    await openLevel(level)
    return level
  } catch (error) {
    if (error instanceof DatabaseOpenError && isDamage(error.cause)) return undefined
    throw error
  }
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
