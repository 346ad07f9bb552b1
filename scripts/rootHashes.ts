/**
 * Brings `test/rootHashes.ts` up to date after a change of the default genesis or of how blocks are made: runs the tests
 * whose inline snapshots name its hashes, and reads each new value from the place of its name. The snapshots keep their
 * names; what else has changed in one stays changed, to be looked at.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT_HASHES } from '../test/rootHashes.ts'

const HASHES = 'test/rootHashes.ts'
const NAME = /<([^<>]+)>/g

const hashes = new Map<string, string>(Object.entries(ROOT_HASHES))
const namesIn = (line: string): string[] =>
  [...line.matchAll(NAME)].map((match) => match[1]!).filter((name) => hashes.has(name))

const before = new Map(
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => [`test/${file}`, readFileSync(`test/${file}`, 'utf8')] as const)
    .filter(([, text]) => namesIn(text).length > 0),
)

const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'node', ...before.keys(), '-u'], {
  stdio: 'inherit',
})

const found = new Map<string, string>()
for (const [file, text] of before) {
  const lines = text.split('\n')
  const written = readFileSync(file, 'utf8').split('\n')
  if (written.length !== lines.length) throw new Error(`${file} has other lines than before: mend it by hand`)
  const kept = lines.map((line, at) => (renames(line, written[at]!) ? line : written[at]))
  writeFileSync(file, kept.join('\n'))
}

let source = readFileSync(HASHES, 'utf8')
for (const [name, hash] of found) source = source.replace(hashes.get(name)!, hash)
writeFileSync(HASHES, source)
console.log(`${found.size} hashes changed`)
process.exitCode = status ?? 1

/** Whether all that has changed in a line is hashes in the places of their names, which are noted. */
function renames(line: string, written: string): boolean {
  const names = namesIn(line)
  const pattern = names.reduce(
    (rest, name) => rest.replace(escapePattern(`<${name}>`), `(<${name}>|0x[0-9a-f]+)`),
    escapePattern(line),
  )
  const match = new RegExp(`^${pattern}$`).exec(written)
  if (match === null) return false
  for (const [at, name] of names.entries()) {
    const hash = match[at + 1]!
    // An abbreviated answer has no more than the beginning of a hash.
    if (hash.startsWith('0x') && hash.length >= (found.get(name)?.length ?? 0)) found.set(name, hash)
  }
  return true
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
