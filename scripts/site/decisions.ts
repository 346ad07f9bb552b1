/** The page of decisions, made of the DECISIONS.md of each wing. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { CITATION, type Page, page, prose } from './markdown.ts'

/** An entry of a DECISIONS.md. */
export interface Decision {
  readonly wing: string
  readonly number: string
  readonly question: string
  /** The decision and what it costs, in paragraphs. */
  readonly text: string
}

/** The wings that have decisions. */
const WINGS = readdirSync('src').filter((wing) => existsSync(`src/${wing}/DECISIONS.md`))

/** The decisions of all wings, by wing and in their order. */
export function readDecisions(): readonly Decision[] {
  return WINGS.flatMap((wing) => {
    const [, ...entries] = readFileSync(`src/${wing}/DECISIONS.md`, 'utf8').split(/^## /m)
    return entries.map((entry) => {
      const [, number, question, text] = /^(\d+[a-z]?)\. (.+)\n([\s\S]*)$/.exec(entry) ?? []
      if (number === undefined) throw new Error(`src/${wing}/DECISIONS.md: no number in ${entry}`)
      return { wing, number, question: question!, text: text!.trim() }
    })
  })
}

/** The page of all decisions. */
export function decisionsPage(): Page {
  const decisions = readDecisions()
  const sections = WINGS.flatMap((wing) => [
    `## ${wing}`,
    ...decisions.filter((one) => one.wing === wing).flatMap(entryOf),
  ])
  return page(
    'internals/decisions.md',
    'Decisions',
    [
      'What was decided in the sources, and what it costs. A decision keeps its number, and missing numbers are not used. The ' +
        '[wire specification](/internals/spec) has the rules for what a chain answers.',
      ...sections,
    ],
    { order: 50 },
  )
}

function entryOf({ number, question, text }: Decision): readonly string[] {
  return [`### ${number}. ${question} {#${number}}`, ...text.split('\n\n').map(linked)]
}

/** A paragraph with its citations as links, which are code in the file. */
function linked(text: string): string {
  return prose(text.replace(new RegExp(`\`(${CITATION.source})\``, 'g'), '$1'))
}
