/** What the size limits leave out, compared with the files that a process loads. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import SIZE_LIMITS from '../../scripts/sizeLimits.ts'
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
  const limit = SIZE_LIMITS.find(({ name }) => name === row)
  expect(limit).toMatchObject({ path: '../dist/index.js', import: '*' })
  expect(loaded.filter((file) => limit!.ignore.includes(`./${file}`))).toEqual([])
})
