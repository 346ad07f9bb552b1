/** The database of `--database`, in a folder. */
import type { Database } from '../config/optionSchemas.ts'
import { PresealError } from '../primitives/errors.ts'

/** `classic-level`, which is not part of the package, is not installed. */
class PackageMissingError extends PresealError {
  override name = 'PackageMissingError'
  constructor() {
    super('--database needs the package classic-level: run npm install classic-level')
  }
}

/** The database in a folder, which opening it creates. @throws PackageMissingError */
export async function openDatabase(folder: string): Promise<Database> {
  try {
    const { ClassicLevel } = await import('classic-level')
    return new ClassicLevel(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code?.endsWith('MODULE_NOT_FOUND') && message.includes('classic-level')
    throw isMissing ? new PackageMissingError() : error
  }
}
