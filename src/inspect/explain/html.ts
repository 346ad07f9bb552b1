/** Writes explanations as self-contained HTML pages. */

import {
  type ExplainedItem,
  type Explanation,
  endLine,
  headLine,
  isOneLine,
  itemLine,
  type LineContext,
  linesOfSolidity,
  type Part,
  shownItems,
} from './tree.ts'

/** Options of {@link explanationToHtml}. */
export interface ExplanationHtmlOptions {
  /** The title of the page; default: the first line of the explanation. */
  readonly title?: string | undefined
}

/**
 * Returns an explanation as a page that opens without a network. Frames collapse by mouse and keyboard, and colours
 * follow the system's light or dark mode. Values over 500 characters and frames below level 64 are cut.
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
  const { items, omitted } = shownItems(item, depth)
  const inner = items.map((one) => itemToHtml(one, context, depth + 1))
  if (omitted) inner.push(`<li class="line">${toHtml(omitted)}</li>`)
  const list = [...inner, end].join('\n')
  return `<li><details open${failed}><summary>${line}</summary>\n<ul>${list}</ul></details></li>`
}

function toHtml(parts: readonly Part[]): string {
  const spans = parts.map(({ style, text }) =>
    style === 'plain' ? escapeHtml(text) : `<span class="${style}">${escapeHtml(text)}</span>`,
  )
  return spans.join('')
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

/** All colours have a contrast of at least 4.5 : 1. */
const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1c1e21; --dim: #5c636b; --line: #d4d8dd; --hover: #f1f3f5;
  --good: #1a6b32; --bad: #b3261e; --event: #0b5f8a; --console: #7a5200;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181b; --text: #e4e6e9; --dim: #9aa2ab; --line: #363b41; --hover: #22262a;
    --good: #7bd08f; --bad: #ff8a80; --event: #74c0e8; --console: #e0b860;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem clamp(0.75rem, 3vw, 2rem) 3rem;
  background: var(--ground); color: var(--text);
  font: 0.8125rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
h1 { margin: 0 0 0.75rem; font-size: 0.9375rem; font-weight: 600; line-height: 1.5; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 0.25rem; font-size: 0.875rem; }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin: 0 0 1rem; }
.keys { color: var(--dim); }
button {
  font: inherit; color: inherit; background: var(--hover); border: 1px solid var(--line);
  border-radius: 0.25rem; padding: 0.125rem 0.625rem; cursor: pointer;
}
ul { list-style: none; margin: 0; padding: 0; }
section ul { list-style: disc; padding-left: 1.25rem; overflow-wrap: anywhere; }
.tree ul { margin-left: 0.375rem; padding-left: clamp(0.5rem, 1.6vw, 1.125rem); border-left: 1px solid var(--line); }
.line, summary { padding: 0 0.25rem 0 1.25rem; text-indent: -1rem; overflow-wrap: anywhere; border-radius: 0.25rem; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: '▸'; display: inline-block; width: 1rem; text-indent: 0; color: var(--dim); }
details[open] > summary::before { content: '▾'; }
summary:hover, .line:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--event); outline-offset: 1px; }
.dim { color: var(--dim); }
.contract, .good { color: var(--good); }
.contract { font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.event { color: var(--event); }
.console { color: var(--console); }
@media print { .tools { display: none; } }
`

/** Handles arrow keys as trees do: up and down move between frames, right opens, left closes or goes to the caller. */
const PAGE_SCRIPT = `
const frames = () => [...document.querySelectorAll('summary')].filter((one) => one.checkVisibility())
document.addEventListener('click', ({ target }) => {
  const all = target.dataset?.all
  if (all) for (const one of document.querySelectorAll('details')) one.open = all === 'open'
})
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (target.tagName !== 'SUMMARY' || event.altKey || event.ctrlKey || event.metaKey) return
  const frame = target.parentElement
  const shown = frames()
  const at = shown.indexOf(target)
  let next
  if (key === 'ArrowDown') next = shown[at + 1]
  else if (key === 'ArrowUp') next = shown[at - 1]
  else if (key === 'Home') next = shown[0]
  else if (key === 'End') next = shown.at(-1)
  else if (key === 'ArrowRight') frame.open ? (next = frame.querySelector('details > summary:not(:scope > summary)')) : (frame.open = true)
  else if (key === 'ArrowLeft') frame.open ? (frame.open = false) : (next = frame.parentElement.closest('details')?.firstElementChild)
  else return
  event.preventDefault()
  next?.focus()
})
`
