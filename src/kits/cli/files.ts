/** Files and streams of the command line. */

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { systemClock } from '../../base/clock.ts'
import { PresealError } from '../../base/errors.ts'
import type { Database } from '../../base/options/optionSchemas.ts'

/** A file named on the command line cannot be read, parsed or written. */
export class FileError extends PresealError {
  override name = 'FileError'
  readonly flag: string | undefined
  constructor(message: string, flag?: string) {
    super(message)
    this.flag = flag
  }
}

/** Reads a file. @param flag - the flag that names the file @throws FileError */
export async function readBytes(path: string, flag?: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new FileError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, flag)
  }
}

/** Whether a file or folder exists. */
export const exists: (path: string) => boolean = existsSync

/** `classic-level`, which is not part of the package, is not installed. */
class PackageMissingError extends PresealError {
  override name = 'PackageMissingError'
  constructor() {
    super('--database needs the package classic-level: run npm install classic-level')
  }
}

/** A folder has files of a database, but not the file CURRENT. A new database there would delete these files. */
class LostDatabaseError extends PresealError {
  override name = 'LostDatabaseError'
  constructor(folder: string) {
    super(
      `${folder} has files of a database, but not its file CURRENT; preseal db repair ${folder} rebuilds it`,
    )
  }
}

/** Whether LevelDB keeps entries, or the list of its files, in a file of this name. */
export const isDatabaseFile = (name: string): boolean =>
  name === 'CURRENT' || /^(MANIFEST-\d+|\d+\.(ldb|sst|log))$/.test(name)

/**
 * Opens the database in a folder. Creates one only if the folder has no files of a database.
 *
 * @throws PackageMissingError, LostDatabaseError
 */
export async function openDatabase(folder: string): Promise<Database> {
  // If the path is no folder, opening the database fails with the reason.
  const names = await readdir(folder).catch(() => [] as string[])
  const isNew = !names.some(isDatabaseFile)
  if (!isNew && !names.includes('CURRENT')) throw new LostDatabaseError(folder)
  return openLevelIn(folder, isNew)
}

/** @param createIfMissing - whether opening creates a database @throws PackageMissingError */
export async function openLevelIn(folder: string, createIfMissing: boolean): Promise<Database> {
  try {
    const { ClassicLevel } = await import('classic-level')
    return new ClassicLevel(folder, { createIfMissing })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code?.endsWith('MODULE_NOT_FOUND') && message.includes('classic-level')
    throw isMissing ? new PackageMissingError() : error
  }
}

/** How many bytes of output may be unread. Beyond that, texts are left out. */
const MAX_WAITING = 2 ** 22

/** How many milliseconds the process waits at its end for output to be read. */
const LAST_WAIT = 1000

/** The used members of `process.stdout` and `process.stderr`. */
interface OutputStream {
  readonly writableLength: number
  write(text: string, onWritten?: () => void): boolean
}

/**
 * Prints to a stream that may have no reader. Leaves texts out when too much is unread, so that memory stays bounded.
 *
 * Owns: the count of texts left out.
 */
export class Output {
  readonly #stream: OutputStream
  #left = 0

  constructor(stream: OutputStream) {
    this.#stream = stream
  }

  /** Prints a text, which ends with a line break, unless too much output is unread. */
  print(text: string): void {
    if (this.#stream.writableLength > MAX_WAITING) {
      this.#left += 1
      return
    }
    if (this.#left > 0) {
      this.#stream.write(`preseal: ${this.#left} outputs were left out, since earlier ones were not read\n`)
      this.#left = 0
    }
    this.#stream.write(text)
  }
}

/** Resolves when these streams have passed all their output to the system; after a second at the latest. */
export function untilRead(streams: readonly OutputStream[]): Promise<unknown> {
  const read = streams.map((stream) => new Promise<void>((done) => stream.write('', done)))
  const late = new Promise<void>((resolve) => systemClock.setTimeout(resolve, LAST_WAIT))
  return Promise.race([Promise.all(read), late])
}
