/**
 * Finds in the text of a function what can have failed with an output, if the source map does not say it: with via-IR, the
 * optimiser moves what fails to the end of a code, and the place is lost.
 */
import type { Place } from './program.ts'
import type { Visit } from './recorder.ts'

/** What a panic fails in, by its code. */
const PANICS: Readonly<Record<number, RegExp>> = {
  1: /\bassert\s*\(/g,
  17: /\+\+|--|[-+*]/g,
  18: /[/%]/g,
  49: /\.pop\s*\(/g,
  50: /\[[^\]]+\]/g,
  65: /\bnew\b/g,
}

/** What a failure leaves in the text: a literal of its reason, the name of its error, or the code of its panic. */
export interface Evidence {
  readonly reason?: string | undefined
  readonly error?: string | undefined
  readonly panic?: number | undefined
}

/**
 * The place in the function that was executed last which fits the evidence: the only one, or the first that follows what was
 * executed last.
 *
 * @returns undefined if nothing fits, or if what was executed last fits itself.
 */
export function searchSource({ definition, place }: Visit, evidence: Evidence): Place | undefined {
  const { file } = place
  const pattern = patternOf(evidence)
  const { text, outline } = file
  if (pattern === undefined || text === undefined || outline === undefined || place.throws) return undefined
  const code = evidence.reason === undefined ? outline.code : text.characters
  const found = [...code.slice(definition.start, definition.end).matchAll(pattern)]
    .map(({ index }) => definition.start + index)
    .filter((at) => file.outline?.code[at] !== ' ' || evidence.reason !== undefined)
  const lineOf = (at: number): number | undefined => text.positionOf(at)?.line
  if (found.some((at) => lineOf(at) === lineOf(place.start))) return undefined
  const start = found.length === 1 ? found[0] : found.find((at) => at >= place.start)
  return start === undefined
    ? undefined
    : { ...place, start: startOfStatement(outline.code, start), isInside: true }
}

function patternOf({ reason, error, panic }: Evidence): RegExp | undefined {
  if (reason !== undefined && reason !== '') return new RegExp(escapePattern(JSON.stringify(reason)), 'g')
  if (error !== undefined) return new RegExp(`\\b${escapePattern(error)}\\s*\\(`, 'g')
  return panic === undefined ? undefined : PANICS[panic]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** The first character of the statement that contains a position. */
function startOfStatement(code: string, at: number): number {
  let start = at
  while (start > 0 && !';{}'.includes(code[start - 1]!)) start--
  while (start < at && /\s/.test(code[start]!)) start++
  return start
}
