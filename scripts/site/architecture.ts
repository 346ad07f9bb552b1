/** ARCHITECTURE.md as a page, with a picture of the rooms and their imports, drawn from the sources. */
import { readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { filesIn, specifiersOf } from '../../test/tools/sources.ts'
import { FLOORS, roomOf, titleOf } from '../rooms.ts'
import { code, type Page, page } from './markdown.ts'

/** The pages of the files that ARCHITECTURE.md links to. */
const LINKS: Readonly<Record<string, string>> = {
  'docs/internals/glossary.md': '[The glossary](/internals/glossary)',
  'docs/internals/spec.md': '[the specification](/internals/spec)',
}

/** The page of the architecture. */
export function architecturePage(): Page {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
    .replace(/^# .*\n+/, '')
    .replace(
      /\[([^\]]+)\]\((?!http|#)([^)]+)\)/g,
      (_, shown: string, target: string) => LINKS[target] ?? code(shown),
    )
  const [before, after] = splitAfterWings(text)
  const picture = [
    '### The imports between rooms',
    'An arrow leads from a room to one that it imports. An import that also follows from other arrows is not drawn: what a ' +
      'room imports directly is within what it reaches.',
    roomsPicture(),
  ].join('\n\n')
  return page(
    'internals/architecture.md',
    'Architecture',
    [`${before.trim()}\n\n${picture}\n\n${after.trim()}`],
    { order: 10 },
  )
}

function splitAfterWings(text: string): readonly [string, string] {
  const mark = '<!-- end of wings -->\n'
  const at = text.indexOf(mark)
  if (at < 0) throw new Error('ARCHITECTURE.md has no section of the wings')
  return [text.slice(0, at), text.slice(at + mark.length)]
}

/** The rooms that each room imports, type imports included. */
export function importsOfRooms(): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>(FLOORS.flat().map(({ name }) => [name, new Set()]))
  for (const file of filesIn('src')) {
    const text = readFileSync(`src/${file}`, 'utf8')
    for (const specifier of specifiersOf(text).filter((one) => one.startsWith('.'))) {
      const target = roomOf(posix.join(dirname(file), specifier))
      if (target !== roomOf(file)) imports.get(roomOf(file))?.add(target)
    }
  }
  return imports
}

/** The imports without those that follow from others. */
function reduced(imports: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly [string, string])[] {
  const reaches = (from: string, to: string): boolean =>
    from === to || [...(imports.get(from) ?? [])].some((next) => reaches(next, to))
  return [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => [from, to] as const),
  )
}

const WIDTH = 880
const FLOOR = 74
const BOX_HEIGHT = 30

/** The rooms by floor, the lowest at the bottom, as SVG in the colours of the site. */
function roomsPicture(): string {
  const places = new Map<string, { readonly x: number; readonly y: number; readonly width: number }>()
  const floors = FLOORS.toReversed()
  for (const [at, rooms] of floors.entries()) {
    const widths = rooms.map(({ name }) => 22 + 8 * titleOf(name).length)
    const free = WIDTH - widths.reduce((sum, width) => sum + width, 0)
    const gap = free / (rooms.length + 1)
    let x = gap
    for (const [index, { name }] of rooms.entries()) {
      places.set(name, { x, y: at * FLOOR + 6, width: widths[index]! })
      x += widths[index]! + gap
    }
  }
  const arrows = reduced(importsOfRooms()).map(([from, to]) => {
    const [a, b] = [places.get(from)!, places.get(to)!]
    const [x1, y1, x2, y2] = [a.x + a.width / 2, a.y + BOX_HEIGHT, b.x + b.width / 2, b.y - 5].map(Math.round)
    const bend = Math.round((y2! - y1!) / 2)
    return `<path d="M${x1} ${y1}C${x1} ${y1! + bend} ${x2} ${y2! - bend} ${x2} ${y2}" marker-end="url(#room-arrow)"/>`
  })
  const boxes = [...places].map(([name, { x, y, width }]) => {
    const at = Math.round(x)
    return (
      `<rect x="${at}" y="${y}" width="${width}" height="${BOX_HEIGHT}" rx="6" style="fill:var(--vp-c-bg-soft);stroke:var(--vp-c-brand-1)"/>` +
      `<text x="${at + width / 2}" y="${y + 20}" text-anchor="middle">${titleOf(name)}</text>`
    )
  })
  const height = (floors.length - 1) * FLOOR + BOX_HEIGHT + 12
  return [
    '<div style="overflow-x:auto">',
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="The rooms of src by floor, and their imports" style="min-width:640px;width:100%;font:13px var(--vp-font-family-mono);fill:var(--vp-c-text-1)">`,
    '<defs><marker id="room-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:var(--vp-c-text-2)"/></marker></defs>',
    `<g style="fill:none;stroke:var(--vp-c-text-3);stroke-width:1.2">${arrows.join('')}</g>`,
    boxes.join(''),
    '</svg>',
    '</div>',
  ].join('\n')
}
