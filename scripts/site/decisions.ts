/** A page for each decision of DESIGN.md, and their index. */
import { readFileSync } from 'node:fs'
import { type Page, page, prose, table } from './markdown.ts'

/** A row of DESIGN.md. */
interface Decision {
  readonly number: string
  readonly question: string
  readonly decision: string
}

/** The decisions in their order. */
export function readDecisions(): readonly Decision[] {
  const lines = readFileSync('DESIGN.md', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, number, question, decision] = /^\| (\d+[a-z]*) \| (.*?) (?<!\\)\| (.*) \|$/.exec(line) ?? []
    return number === undefined ? [] : [{ number, question: question!, decision: decision! }]
  })
}

/** The pages of `docs/internals/decisions/`. */
export function decisionPages(): readonly Page[] {
  const decisions = readDecisions()
  const numbers = new Set(decisions.map(({ number }) => number))
  /** Other decisions that a text names, as links. */
  const linked = (text: string): string =>
    prose(text.replaceAll('\\|', '|'))
      .replace(/\bdecision (\d+[a-z]*)/g, (whole, number: string) =>
        numbers.has(number) ? `[${whole}](/internals/decisions/${number})` : whole,
      )
      .replace(/\]\((?!\/|http|#)(?:\.\/)?docs\/([\w/-]+)\.md/g, '](/$1')
  return [
    page(
      'internals/decisions/index.md',
      'Decisions',
      [
        'Decisions for cases that the [wire specification](/internals/spec) leaves open, or that this project decides ' +
          'differently. A decision keeps its number; missing numbers are not used. Tests cite them as "design, decision N".',
        table(
          ['number', 'question'],
          decisions.map(({ number, question }) => [
            `[${number}](/internals/decisions/${number})`,
            linked(question),
          ]),
        ),
      ],
      { order: 50 },
    ),
    ...decisions.map(({ number, question, decision }, at) =>
      page(
        `internals/decisions/${number}.md`,
        headingOf({ number, question, decision }),
        [...sentences(linked(decision)), '[All decisions](/internals/decisions/)'],
        {
          listed: false,
          prev: linkTo(decisions[at - 1]),
          next: linkTo(decisions[at + 1]),
        },
      ),
    ),
  ]
}

const linkTo = (decision: Decision | undefined) =>
  decision && {
    text: headingOf(decision).replaceAll('`', ''),
    link: `/internals/decisions/${decision.number}`,
  }

const headingOf = ({ number, question }: Decision): string => `${number}. ${titleOf(question)}`

/** A question as a heading: without links, and not longer than a line. */
function titleOf(question: string): string {
  return capitalised(question.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('\\|', '|'))
}

/** A text as a sentence begins; names in code stay as they are. */
function capitalised(text: string): string {
  return /^[a-z]+[ ,:;-]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text
}

/** A decision in paragraphs of about four sentences. */
function sentences(text: string): readonly string[] {
  const paragraphs: string[] = []
  let current: string[] = []
  const whole = /[.:`]$/.test(text) && !text.endsWith('`') ? text : `${text}.`
  for (const sentence of capitalised(whole).split(/(?<=[.;])\s+(?=[A-Z`[])/)) {
    current.push(sentence)
    if (current.join(' ').length > 350) {
      paragraphs.push(current.join(' '))
      current = []
    }
  }
  if (current.length > 0) paragraphs.push(current.join(' '))
  return paragraphs
}
