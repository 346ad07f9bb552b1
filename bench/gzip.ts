/** The size of files as a server sends them, compressed one by one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Kilobytes (1,000 bytes) of all the files together. */
export function gzipKilobytes(folder: string, files: readonly string[]): number {
  const sizes = files.map((file) => gzipSync(readFileSync(join(folder, file))).length)
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000
}
