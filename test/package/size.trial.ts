/** What the size limits of package.json leave out, compared with the files that a process loads. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ignoredFiles, matchesFile, readSizeLimits } from '../../scripts/sizeLimits.ts'
import { filesLoadedByFirstBlock, filesLoadedByImport } from './loadedFiles.ts'

const ROOT = join(import.meta.dirname, '../..')

it.each([
  { row: 'imported statically', program: 'an import', filesLoaded: filesLoadedByImport },
  {
    row: 'loaded by a chain until its first sealed block',
    program: 'a default chain with one sealed block',
    filesLoaded: filesLoadedByFirstBlock,
  },
])('the size "$row" leaves out no file that $program loads', async ({ row, filesLoaded }) => {
  const loaded = await filesLoaded(join(ROOT, 'dist'))
  expect(loaded).toContain('index.js')
  const limit = readSizeLimits(join(ROOT, 'package.json')).find(({ name }) => name === row)
  expect(limit).toMatchObject({ path: 'dist/index.js', import: '*' })
  const patterns = ignoredFiles(limit!)
  expect(loaded.filter((file) => patterns.some((pattern) => matchesFile(pattern, `dist/${file}`)))).toEqual(
    [],
  )
})
