/**
 * Builds the package into `dist/`, unless `dist/` has been built from the same files already: the demo, the checks and the
 * trials of the package share one build.
 *
 * `--js` leaves out the declarations, which take most of the time.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'

/** The files and folders that a build depends on. */
const SOURCES = [
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'tsconfig.json',
  'tsup.config.ts',
  'wasm',
]

/** What `dist/` was built from. It is written last, and the next build removes it first. */
const STAMP = 'dist/build.json'

/** The hash of {@link SOURCES}. */
function hashSources(): string {
  const paths = SOURCES.flatMap((source) =>
    statSync(source).isFile()
      ? [source]
      : readdirSync(source, { recursive: true, encoding: 'utf8' }).map((path) => `${source}/${path}`),
  )
  const hash = createHash('sha256')
  for (const path of paths.sort()) {
    if (statSync(path).isFile()) hash.update(`${path}\0`).update(readFileSync(path)).update('\0')
  }
  return hash.digest('hex')
}

const isComplete = !process.argv.includes('--js')
const sources = hashSources()
const built = existsSync(STAMP) ? JSON.parse(readFileSync(STAMP, 'utf8')) : {}
if (built.sources !== sources || (isComplete && !built.isComplete)) {
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' })
  run('tsup', '--silent', ...(isComplete ? [] : ['--no-dts']))
  if (isComplete) {
    run('tsx', 'scripts/shrink.ts')
    run('tsx', 'scripts/notices.ts')
  }
  writeFileSync(STAMP, JSON.stringify({ sources, isComplete }))
}
