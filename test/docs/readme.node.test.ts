import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DOCUMENTS, withSections } from '../../scripts/sections.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

describe('README', () => {
  const readme = read('README.md')

  it('shows examples as they are run', () => {
    const embedded = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```ts\n([\s\S]*?)```/g)]
    expect(embedded.map(([, path, code]) => [path, code])).toEqual([
      ['examples/quickStart.ts', read('examples/quickStart.ts')],
    ])
  })

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)]+)\)/g)].map(([, path]) => path!)
    expect(links).toContain('docs/guide/quick-start.md')
    expect(links.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
  })

  it('is at most 6,000 bytes long', () => {
    expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(6000)
  })

  it('has the commands that set up a checkout', () => {
    expect(readme).toContain('npm ci && npm run demo\nnpm ci && npm test\n')
  })
})

describe.each(DOCUMENTS)('%s', (path) => {
  it('has its generated sections as `npm run docs:sections` writes them', () => {
    const text = read(path)
    expect(text).toBe(withSections(text))
  })
})
