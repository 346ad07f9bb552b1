/** The size of files as a page is sent them: each minified by a bundler, and compressed by the server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'

/** Kilobytes (1,000 bytes) of all the files together, each minified and compressed by itself. */
export function gzipKilobytes(folder: string, files: readonly string[]): number {
  const sizes = files.map((file) => {
    const { code } = transformSync(readFileSync(join(folder, file), 'utf8'), { minify: true })
    return gzipSync(code).length
  })
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000
}
