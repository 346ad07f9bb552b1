/**
 * Compares the declarations of the built package with `etc/*.api.md`, one file per entry; with `--update`,
 * writes these files.
 *
 * A type that an export refers to is part of the surface too, exported or not, and is listed with it. The
 * declarations of the main entry are not repeated in the other files.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly import: { readonly types: string } }>>
}

const FOLDER = 'etc'
const MAIN = 'index'

const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.values(manifest.exports)
  .filter((entry) => typeof entry !== 'string')
  .map(({ import: { types } }) => ({ types, name: basename(types, '.d.ts') }))

/** API Extractor's report on an entry, split into its declarations. */
function reportOf(types: string, name: string, folder: string): string[] {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const silent = { default: { logLevel: ExtractorLogLevel.None } }
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: resolve('package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: resolve('.'),
      mainEntryPointFilePath: resolve(types),
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      newlineKind: 'lf',
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: folder,
        reportTempFolder: join(folder, 'temporary'),
        includeForgottenExports: true,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
  })
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true
    },
  })
  return readFileSync(join(folder, `${name}.api.md`), 'utf8').split('\n\n')
}

/** The declaration without `export`, as an entry's report contains it if that entry does not export it. */
const unexported = (declaration: string) => declaration.replace(/^export /m, '')

const temporary = mkdtempSync(join(tmpdir(), 'preseal-api-'))
const main = reportOf(entries.find(({ name }) => name === MAIN)!.types, MAIN, temporary)
const known = new Set(main.filter((part) => part.startsWith('// @')).map(unexported))
const reports = new Map<string, string>(
  entries.map(({ types, name }) => {
    const parts = name === MAIN ? main : reportOf(types, name, temporary)
    const own = name === MAIN ? parts : parts.filter((part) => /^export /m.test(part) || !known.has(part))
    return [`${name}.api.md`, own.join('\n\n')] as const
  }),
)

if (process.argv.includes('--update')) {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  for (const [file, text] of reports) writeFileSync(join(FOLDER, file), text)
} else {
  const files = new Set([...reports.keys(), ...(existsSync(FOLDER) ? readdirSync(FOLDER) : [])])
  for (const file of files) {
    const [before, after] = [join(FOLDER, file), join(temporary, file)]
    const text = reports.get(file)
    if (text !== undefined && existsSync(before) && readFileSync(before, 'utf8') === text) continue
    if (text !== undefined) writeFileSync(after, text)
    const paths = [before, after].map((path) => (existsSync(path) ? path : '/dev/null'))
    spawnSync('git', ['--no-pager', 'diff', '--no-index', '--', ...paths], { stdio: 'inherit' })
    process.exitCode = 1
  }
  if (process.exitCode === 1) {
    console.error('The declarations differ from etc/. If that is meant: npm run api -- --update')
  } else {
    console.log('the declarations are those of etc/')
  }
}
rmSync(temporary, { recursive: true })
