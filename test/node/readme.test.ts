import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DOCUMENTS, withSections } from '../../scripts/sections.ts'
import { faultPresets } from '../../src/config/faultSettings.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { isDevMethod } from '../rpc/devMethods.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

describe('README', () => {
  const readme = read('README.md')
  const embedded = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```(?:ts|js|solidity)\n([\s\S]*?)```/g)]

  it('shows examples as they are run', () => {
    expect(embedded.length).toBeGreaterThan(0)
    for (const [, path, code] of embedded) expect(code).toBe(read(path!))
  })

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)]+)\)/g)].map(([, path]) => path!)
    for (const path of links.filter((link) => /\.\w+$/.test(link))) expect(read(path)).not.toBe('')
  })

  const methods = readme.slice(readme.indexOf('\n## Methods\n'), readme.indexOf('\n## Speed\n'))

  it('lists each method of the wire, and no others', () => {
    const listed = [...methods.matchAll(/`([a-z0-9]+_\w+)`/g)].map(([, name]) => name!)
    const isOfWire = (name: string) => !isDevMethod(name)
    expect([...new Set(listed)].filter(isOfWire).sort()).toEqual(Object.keys(METHODS).filter(isOfWire).sort())
  })

  it('lists every cheat by its name without prefix', () => {
    const names = Object.keys(METHODS)
      .filter(isDevMethod)
      .map((name) => name.replace(/^(anvil|evm|ganache|hardhat)_/, ''))
    expect(names.filter((name) => !methods.includes(`\`${name}\``))).toEqual([])
  })

  it('lists every preset of faults with its settings', () => {
    for (const [name, settings] of Object.entries(faultPresets)) {
      const faults = Object.entries(settings).map(([fault, value]) => `${fault}: ${value}`)
      expect(readme).toContain(`| \`${name}\` | \`${faults.join(', ')}\` |`)
    }
  })
})

describe.each(DOCUMENTS)('%s', (path) => {
  it('has its generated sections as `npm run docs` writes them', () => {
    const text = read(path)
    expect(text).toBe(withSections(text))
  })
})
