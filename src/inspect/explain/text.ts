/** Writes explanations as text and JSON. */

import { wantsColors } from './host.ts'
import {
  type ExplainedFrame,
  type Explanation,
  endLine,
  headLine,
  isOneLine,
  itemLine,
  type LineContext,
  linesOfSolidity,
  type Part,
  type Style,
  shownItems,
} from './tree.ts'

/** Options of {@link explanationToText}. */
export interface ExplanationTextOptions {
  /** Whether to use ANSI colours; default: true if the output is a terminal and `NO_COLOR` is not set. */
  readonly colors?: boolean | undefined
}

/** Select Graphic Rendition of ECMA-48. */
const SGR: Readonly<Record<Style, string | undefined>> = {
  plain: undefined,
  dim: '2',
  contract: '32',
  good: '32',
  bad: '31',
  event: '36',
  console: '33',
}

/**
 * Returns an explanation as text, like `forge test -vvvv`. Cuts values over 500 characters and frames below level 64.
 *
 * @example
 * console.log(explanationToText(await chain.explain(hash, { artifacts })))
 */
export function explanationToText(
  explanation: Explanation,
  { colors = wantsColors() }: ExplanationTextOptions = {},
): string {
  const paint = ({ style, text }: Part): string => {
    const code = SGR[style]
    return colors && code !== undefined ? `\x1b[${code}m${text}\x1b[0m` : text
  }
  const context: LineContext = { names: explanation.names, withNames: false }
  const lines: string[] = []
  const add = (prefix: string, parts: readonly Part[]): void =>
    void lines.push(prefix + parts.map(paint).join(''))

  const addFrame = (frame: ExplainedFrame, prefix: string, depth: number): void => {
    const { items, omitted } = shownItems(frame, depth)
    for (const item of items) {
      add(`${prefix}├─ `, itemLine(item, context))
      if (item.kind === 'frame' && !isOneLine(item)) addFrame(item, `${prefix}│   `, depth + 1)
    }
    if (omitted) add(`${prefix}├─ `, omitted)
    add(`${prefix}└─ `, endLine(frame, context))
  }

  add('', headLine(explanation))
  add('  ', itemLine(explanation.root, context))
  if (!isOneLine(explanation.root)) addFrame(explanation.root, '    ', 1)
  for (const [i, text] of linesOfSolidity(explanation).entries())
    add('', [{ style: i === 0 ? 'bad' : 'plain', text }])
  for (const note of explanation.notes) add('', [{ style: 'dim', text: `note: ${note}` }])
  return `${lines.join('\n')}\n`
}

/** Returns an explanation as JSON, with bigints as decimal strings. @param indent - spaces per level; default: none. */
export function explanationToJson(explanation: Explanation, indent?: number): string {
  const replace = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)
  return JSON.stringify(explanation, replace, indent)
}
