/** Programs that tests start as processes and threads. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { beforeAll } from 'vitest'

/** ws loads Node's modules with `require`. */
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`

/**
 * Bundles a program of the project for the tests of the file or the `describe`: as JavaScript it starts ten times as
 * fast as with a TypeScript loader.
 *
 * @param parent - the folder of the bundle; within the project it finds native packages, which cannot be bundled.
 */
export function bundleProgram(entry: string, parent: string = tmpdir()): { readonly file: string } {
  const program = { file: '' }
  beforeAll(async () => {
    const folder = await mkdtemp(join(resolve(parent), 'preseal-program-'))
    await build({
      entryPoints: { program: entry },
      // Maps the package's name to its source.
      tsconfig: 'tsconfig.json',
      bundle: true,
      external: ['classic-level'],
      splitting: true,
      platform: 'node',
      format: 'esm',
      banner: { js: REQUIRE },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
    })
    program.file = join(folder, 'program.mjs')
    return () => rm(folder, { recursive: true })
  })
  return program
}
