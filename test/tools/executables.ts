/** Programs that tests start, found on this machine. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The executable that a variable of the environment names, else the first on the PATH; undefined if there is none. */
export function findExecutable(variable: string, names: readonly string[]): string | undefined {
  const named = process.env[variable]
  if (named !== undefined) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/** Whether a path is that of a file that this user can execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
