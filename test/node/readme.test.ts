import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DOCUMENTS, withSections } from '../../scripts/sections.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** A row of the benchmarks; a peer without the method has no value. */
interface BenchRow {
  readonly label: string
  readonly unit: string
  readonly values: { readonly preseal: number } & Partial<Record<'ganache' | 'edr' | 'anvil', number>>
}

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

it.each(['README.md', 'docs/index.md'])(
  '%s has rows of the benchmarks, with their values and ratios',
  (path) => {
    const { rows } = JSON.parse(read('docs/internals/benchmarks.json')) as { rows: BenchRow[] }
    const shown = [
      ...read(path).matchAll(/^\| ([^|]+) \| ([\d.,]+) (?:ms|\/s) \| (.+) \| (.+) \| (.+) \|$/gm),
    ]
    expect(shown).toHaveLength(5)
    for (const [, label, value, ...ratios] of shown) {
      const { unit, values } = rows.find((row) => row.label === label)!
      expect(Number(value!.replaceAll(',', ''))).toBe(values.preseal)
      const expected = [values.ganache, values.edr, values.anvil].map((peer) => {
        if (peer === undefined) return '–'
        const ratio = unit === 'ms' ? peer / values.preseal : values.preseal / peer
        return `×${Number(ratio.toPrecision(2))}`
      })
      expect(ratios.map((ratio) => ratio.replace(/\.0$/, ''))).toEqual(expected)
    }
  },
)

describe.each(DOCUMENTS)('%s', (path) => {
  it('has its generated sections as `npm run docs:sections` writes them', () => {
    const text = read(path)
    expect(text).toBe(withSections(text))
  })
})
