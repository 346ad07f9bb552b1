/** Parts of generated pages: links, tables, code, and texts of TSDoc as Markdown. */
import { readFileSync } from 'node:fs'

/** A generated page, by its path within `docs/`. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** The front matter of a page beside its title. */
interface Front {
  /** Its place in the sidebar. */
  readonly order?: number
  /** Whether it is in the sidebar. */
  readonly listed?: boolean
  /** The pages before and after it, where the sidebar does not tell. */
  readonly prev?: PageLink | undefined
  readonly next?: PageLink | undefined
}

interface PageLink {
  readonly text: string
  readonly link: string
}

/** A page with a title, as its heading and in the sidebar. */
export function page(path: string, title: string, parts: readonly string[], front: Front = {}): Page {
  const fields = { title, ...front, editLink: false }
  // JSON is YAML.
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`],
  )
  return { path, text: `---\n${lines.join('\n')}\n---\n\n# ${title}\n\n${parts.join('\n\n')}\n` }
}

/** A table; bars within cells are escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export const code = (text: string): string => `\`${text}\``

export const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** The anchor that VitePress gives a heading. */
export function anchorOf(heading: string): string {
  return heading
    .normalize('NFKD')
    .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase()
}

/** The anchors of the specification's sections, by their numbers. */
const sections = new Map(
  [...readFileSync('docs/internals/spec.md', 'utf8').matchAll(/^#+ ((\d+(?:\.\d+)*)\.? .+)$/gm)].map(
    ([, heading, number]) => [number!, anchorOf(heading!)],
  ),
)

/** A text of TSDoc as Markdown: `{@link X}` as code, and the sections of the specification as links. */
export function prose(text: string): string {
  return text
    .replace(/\{@link ([^}|]+)(?:\|([^}]+))?\}/g, (_, target: string, shown?: string) =>
      code((shown ?? target).trim()),
    )
    .replace(/spec\.md\s+§(\d+(?:\.\d+)*)/g, (whole, number: string) => {
      const anchor = sections.get(number)
      return anchor === undefined ? whole : `[specification §${number}](/internals/spec#${anchor})`
    })
    .replace(
      /(?<![`\w/])((?:anvil|chain|debug|eth|evm|hardhat|ots|trace|txpool|wallet)_\w+)(?![`\w])/g,
      '`$1`',
    )
    .replace(/\s*\n(?!\n|\s*-)\s*/g, ' ')
    .replace(/<(?=\w)/g, '&lt;')
}

/** Names of error classes in a text, as links to their rows. */
export function linkErrors(text: string): string {
  return text.replace(/(?<![`\w[])(\w+Error)\b/g, '[`$1`](/reference/errors#$1)')
}
