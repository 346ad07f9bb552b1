/** Writes the diagram and the table of rooms into ARCHITECTURE.md; a test compares the two. */
import { readFileSync, writeFileSync } from 'node:fs'
import { roomsSection } from './rooms.ts'

const text = readFileSync('ARCHITECTURE.md', 'utf8')
writeFileSync(
  'ARCHITECTURE.md',
  text.replace(/(?<=<!-- rooms -->\n)[\s\S]*?(?=<!-- end of rooms -->)/, () => `\n${roomsSection()}\n\n`),
)
