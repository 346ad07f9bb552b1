/**
 * Prints how often the comments of `src/` use words that stand in the place of a name, per 1,000 words, and fails if one
 * is used more often than its limit: then it prints the lines that use it. Paths as arguments take the place of `src`.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { filesIn, ROOT } from '../test/tools/sources.ts'

interface Pattern {
  readonly name: string
  readonly words: RegExp
  /** Uses per 1,000 words. */
  readonly limit: number
}

/** The limits are what viem, hono and reth use at most, with some room. */
const PATTERNS: readonly Pattern[] = [
  { name: 'those', words: /\bthose\b/gi, limit: 0.4 },
  { name: 'what is', words: /\bwhat (is|the|it|was|they|a)\b/gi, limit: 0.3 },
  { name: 'of its own', words: /\bof (its|their) own\b/gi, limit: 0.05 },
  { name: 'another, other', words: /\b(another|others?)\b/gi, limit: 1.2 },
  { name: 'that of', words: /\bthat of\b/gi, limit: 0.05 },
]

interface Comment {
  readonly file: string
  /** The line on which it begins, from 1 on. */
  readonly line: number
  /** Its text without the marks of comments; each line is still a line. */
  readonly text: string
}

/** The comments of a file: what precedes or follows a node of its tree, as a comment in a string is none. */
function commentsOf(file: string): readonly Comment[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const ranges = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []
    const trailing = ts.getTrailingCommentRanges(source, node.getEnd()) ?? []
    for (const range of [...leading, ...trailing]) ranges.set(range.pos, range)
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  return [...ranges.values()].map(({ pos, end }) => ({
    file,
    line: tree.getLineAndCharacterOfPosition(pos).line + 1,
    text: source
      .slice(pos, end)
      .replace(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/)/gm, ' ')
      .replaceAll('*/', ' '),
  }))
}

/** The places where comments use a pattern, each with the words around it. */
function usesOf({ words }: Pattern, comments: readonly Comment[]): readonly string[] {
  return comments.flatMap(({ file, line, text }) =>
    [...text.matchAll(words)].map(({ index }) => {
      const at = line + text.slice(0, index).split('\n').length - 1
      const around = text
        .slice(Math.max(0, index - 50), index + 60)
        .replace(/\s+/g, ' ')
        .trim()
      return `  ${file}:${at}: ${around}`
    }),
  )
}

const paths = process.argv.slice(2)
const files = (paths.length === 0 ? ['src'] : paths).flatMap((path) =>
  path.endsWith('.ts') ? [relative(ROOT, path)] : filesIn(path).map((file) => join(path, file)),
)
const comments = files.flatMap(commentsOf)
const total = comments.reduce((sum, { text }) => sum + (text.match(/[A-Za-z][\w'-]*/g)?.length ?? 0), 0)
console.log(
  `${files.length} files have ${total.toLocaleString('en-US')} words of comments; uses per 1,000 words:`,
)
for (const pattern of PATTERNS) {
  const uses = usesOf(pattern, comments)
  const rate = (uses.length * 1000) / Math.max(total, 1)
  const isAbove = rate > pattern.limit
  console.log(
    `${pattern.name.padEnd(16)}${rate.toFixed(2).padStart(6)}  ${isAbove ? 'above' : 'within'} the limit of ${pattern.limit}`,
  )
  if (!isAbove) continue
  for (const use of uses) console.log(use)
  process.exitCode = 1
}
