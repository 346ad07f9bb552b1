/** A sidebar from the files of a folder: a page's text is its title, its place the `order` of its front matter. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

const root = new URL('../', import.meta.url)

interface Page extends DefaultTheme.SidebarItem {
  order: number
  /** Whether the page is in the sidebar: not if its front matter has `listed: false`, as where an index lists hundreds. */
  listed: boolean
}

/** The title and the place of a page: front matter first, then its heading of the first level. */
function pageOf(path: string): Page {
  const text = readFileSync(new URL(`${path}.md`, root), 'utf8')
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
  const fieldOf = (key: string) => new RegExp(`^${key}: *['"]?(.*?)['"]?$`, 'm').exec(front)?.[1]
  const title = fieldOf('title') ?? /^# (.+)$/m.exec(text)?.[1]
  if (title === undefined) throw new Error(`${path}.md has no title and no heading of the first level`)
  return {
    text: title.replaceAll('`', ''),
    link: `/${path.replace(/index$/, '')}`,
    order: Number(fieldOf('order') ?? 100),
    listed: fieldOf('listed') !== 'false',
  }
}

/** The pages of a folder, its `index.md` first; a folder within it is a group, named after its `index.md`. */
function itemsOf(folder: string, name: string): Page[] {
  const entries = readdirSync(new URL(`${folder}/`, root), { withFileTypes: true })
  const items = entries.flatMap((entry): Page[] => {
    if (entry.isDirectory()) {
      if (!existsSync(new URL(`${folder}/${entry.name}/index.md`, root))) return []
      const { link, ...group } = pageOf(`${folder}/${entry.name}/index`)
      const items = itemsOf(`${folder}/${entry.name}`, group.text!)
      return [items.length === 1 ? { ...group, link: link! } : { ...group, items }]
    }
    if (!entry.name.endsWith('.md')) return []
    const page = pageOf(`${folder}/${entry.name.slice(0, -'.md'.length)}`)
    if (entry.name !== 'index.md') return [page]
    return [{ ...page, text: page.text === name ? 'Overview' : page.text!, order: Number.NEGATIVE_INFINITY }]
  })
  return items
    .filter(({ listed }) => listed)
    .sort((a, b) => a.order - b.order || a.text!.localeCompare(b.text!))
}

/** The sidebar of a section. */
export function sidebarOf(folder: string, text: string): DefaultTheme.SidebarItem[] {
  return [{ text, items: itemsOf(folder, text) }]
}
