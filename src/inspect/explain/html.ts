/** Explanations as a page of HTML that needs nothing else. */
import {
  countItems,
  endLine,
  headLine,
  isOneLine,
  itemLine,
  type LineContext,
  linesOfSolidity,
  MAX_SHOWN_DEPTH,
  omittedLine,
  type Part,
} from './lines.ts'
import { PAGE_SCRIPT, PAGE_STYLE } from './page.ts'
import type { ExplainedFrame, ExplainedItem, Explanation } from './tree.ts'

/** Options of {@link explanationToHtml}. */
export interface ExplanationHtmlOptions {
  /** The title of the page; default: what was explained. */
  readonly title?: string | undefined
}

/**
 * An explanation as a page that can be saved and opened without a network: its frames can be collapsed, also by keyboard,
 * in light or dark colours as the system is set. Values of more than 500 characters and frames below the 64th level are cut.
 *
 * @example
 * await writeFile('trace.html', explanationToHtml(await chain.explain(hash, { artifacts })))
 */
export function explanationToHtml(explanation: Explanation, { title }: ExplanationHtmlOptions = {}): string {
  const { names, root, notes } = explanation
  const context: LineContext = { names, withNames: true }
  const head = headLine(explanation)
  const heading = title ?? head.map(({ text }) => text).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${title === undefined ? toHtml(head) : escapeHtml(title)}</h1>
<p class="tools"><button type="button" data-all="open">Expand all</button>
<button type="button" data-all="closed">Collapse all</button>
<span class="keys">Arrow keys move, open and close</span></p>
</header>
<main>
<ul class="tree">
${itemToHtml(root, context, 1)}
</ul>
${section(linesOfSolidity(explanation))}${notes.length === 0 ? '' : section(['Notes', ...notes])}</main>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`
}

function section([title, ...lines]: readonly string[]): string {
  if (title === undefined) return ''
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('\n')
  return `<section><h2>${escapeHtml(title)}</h2>\n<ul>${list}</ul></section>\n`
}

function itemToHtml(item: ExplainedItem, context: LineContext, depth: number): string {
  const line = toHtml(itemLine(item, context))
  if (item.kind !== 'frame' || isOneLine(item)) return `<li class="line">${line}</li>`
  const end = `<li class="line">${toHtml(endLine(item, context))}</li>`
  const failed = item.error === undefined ? '' : ' class="failed"'
  const inner = [...innerOf(item, context, depth), end].join('\n')
  return `<li><details open${failed}><summary>${line}</summary>\n<ul>${inner}</ul></details></li>`
}

function innerOf(frame: ExplainedFrame, context: LineContext, depth: number): string[] {
  const { items, omitted = 0 } = frame
  const isDeep = depth >= MAX_SHOWN_DEPTH && items.length > 0
  const hidden = isDeep ? countItems(frame) : omitted
  return [
    ...(isDeep ? [] : items.map((item) => itemToHtml(item, context, depth + 1))),
    ...(hidden > 0 ? [`<li class="line">${toHtml(omittedLine(hidden))}</li>`] : []),
  ]
}

function toHtml(parts: readonly Part[]): string {
  return parts
    .map(({ style, text }) =>
      style === 'plain' ? escapeHtml(text) : `<span class="${style}">${escapeHtml(text)}</span>`,
    )
    .join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
