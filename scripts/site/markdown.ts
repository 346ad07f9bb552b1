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

/** The specification, or the decisions of a wing, as texts cite them: `spec.md §2.5, 30`, `core/DECISIONS.md 70a`. */
export const CITATION =
  /\b((?:spec|\w+\/DECISIONS)\.md)\s+((?:§[\d.]*\d|\d+[a-z]?)(?:,\s+(?:§[\d.]*\d|\d+[a-z]?))*)(?!\w)/g

/** The page of a cited file, and its name in texts. */
const citedPage = (file: string) =>
  file === 'spec.md' ? (['spec', 'specification'] as const) : (['decisions', 'decision'] as const)

/** A cited number as a link to its place on the site. */
function linkCited(file: string, number: string, shown: string): string {
  const anchor = number.startsWith('§') ? sections.get(number.slice(1)) : number
  return `[${shown}](/internals/${citedPage(file)[0]}#${anchor})`
}

/** A text of TSDoc as Markdown: `{@link X}` as code, and citations as links. */
export function prose(text: string): string {
  return text
    .replace(/\{@link ([^}|]+)(?:\|([^}]+))?\}/g, (_, target: string, shown?: string) =>
      code((shown ?? target).trim()),
    )
    .replace(CITATION, (_, file: string, numbers: string) => {
      const [first, ...others] = numbers.split(/,\s+/)
      const name = `${citedPage(file)[1]} ${first}`
      return [linkCited(file, first!, name), ...others.map((each) => linkCited(file, each, each))].join(', ')
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
