/** What esbuild has bundled into each file of the build. */
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>
}

/** The sources in each file of `dist/` of a format, by the name of the file. */
export async function readBundled(format: 'esm' | 'cjs'): Promise<ReadonlyMap<string, readonly string[]>> {
  const metafile = join(import.meta.dirname, `../../dist/metafile-${format}.json`)
  const { outputs } = JSON.parse(await readFile(metafile, 'utf8')) as Metafile
  return new Map(Object.entries(outputs).map(([path, { inputs }]) => [basename(path), Object.keys(inputs)]))
}
