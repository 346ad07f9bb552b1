/** The tables of the features have all that there is. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FAULTS, faultPresets } from '../../src/base/options/faultSettings.ts'
import { PREDEPLOYS } from '../../src/core/options.ts'
import { isDevMethod } from '../rpc/devMethods.ts'

const root = new URL('../../', import.meta.url)
const read = (name: string) => readFileSync(new URL(`docs/features/${name}.md`, root), 'utf8')

describe('the pages of features', () => {
  it('list every preset of faults with its settings', () => {
    const rows = Object.entries(faultPresets).map(([name, settings]) => {
      const faults = Object.entries(settings).map(([fault, value]) => `${fault}: ${value}`)
      return `| \`${name}\` | \`${faults.join(', ')}\` |`
    })
    expect(rows.filter((row) => !read('faults').includes(row))).toEqual([])
  })

  it('list every fault', () => {
    const listed = [...read('faults').matchAll(/^\| `(\w+): \w+` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(Object.keys(FAULTS))
  })

  it('list every cheat with a link to its page', () => {
    const cheats = readdirSync(new URL('src/rpc/methods/', root))
      .map((file) => file.slice(0, -'.ts'.length))
      .filter(isDevMethod)
    const page = read('cheats')
    expect(cheats.filter((name) => !page.includes(`(/reference/methods/${name})`))).toEqual([])
  })

  it('list every predeployed contract', () => {
    const listed = [...read('predeploys').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(PREDEPLOYS)
  })

  it('show the call tree that the snippet prints', () => {
    const snippet = readFileSync(new URL('docs/snippets/featureExplain.ts', root), 'utf8')
    const tree = [...snippet.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => `${line}\n`).join('')
    expect(read('explain')).toContain(`\`\`\`text\n${tree}\`\`\``)
  })

  it('are all in the table of the overview', () => {
    const pages = readdirSync(new URL('docs/features/', root))
      .filter((file) => file.endsWith('.md') && file !== 'index.md')
      .map((file) => file.slice(0, -'.md'.length))
    const listed = [...read('index').matchAll(/^\| \[.*?\]\(\/features\/(\w[\w-]*)\) \|/gm)].map(
      ([, name]) => name!,
    )
    expect(pages.filter((page) => !listed.includes(page))).toEqual([])
  })
})
