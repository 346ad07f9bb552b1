import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DOCUMENTS, withSections } from '../../scripts/sections.ts'
import { faultPresets } from '../../src/config/faultSettings.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { isDevMethod } from '../rpc/devMethods.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('README', () => {
  const readme = read('README.md')
  const embedded = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```(?:ts|js)\n([\s\S]*?)```/g)]

  it('shows examples as they are run', () => {
    expect(embedded.length).toBeGreaterThan(0)
    for (const [, path, code] of embedded) expect(code).toBe(read(path!))
  })

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)]+)\)/g)].map(([, path]) => path!)
    for (const path of links.filter((link) => /\.\w+$/.test(link))) expect(read(path)).not.toBe('')
  })

  it('lists every method', () => {
    const listed = (name: string) => readme.includes(`\`${name}\``)
    const missing = Object.keys(METHODS).filter(
      (name) => !listed(isDevMethod(name) ? name.replace(/^(anvil|evm|ganache|hardhat)_/, '') : name),
    )
    expect(missing).toEqual([])
  })

  it('lists every preset of faults as it is', () => {
    for (const [name, settings] of Object.entries(faultPresets)) {
      const faults = Object.entries(settings).map(([fault, value]) => `${fault}: ${value}`)
      expect(readme).toContain(`| \`${name}\` | \`${faults.join(', ')}\` |`)
    }
  })
})

describe.each(DOCUMENTS)('%s', (path) => {
  it('has the sections that are made from the code as `npm run docs` writes them', () => {
    const text = read(path)
    expect(text).toBe(withSections(text))
  })
})
