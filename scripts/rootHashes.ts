/**
 * Updates `test/rootHashes.ts` after a change of the default genesis or of how blocks are made.
 *
 * The tests whose inline snapshots contain names of hashes rewrite these snapshots; each new hash is read
 * where its name was. Then the tests are restored and run again with the new hashes. A snapshot that still
 * changes has another cause, and must be reviewed.
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

/** Rewrites the snapshots of these files; returns vitest's exit code. */
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

/** Collects the hashes that replaced names in a line, if the line is otherwise unchanged. */
function noteHashes(line: string, written: string): void {
  const names = namesIn(line)
  const pattern = names.reduce(
    (rest, name) => rest.replace(escapePattern(`<${name}>`), `(<${name}>|0x[0-9a-f]+)`),
    escapePattern(line),
  )
  const values = new RegExp(`^${pattern}$`).exec(written)?.slice(1) ?? []
  for (const [at, hash] of values.entries()) {
    const name = names[at]!
    // An abbreviated answer contains only the beginning of a hash.
    if (hash.startsWith('0x') && hash.length >= (found.get(name)?.length ?? 0)) found.set(name, hash)
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
