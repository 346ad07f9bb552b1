/**
 * The size limits of the package, for size-limit: minified and gzipped, as a page loads it.
 *
 * An import that is only loaded on demand is not counted: the metafile of the build says which these are.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A row of the size limits. */
export interface SizeLimit {
  readonly name: string
  /** A file of `dist/`, or a pattern of one, from this folder. */
  readonly path: string
  readonly import?: '*'
  readonly limit: string
  readonly gzip: true
  /** Imports that are not counted: files and patterns relative to `dist/`, or modules of Node. */
  readonly ignore: readonly string[]
}

interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
  >
}

const ROOT = join(import.meta.dirname, '..')
const METAFILE = join(ROOT, 'dist/metafile-esm.json')

/** Empty before the first build. */
const OUTPUTS = existsSync(METAFILE)
  ? (JSON.parse(readFileSync(METAFILE, 'utf8')) as Metafile).outputs
  : ({} as Metafile['outputs'])

/** The files of `dist/` that a file imports, as they are imported. */
function importsOf(output: Metafile['outputs'][string] | undefined, kind: string): readonly string[] {
  const paths = output?.imports.filter((one) => one.kind === kind).map(({ path }) => path) ?? []
  return paths.filter((path) => path.startsWith('dist/')).map((path) => path.replace('dist/', './'))
}

/** The files that are loaded on demand. */
const ON_DEMAND = [
  ...new Set(Object.values(OUTPUTS).flatMap((output) => importsOf(output, 'dynamic-import'))),
]

/** The files that are loaded with the chain. */
const WITH_CHAIN = new Set(['./index.js'])
for (const file of WITH_CHAIN) {
  for (const path of importsOf(OUTPUTS[file.replace('./', 'dist/')], 'import-statement')) WITH_CHAIN.add(path)
}

/** Files that several entries load. */
const CHUNKS = './chunk-*'

/** What a chain loads on demand until its first block is sealed. */
const FIRST_BLOCK = /^\.\/(blockchain|memoryDatabase|presealEngine|secp256k1Wasm)-/

/** An entry with all that it loads at once. */
const entry = (
  name: string,
  file: string,
  limit: string,
  ignore: readonly string[] = ON_DEMAND,
): SizeLimit => ({
  name,
  path: `../dist/${file}.js`,
  import: '*',
  limit,
  gzip: true,
  ignore,
})

/** An entry without the chain, which its user has loaded. */
const withoutChain = (file: string, limit: string): SizeLimit =>
  entry(`preseal/${file}, without the chain`, file, limit, [
    ...ON_DEMAND,
    './index.js',
    './server.js',
    CHUNKS,
  ])

/** What is loaded on demand, without what it shares. */
const lazy = (name: string, file: string, limit: string): SizeLimit => ({
  name: `${name}, loaded on demand, without what it shares`,
  path: `../dist/${file}-*.js`,
  limit,
  gzip: true,
  ignore: [...ON_DEMAND, './index.js', CHUNKS],
})

/** What is loaded on demand, with what it shares with other files that are. */
const whole = (name: string, file: string, limit: string): SizeLimit => ({
  name: `${name}, loaded on demand, with what it shares`,
  path: `../dist/${file}-*.js`,
  limit,
  gzip: true,
  ignore: [...ON_DEMAND, ...WITH_CHAIN],
})

/** The rows, by the name that `npm run size` prints. */
const SIZE_LIMITS: readonly SizeLimit[] = [
  entry('imported statically', 'index', '107.4 kB'),
  entry(
    'loaded by a chain until its first sealed block',
    'index',
    '167.7 kB',
    ON_DEMAND.filter((file) => !FIRST_BLOCK.test(file)),
  ),
  lazy('secp256k1', 'secp256k1Wasm', '21 kB'),
  lazy('typed data', 'typedData', '6.5 kB'),
  lazy('validation and execution of imported blocks', 'executeBlock', '3 kB'),
  whole('KZG', 'kzg', '51.5 kB'),
  whole('execution by @ethereumjs', 'ethereumjsBlockRunner', '143.5 kB'),
  lazy('compilation of code that runs for long', 'compiledCode', '11 kB'),
  lazy('call trees', 'explain', '4.8 kB'),
  lazy('a database of a page', 'browserDatabase', '17.5 kB'),
  entry('preseal/errors', 'errors', '7.1 kB'),
  entry('preseal/server', 'server', '10.3 kB'),
  {
    name: 'the Node server, loaded on demand',
    path: '../dist/server.node.js',
    limit: '25.8 kB',
    gzip: true,
    ignore: ['node:*'],
  },
  entry('preseal/viem', 'viem', '5.2 kB'),
  entry('preseal/ethers', 'ethers', '2.8 kB'),
  entry('preseal/worker', 'worker', '9.6 kB'),
  withoutChain('coverage', '7.2 kB'),
  withoutChain('explain', '2.6 kB'),
  withoutChain('gas', '1.3 kB'),
  withoutChain('hardhat', '1.2 kB'),
  withoutChain('playwright', '11.8 kB'),
  withoutChain('prool', '1.3 kB'),
  withoutChain('vitest', '3.3 kB'),
]

export default SIZE_LIMITS
