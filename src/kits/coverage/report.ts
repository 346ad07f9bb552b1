/** Makes the reports of coverage, by istanbul's packages. */
import { InvalidOptionError } from '../../base/errors.ts'
import { writeAccessiblePages } from './accessiblePages.ts'
import { createCoverage } from './createCoverage.ts'
import { ReportersMissingError } from './errors.ts'
import type { CoverageData } from './fileCoverage.ts'
import { isOwnSource, type Read, readBuildInfos, readExecuted, resolvePath } from './files.ts'

/** The options of reports. */
export interface CoverageOptions {
  /** The folder with build info that Hardhat (`'artifacts'`) or Foundry (`'out'`) writes, or a list of build infos. */
  readonly artifacts: string | readonly object[]
  /** The folder of the reports; by default `'coverage'`. */
  readonly folder?: string | undefined
  /** The names of istanbul's reports; by default `['text', 'html', 'lcovonly', 'json']`. */
  readonly reporters?: readonly string[] | undefined
  /** The sources that are reported, by their path; by default those that are not installed in `node_modules` or `lib`. */
  readonly includes?: ((path: string) => boolean) | undefined
  /** The folder of the project, which paths are relative to; by default the working directory. */
  readonly root?: string | undefined
}

/** The coverage of a project. */
export interface CoverageReport {
  /** In the form of istanbul's `CoverageMapData`, by absolute path. */
  readonly data: CoverageData
  /** What may make it incomplete or wrong, such as code that no build info has; a few dozen at most. */
  readonly notes: readonly string[]
}

const REPORTERS = ['text', 'html', 'lcovonly', 'json'] as const

/**
 * Makes the coverage of what all processes wrote with `saveCoverage`, without writing a report.
 *
 * @throws InvalidOptionError, CoverageFilesError
 */
export function readCoverage(options: CoverageOptions): CoverageReport {
  const { data, notes } = makeCoverage(options)
  return { data, notes }
}

/**
 * Makes the coverage of what all processes wrote with `saveCoverage`, and writes its reports.
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

interface MadeCoverage extends CoverageReport {
  readonly sources: ReadonlyMap<string, string>
  readonly folder: string
}

function makeCoverage({ artifacts, folder, includes, root }: CoverageOptions): MadeCoverage {
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
  if (typeof artifacts === 'string') return readBuildInfos(resolvePath(root, artifacts))
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
