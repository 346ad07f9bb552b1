/** What the pages of the site show and link to exists. The site's own check of the built pages is apart. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const docs = new URL('../../docs/', import.meta.url)

/** Pages that are generated before the site is built, which git ignores. */
const generatedPaths = readFileSync(new URL('.gitignore', docs), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('/') && !line.startsWith('/.'))
  .map((line) => line.replace(/\.md$/, ''))

const isGenerated = (path: string) =>
  generatedPaths.some((prefix) => (prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix))

const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !/(^|\/)(node_modules|\.vitepress)\//.test(path))
  .filter((path) => !isGenerated(`/${path.replace(/\.md$/, '')}`))
  .sort()

/** The names of the pages of methods: a method's aliases are on its page. */
const methods = new Set(
  readdirSync(new URL('../../src/rpc/methods/', import.meta.url)).map((file) => file.slice(0, -'.ts'.length)),
)

const read = (path: string) => readFileSync(new URL(path, docs), 'utf8')

/** A page without its front matter, its blocks of code and its comments. */
const proseOf = (text: string) =>
  text
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^( *)(`{3,})[\s\S]*?^\1\2 *$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')

/** The anchor that VitePress makes of a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]|\\(?=[_*<])/g, '')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[\s~!@#$%^&()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()
}

/** The anchors of a page: of its headings, where a second one of the same text has `-1`, and those that it states. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, line] of proseOf(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const [, heading = line!, stated] = /^(.*?) *\{#([\w-]+)\}$/.exec(line!) ?? []
    const anchor = stated ?? anchorOf(heading)
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  }
  for (const [, id] of text.matchAll(/ id="([^"]+)"/g)) anchors.add(id!)
  return anchors
}

/** Says what is wrong with a link within the site, or nothing. */
function problemOf(link: string, from: string): string | undefined {
  const [target = '', anchor] = link.split('#')
  const url = new URL(target === '' ? `/${from}` : target, `http://site/${from}`)
  const path = url.pathname.replace(/(\.md|\.html)$/, '')
  const method = /^\/reference\/methods\/(\w+)$/.exec(path)?.[1]
  if (method !== undefined && method !== 'index')
    return methods.has(method) ? undefined : `${link}: no method ${method}`
  if (isGenerated(path)) return
  const name = path.slice(1)
  const page = [`${name}.md`, `${name.replace(/\/?$/, '/')}index.md`.replace(/^\//, '')].find((file) =>
    pages.includes(file),
  )
  if (page === undefined) return existsSync(new URL(`public${path}`, docs)) ? undefined : `${link}: no page`
  if (anchor === undefined || anchorsOf(read(page)).has(anchor)) return
  return `${link}: no anchor`
}

describe.each(pages)('%s', (page) => {
  const text = read(page)

  it('shows code by including files alone', () => {
    expect([...text.matchAll(/^ *`{3,} *(?:ts|js|tsx|jsx|typescript|javascript|vue)\b.*$/gm)]).toEqual([])
  })

  it('includes files and regions that exist', () => {
    const problems = [...text.matchAll(/^ *<<< *(\S+?)(?:#([\w-]+))?(?:\{.*\})?(?: \[.*\])?$/gm)].flatMap(
      ([include, path, region]) => {
        const file = path!.startsWith('@/')
          ? new URL(path!.slice(2), docs)
          : new URL(path!, new URL(page, docs))
        if (!existsSync(file)) return [`${include}: no file`]
        if (region === undefined) return []
        const marks = readFileSync(file, 'utf8').match(new RegExp(`#(end)?region ${region}\\b`, 'g')) ?? []
        return marks.length === 2 ? [] : [`${include}: ${marks.length} marks of the region`]
      },
    )
    expect(problems).toEqual([])
    expect(text.match(/^ *<<</gm)?.length ?? 0).toBe(
      text.match(/^ *<<< *\S+(?:\{.*\})?(?: \[.*\])?$/gm)?.length ?? 0,
    )
  })

  it('gives each column of a table a heading', () => {
    const headings = [...proseOf(text).matchAll(/^\|(.*)\|\n\|[ :|-]+\|$/gm)].map(([, cells]) => cells!)
    expect(headings.filter((cells) => cells.split('|').some((cell) => cell.trim() === ''))).toEqual([])
  })

  it('links to pages and anchors that exist', () => {
    const prose = proseOf(text).replace(/`[^`\n]*`/g, '')
    const links = [
      ...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g),
      ...prose.matchAll(/ href="([^"]+)"/g),
      ...text.matchAll(/^ *link: *['"]?(\/[^\s'"]*)/gm),
    ].map(([, link]) => link!)
    const problems = links
      .filter((link) => !/^(https?:|mailto:)/.test(link))
      .map((link) => problemOf(link, page))
      .filter((problem) => problem !== undefined)
    expect(problems).toEqual([])
  })
})
