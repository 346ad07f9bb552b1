/**
 * Checks the built package:
 * - `import` and `require` give the same exports;
 * - an entry imports no package except its peer dependency, and Node's modules only on demand or in the
 *   command line;
 * - no entry loads code of another entry, except classes of errors; `preseal/errors` loads nothing else;
 * - a class of errors is the same class in every entry that exports it;
 * - CJS assigns each export once;
 * - every pattern of the size limits matches a file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import SIZE_LIMITS from './sizeLimits.ts'

interface Metafile {
  readonly outputs: Record<string, Output>
}

interface Output {
  readonly entryPoint?: string
  readonly imports: readonly Import[]
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
}

interface Import {
  readonly path: string
  readonly kind: string
  readonly external?: boolean
}

/** The peer dependencies an entry may import, by the entry's name. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  cli: ['classic-level'],
  coverage: ['istanbul-lib-coverage', 'istanbul-lib-report', 'istanbul-reports'],
  coverageSetup: ['vitest'],
  ethers: ['ethers'],
  hardhat: ['hardhat'],
  playwright: ['@playwright/test'],
  viem: ['viem'],
  vitest: ['vitest'],
}

/** The most files that the core is imported from: each adds to the time of every start. See `addImports` in tsup.config.ts. */
const MAX_FILES = 3

const problems: string[] = []

interface Manifest {
  readonly name: string
  readonly exports: Record<string, unknown>
}

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const require = createRequire(import.meta.url)
const errors = `${manifest.name}/errors`
const ways = [
  { way: 'import', load: (path: string) => import(path) },
  { way: 'require', load: async (path: string) => require(path) },
]
for (const path of Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'))) {
  // Vitest alone can load it, and it exports nothing.
  if (path === './coverage/setup') continue
  const specifier = manifest.name + path.slice(1)
  const esm = Object.keys(await import(specifier)).sort()
  if (esm.length === 0) problems.push(`${specifier} exports nothing`)
  // Only `import` works, as vitest cannot be required. The map still has types for CJS: TypeScript treats a test in a
  // CJS package as CJS, while vitest runs it as an ES module.
  if (path === './vitest') continue
  const cjs = Object.keys(require(specifier)).sort()
  if (esm.join() !== cjs.join()) problems.push(`${specifier}: import gives ${esm}; require gives ${cjs}`)
  for (const { way, load } of ways) {
    const [classes, found] = await Promise.all([load(errors), load(specifier)])
    const other = Object.keys(classes).filter((name) => name in found && found[name] !== classes[name])
    if (other.length > 0) problems.push(`${way} of ${specifier} gives other classes than ${errors}: ${other}`)
  }
}

/** The sources that belong to one entry only, and that the others must not load. */
const OWN = {
  'src/kits/server/index.ts': /^(src\/kits\/server\/|node_modules\/ws\/)/,
  'src/kits/viem/index.ts': /^src\/kits\/viem\//,
  'src/kits/ethers/index.ts': /^src\/kits\/ethers\//,
  'src/kits/worker/index.ts': /^src\/kits\/worker\//,
  'src/inspect/explain/index.ts':
    /^src\/inspect\/explain\/(host|html|index|json|loadArtifacts|page|text)\.ts$/,
  'src/kits/coverage/index.ts': /^src\/kits\/coverage\//,
  'src/kits/hardhat/index.ts': /^src\/kits\/hardhat\//,
  'src/kits/playwright/index.ts': /^src\/kits\/playwright\//,
  'src/kits/prool/index.ts': /^src\/kits\/prool\//,
  'src/kits/vitest/index.ts': /^src\/kits\/vitest\//,
  'src/kits/cli/index.ts': /^src\/kits\/cli\//,
}

/** The entries that are made of others. */
const MADE_OF: Readonly<Record<string, keyof typeof OWN>> = {
  'src/kits/playwright/index.ts': 'src/kits/server/index.ts',
  'src/kits/prool/index.ts': 'src/kits/server/index.ts',
}

/** The sources that `preseal/errors` may load: classes of errors, what finds a trace on them, and what the build adds to every file. */
const OF_ERRORS =
  /^src\/((\w+\/)*errors\.ts|kits\/errors\/index\.ts|base\/(printable|textEncoding|solidityTrace)\.ts)$/

/** All files that are loaded with a file; with `onDemand`, also those of its dynamic imports. */
function importedBy(
  { outputs }: Metafile,
  file: string,
  onDemand: boolean,
  seen = new Set<string>(),
): string[] {
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if ((kind === 'dynamic-import' && !onDemand) || seen.has(path)) continue
    seen.add(path)
    importedBy({ outputs }, path, onDemand, seen)
  }
  return [...seen]
}

/** The sources of other entries that an entry loads. */
function foreignTo(metafile: Metafile, output: string, entryPoint: string): string[] {
  const others = Object.entries(OWN).filter(
    ([entry]) => entry !== entryPoint && entry !== MADE_OF[entryPoint],
  )
  const isForeign = (path: string): boolean =>
    entryPoint === 'src/kits/errors/index.ts'
      ? !OF_ERRORS.test(path)
      : others.some(([, own]) => own.test(path))
  return [output, ...importedBy(metafile, output, true)]
    .flatMap((file) => Object.entries(metafile.outputs[file]?.inputs ?? {}))
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && isForeign(path))
    .map(([path]) => path)
}

/** The files that the command line loads, and no other entry. */
function loadedByCommandLine(metafile: Metafile): ReadonlySet<string> {
  const loadedBy = (isCommandLine: boolean): string[] =>
    Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint?.endsWith('/index.ts'))
      .filter(([, { entryPoint }]) => (entryPoint === 'src/kits/cli/index.ts') === isCommandLine)
      .flatMap(([output]) => importedBy(metafile, output, true))
  const others = new Set(loadedBy(false))
  return new Set(loadedBy(true).filter((file) => !others.has(file)))
}

for (const format of ['esm', 'cjs']) {
  const metafile: Metafile = JSON.parse(readFileSync(`dist/metafile-${format}.json`, 'utf8'))
  const ofCommandLine = loadedByCommandLine(metafile)
  for (const [output, { imports, entryPoint }] of Object.entries(metafile.outputs)) {
    const entry = ofCommandLine.has(output) ? 'dist/cli.js' : output
    for (const { path, external } of imports) {
      if (external && !path.startsWith('node:') && !isPeer(entry, path))
        problems.push(`${output} imports ${path}`)
    }
    if (entryPoint === 'src/index.ts') {
      const { length } = importedBy(metafile, output, false)
      if (length > MAX_FILES)
        problems.push(`${output} imports ${length} files: expected at most ${MAX_FILES}`)
    }
    if (entryPoint?.endsWith('/index.ts') && entryPoint !== 'src/kits/cli/index.ts') {
      const needed = importedBy(metafile, output, false).filter((path) => path.startsWith('node:'))
      if (needed.length > 0) problems.push(`${output} cannot be loaded without ${needed}`)
      const foreign = foreignTo(metafile, output, entryPoint)
      if (foreign.length > 0) problems.push(`${output} loads ${foreign}`)
    }
  }
}

for (const file of readdirSync('dist').filter((file) => /\.d\.c?ts$/.test(file))) {
  const declarations = readFileSync(`dist/${file}`, 'utf8')
  for (const [, path] of declarations.matchAll(/(?:from |import\(|import )['"]([^'"]+)['"]/g)) {
    if (!path?.startsWith('.') && !isPeer(file, path!)) problems.push(`dist/${file} refers to ${path}`)
  }
}

// The conversion to CJS takes an assignment to a private field for one to the export of the same name.
for (const file of readdirSync('dist').filter((file) => file.endsWith('.cjs'))) {
  const names = [...readFileSync(`dist/${file}`, 'utf8').matchAll(/(?<!\.)\bexports\.(\w+) ?=(?!=)/g)].map(
    ([, name]) => name,
  )
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  if (twice.length > 0) problems.push(`dist/${file} assigns twice to its exports ${twice}`)
}

// Otherwise the size of a file that is gone would be none.
const files = readdirSync('dist').map((file) => `../dist/${file}`)
for (const { name, path } of SIZE_LIMITS) {
  const [start = '', end] = path.split('*')
  const found = files.filter((file) =>
    end === undefined ? file === path : file.startsWith(start) && file.endsWith(end),
  )
  if (found.length !== 1) problems.push(`the size limit "${name}" is of ${found.length} files: expected one`)
}

/** Whether a file of the package is an entry whose peer dependency `path` belongs to. */
function isPeer(file: string, path: string): boolean {
  const peers = PEERS[/(?<entry>[^/.]+)\.(?:js|cjs|d\.ts|d\.cts)$/.exec(file)?.groups?.['entry'] ?? '']
  return peers?.some((peer) => path === peer || path.startsWith(`${peer}/`)) === true
}

if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log('import and require give the same exports; no package but the peer dependencies is imported')
