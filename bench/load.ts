import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const entry = join(process.cwd(), 'dist', 'index.js')

/** The built package, as a user gets it; the benchmarks run from the repository root. */
export async function loadPreseal(): Promise<typeof import('../src/index.ts')> {
  if (!isBuilt())
    throw new Error('dist/index.js is missing: run `npm run build` first, from the repository root')
  return await import(pathToFileURL(entry).href)
}

export function isBuilt(): boolean {
  return existsSync(entry)
}
