import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The built package, as a user gets it; the benchmarks run from the repository root. */
export async function loadPreseal(): Promise<typeof import('../src/index.ts')> {
  return load('index.js')
}

/** The same for `preseal/server`. */
export async function loadServer(): Promise<typeof import('../src/kits/server/index.ts')> {
  return load('server.js')
}

/** The same for `preseal/gas`. */
export async function loadGas(): Promise<typeof import('../src/kits/gas/index.ts')> {
  return load('gas.js')
}

/** The same for `preseal/coverage`. */
export async function loadCoverage(): Promise<typeof import('../src/kits/coverage/index.ts')> {
  return load('coverage.js')
}

export function isBuilt(): boolean {
  return existsSync(pathOf('index.js'))
}

function load(entry: string) {
  if (!isBuilt())
    throw new Error('dist/index.js is missing: run `npm run build` first, from the repository root')
  return import(pathToFileURL(pathOf(entry)).href)
}

function pathOf(entry: string): string {
  return join(process.env['PRESEAL_DIST'] ?? join(process.cwd(), 'dist'), entry)
}
