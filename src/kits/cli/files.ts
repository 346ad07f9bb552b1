/** Files that the command line names. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { PresealError } from '../../base/errors.ts'

/** A file of the command line cannot be read, parsed or written. */
export class FileError extends PresealError {
  override name = 'FileError'
  /** The flag that names the file. */
  readonly flag: string | undefined
  constructor(message: string, flag?: string) {
    super(message)
    this.flag = flag
  }
}

/** The content of a file. @param flag - which names it. @throws FileError */
export async function readBytes(path: string, flag?: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new FileError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, flag)
  }
}

/** Whether there is a file or a folder. */
export function exists(path: string): boolean {
  return existsSync(path)
}
