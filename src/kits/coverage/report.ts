/** Writes coverage reports with istanbul's packages. */

import type { ContentWriter, FileWriter } from 'istanbul-lib-report'
import { InvalidOptionError } from '../../base/errors.ts'
import { type Read, readBuildInfos } from '../../inspect/solidity/folder.ts'
import { type CoverageData, createCoverage } from './createCoverage.ts'
import { ReportersMissingError } from './errors.ts'
import { clearCoverage, FOLDER, isOwnSource, readExecuted, resolvePath } from './files.ts'

/** The options of reports. */
export interface CoverageOptions {
  /** The folder with build info that Hardhat (`'artifacts'`) or Foundry (`'out'`) writes, or a list of build infos. */
  readonly artifacts: string | readonly object[]
  /** The folder of the reports; by default `'coverage'`. */
  readonly folder?: string | undefined
  /** The names of istanbul's reports; by default `['text', 'html', 'lcovonly', 'json']`. */
  readonly reporters?: readonly string[] | undefined
  /** Whether to report a source, by path; by default all that are not installed in `node_modules` or `lib`. */
  readonly includes?: ((path: string) => boolean) | undefined
  /** The folder of the project, to which paths are relative; by default the working directory. */
  readonly root?: string | undefined
}

/** The coverage of a project. */
export interface CoverageReport {
  /** In the form of istanbul's `CoverageMapData`, by absolute path. */
  readonly data: CoverageData
  /** Reasons why the coverage may be incomplete or wrong, such as code without build info; a few dozen at most. */
  readonly notes: readonly string[]
}

const REPORTERS = ['text', 'html', 'lcovonly', 'json'] as const

/**
 * Computes the coverage as {@link reportCoverage} does, but writes no reports.
 *
 * @throws InvalidOptionError, CoverageFilesError
 */
export function readCoverage(options: CoverageOptions): CoverageReport {
  const { data, notes } = makeCoverage(options)
  return { data, notes }
}

/**
 * Computes the coverage from the counts that processes wrote by `saveCoverage`, and writes the reports.
 *
 * @throws InvalidOptionError, CoverageFilesError
 * @throws ReportersMissingError if istanbul's packages are not installed
 */
export async function reportCoverage(options: CoverageOptions): Promise<CoverageReport> {
  const { data, notes, sources, folder } = makeCoverage(options)
  const { coverage, report, reports } = await loadIstanbul()
  const context = report.createContext({
    dir: folder,
    coverageMap: coverage.createCoverageMap(data),
    sourceFinder: (path) => sources.get(path) ?? '',
  })
  writeAccessiblePages(context.writer)
  const projectRoot = resolvePath(options.root ?? '.')
  for (const name of options.reporters ?? REPORTERS) reports.create(name, { projectRoot }).execute(context)
  return { data, notes }
}

function makeCoverage({ artifacts, folder, includes, root }: CoverageOptions) {
  const base = resolvePath(root ?? '.')
  const target = resolvePath(base, folder ?? 'coverage')
  const infos = readArtifacts(artifacts, base)
  const executed = readExecuted(target)
  const made = createCoverage(infos.values, executed.values, includes ?? ((path) => isOwnSource(base, path)))
  const notes = [...infos.notes, ...executed.notes].slice(0, MAX_FILE_NOTES)
  const sources = new Map([...made.sources].map(([path, text]) => [resolvePath(base, path), text]))
  const data: CoverageData = {}
  for (const [path, file] of Object.entries(made.data)) {
    const absolute = resolvePath(base, path)
    data[absolute] = { ...file, path: absolute }
  }
  return { data, notes: [...notes, ...made.notes], sources, folder: target }
}

const MAX_FILE_NOTES = 10

function readArtifacts(artifacts: CoverageOptions['artifacts'], root: string): Read<unknown> {
  // Never undefined, as `resolvePath` throws without Node.
  if (typeof artifacts === 'string') return readBuildInfos(resolvePath(root, artifacts))!
  if (Array.isArray(artifacts)) return { values: artifacts, notes: [] }
  throw new InvalidOptionError('artifacts', "a folder such as 'artifacts', or a list of build infos")
}

async function loadIstanbul() {
  try {
    const [coverage, report, reports] = await Promise.all([
      import('istanbul-lib-coverage'),
      import('istanbul-lib-report'),
      import('istanbul-reports'),
    ])
    return { coverage: coverage.default, report: report.default, reports: reports.default }
  } catch (error) {
    throw new ReportersMissingError(error)
  }
}

// Accessible pages of istanbul's HTML reports: adds landmarks, labels, contrast and a dark scheme.

/** Makes a writer, and the writers of its folders, write accessible pages; leaves other files unchanged. */
export function writeAccessiblePages(writer: FileWriter): FileWriter {
  const writeFile = writer.writeFile.bind(writer)
  const writerForDir = writer.writerForDir.bind(writer)
  return Object.assign(writer, {
    writeFile: (file: string | null) =>
      file?.endsWith('.html') ? collectPage(writeFile(file)) : writeFile(file),
    writerForDir: (folder: string) => writeAccessiblePages(writerForDir(folder)),
  })
}

function collectPage(writer: ContentWriter): ContentWriter {
  const write = writer.write.bind(writer)
  const close = writer.close.bind(writer)
  let page = ''
  return Object.assign(writer, {
    write(text: string) {
      page += text
    },
    close() {
      write(toAccessiblePage(page))
      close()
    },
  })
}

/** Expressions with their replacements: of the first match, or of all matches if the expression is global. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/<div class='wrapper'>/, "<div class='wrapper' role='main'>"],
  [/<div class='footer /, "<div role='contentinfo' class='footer "],
  [/(<input type="search" id="fileSearch")/, '$1 aria-label="Filter"'],
  [/(class="pic")><\/th>/, '$1><span class="unseen">Share of statements</span></th>'],
  [/(data-col="(\w+)_raw"[^>]*)><\/th>/g, '$1><span class="unseen">Covered $2 of all</span></th>'],
]

/** Makes a page of istanbul's report `html` accessible; leaves pages of other reports unchanged. */
export function toAccessiblePage(page: string): string {
  const replaced = REPLACEMENTS.reduce((text, [from, to]) => text.replace(from, to), page)
  // The style comes after istanbul's style sheets. A function returns it, as `$` is special in a replacement text.
  return replaced === page ? page : replaced.replace('</head>', () => `<style>${STYLE}</style>\n</head>`)
}

/** Each color has a contrast of at least 4.5 on each background where it occurs. */
const STYLE = `
:root { color-scheme: light dark; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.quiet a, .coverage-summary td.empty { opacity: 1; }
h1 a, .footer a { text-decoration: underline; }
.highlighted, .highlighted .cstat-no, .highlighted .fstat-no, .highlighted .cbranch-no {
  outline: 3px solid #c21f39;
}
.missing-if-branch * { color: inherit !important; }
@media (prefers-color-scheme: light) {
  a { color: #00509e; }
  .quiet, .coverage-summary td.empty { color: #555; }
  .highlighted, .highlighted .cstat-no, .highlighted .fstat-no { background: #f6c6ce !important; }
  .highlighted .cbranch-no, .cbranch-no.highlighted { background: yellow !important; }
  .com { color: #4a4a4a !important; }
  .str, .atv { color: #050; }
  .kwd, .tag { color: #008; }
  .typ, .atn, .dec, .var { color: #606; }
  .lit { color: #044; }
  .pun, .opn, .clo { color: #440; }
  .fun { color: #800; }
}
@media (prefers-color-scheme: dark) {
  body { background: #15181c; color: #e6e6e6; }
  a, div.path a:link, div.path a:visited { color: #8cc0ff; }
  .quiet, .coverage-summary td.empty { color: #b8bcc2; }
  .fraction { background: #333940; color: #dde1e6; }
  .coverage-summary tr, .coverage-summary td, .coverage-summary tbody { border-color: #4a5058; }
  .coverage-summary .sorter { filter: invert(1); }
  .cover-empty { background: #15181c; }
  .low, .cline-no { background: #47191f; }
  .medium { background: #423807; }
  .high, .cline-yes { background: #20350f; }
  span.cline-neutral { background: #282d33; }
  .status-line.low, .low .cover-fill { background: #e0566c; }
  .status-line.medium, .medium .cover-fill { background: #f9cd0b; }
  .status-line.high, .high .cover-fill { background: #6fbf44; }
  .low .chart { border-color: #e0566c; }
  .high .chart { border-color: #6fbf44; }
  .cstat-no, .fstat-no, .highlighted, .highlighted .cstat-no, .highlighted .fstat-no { background: #6b2430 !important; }
  .cbranch-no, .highlighted .cbranch-no, .cbranch-no.highlighted { background: #544a00 !important; color: #fff; }
  .cstat-skip, .fstat-skip, .cbranch-skip { background: #3a4047 !important; color: #e6e6e6 !important; }
  .highlighted, .highlighted .cstat-no, .highlighted .fstat-no, .highlighted .cbranch-no { outline-color: #ff8fa3; }
  .missing-if-branch { background: #f5e663; color: #111; }
  .pln { color: #e6e6e6; }
  .com { color: #c4c8cd !important; }
  .str, .atv { color: #a8e6a8; }
  .kwd, .tag { color: #b3ceff; }
  .typ, .atn, .dec, .var { color: #e8c2ff; }
  .lit { color: #9ae6e6; }
  .pun, .opn, .clo { color: #e6e6b8; }
  .fun { color: #ffc2ba; }
}
`

interface VitestContext {
  readonly vitest: {
    readonly config: { readonly root: string; readonly reporters: unknown[] }
    readonly logger: { log(...lines: unknown[]): void }
  }
  readonly project: {
    readonly config: { readonly setupFiles: string[] }
    provide(key: string, value: string): void
  }
}

/** A plugin for `plugins` of vitest's configuration. */
export interface SolidityCoveragePlugin {
  readonly name: string
  /** Called by vitest. */
  configureVitest(context: object): void
}

/**
 * Reports the Solidity coverage of vitest's tests, of all workers together.
 *
 * @example
 * export default defineConfig({ plugins: [solidityCoverage({ artifacts: 'artifacts' })] })
 */
export function solidityCoverage(options: CoverageOptions): SolidityCoveragePlugin {
  // Adds one reporter per run, even if several projects extend the configuration.
  let reported: unknown
  return {
    name: 'preseal:solidity-coverage',
    configureVitest(context) {
      const { vitest, project } = context as VitestContext
      const root = options.root ?? vitest.config.root
      const folder = resolvePath(root, options.folder ?? 'coverage')
      project.config.setupFiles.push('preseal/coverage/setup')
      project.provide(FOLDER, folder)
      if (reported === vitest) return
      reported = vitest
      vitest.config.reporters.push({
        onTestRunStart: () => clearCoverage(folder),
        async onTestRunEnd() {
          const { notes } = await reportCoverage({ ...options, root, folder })
          for (const note of notes) vitest.logger.log(`Solidity coverage: ${note}`)
        },
      })
    },
  }
}
