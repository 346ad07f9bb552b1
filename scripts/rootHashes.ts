/**
 * Brings `test/rootHashes.ts` up to date after a change of the default genesis or of how blocks are made: runs the tests
 * whose inline snapshots name its hashes, and reads each new value from the place of its name. With these the tests write
 * their snapshots once more: what then differs is another change, to be looked at.
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

/** Has vitest write the snapshots of all these files; returns its exit code. */
function writeSnapshots(): number {
  const args = ['vitest', 'run', '--project', 'node', ...before.keys(), '-u']
  return spawnSync('npx', args, { stdio: 'inherit' }).status ?? 1
}

writeSnapshots()
const found = new Map<string, string>()
for (const [file, text] of before) {
  const written = readFileSync(file, 'utf8').split('\n')
  for (const [at, line] of text.split('\n').entries()) noteHashes(line, written[at] ?? '')
  writeFileSync(file, text)
}
let source = readFileSync(HASHES, 'utf8')
for (const [name, hash] of found) source = source.replace(hashes.get(name)!, hash)
writeFileSync(HASHES, source)
process.exitCode = writeSnapshots()
console.log(`${found.size} hashes changed`)

/** Notes the hashes that a line has in the places of their names, if it is the same otherwise. */
function noteHashes(line: string, written: string): void {
  const names = namesIn(line)
  const pattern = names.reduce(
    (rest, name) => rest.replace(escapePattern(`<${name}>`), `(<${name}>|0x[0-9a-f]+)`),
    escapePattern(line),
  )
  const values = new RegExp(`^${pattern}$`).exec(written)?.slice(1) ?? []
  for (const [at, hash] of values.entries()) {
    const name = names[at]!
    // An abbreviated answer has no more than the beginning of a hash.
    if (hash.startsWith('0x') && hash.length >= (found.get(name)?.length ?? 0)) found.set(name, hash)
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
