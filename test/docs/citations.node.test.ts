/** What code, tests and documents cite of the specification and of the decisions is there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDecisions } from '../../scripts/site/decisions.ts'
import { CITATION } from '../../scripts/site/markdown.ts'
import { filesIn, ROOT } from '../tools/sources.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const SPEC = read('docs/internals/spec.md')
const DECISIONS = readDecisions()

/** The numbers that each file has: sections as `§2.5`, rules and decisions as `33h`. */
const NUMBERS = new Map<string, Set<string>>([
  [
    'spec.md',
    new Set([
      ...[...SPEC.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => `§${number}`),
      ...[...SPEC.matchAll(/^- <a id="(\w+)"><\/a>\1\. /gm)].map(([, number]) => number!),
    ]),
  ],
])
for (const { wing, number } of DECISIONS) {
  const file = `${wing}/DECISIONS.md`
  NUMBERS.set(file, (NUMBERS.get(file) ?? new Set()).add(number))
}

/** The files that may cite: sources, tests, scripts and documents. */
const files = [
  ...['src', 'test', 'scripts', 'bench', 'examples', 'docs/snippets'].flatMap((folder) =>
    filesIn(folder).map((file) => `${folder}/${file}`),
  ),
  ...['.', 'bench', 'docs', 'src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
].filter((file) => !file.includes('node_modules') && existsSync(join(ROOT, file)))

/** A source without the marks of comments, so that a citation may be wrapped. */
const textOf = (file: string) => read(file).replace(/\n *(\*|\/\/) ?/g, '\n')

describe('citations', () => {
  const cited = files.flatMap((file) =>
    [...textOf(file).matchAll(CITATION)].flatMap(([, source, numbers]) =>
      numbers!.split(/,\s+/).map((number) => ({ file, source: source!, number })),
    ),
  )

  it('name a section, a rule or a decision that exists', () => {
    expect(cited.length).toBeGreaterThan(100)
    const broken = cited.filter(({ source, number }) => !NUMBERS.get(source)?.has(number))
    expect(broken).toEqual([])
  })

  it('have no other form', () => {
    const OTHER = /\bdesign, (decision|row)|\b(spec|DECISIONS)\.md,? (row|rule|decision)s? \d/
    expect(files.filter((file) => OTHER.test(textOf(file)))).toEqual([])
  })
})

describe('rules', () => {
  it('name the fields of the events that they define', () => {
    const types = read('src/base/eventTypes.ts')
    const declared = types.split('interface Retraction {')[1]!.split('\n}')[0]!
    const [, fields] = /\*\*`retracted`\*\* is `\{ (.+?) \}`/.exec(SPEC)!
    expect(fields!.split(', ')).toEqual([...declared.matchAll(/readonly (\w+):/g)].map(([, name]) => name))
  })
})

describe('numbers', () => {
  it('are used once, in the specification or in a wing', () => {
    const numbers = [...NUMBERS.values()].flatMap((each) => [...each])
    expect(numbers).toEqual([...new Set(numbers)])
    expect(numbers).toHaveLength(NUMBERS.get('spec.md')!.size + DECISIONS.length)
  })
})

describe('a decision', () => {
  it('is a question, an answer and a cost, in at most eight lines', () => {
    const wrong = DECISIONS.filter(({ question, text }) => {
      const lines = [question, ...text.split('\n').filter((line) => line !== '')]
      const isLong = lines.length > 8 || lines.some((line) => line.length > 130)
      return isLong || !question.endsWith('?') || !/\n\nCost: .+/.test(text)
    })
    expect(wrong.map(({ number }) => number)).toEqual([])
  })
})
