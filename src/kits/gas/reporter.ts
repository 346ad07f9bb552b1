/**
 * A reporter for vitest: the gas of tests that use the fixtures of `preseal/vitest`. The workers record, and the records
 * arrive as metadata of the tests: the last run of each test counts, unless it failed.
 */
import { check } from '../../base/options/option.ts'
import { isObject } from '../../base/schema.ts'
import { GAS_META, type GasRecord, readMeta } from './record.ts'
import { createGasReport, formatGasReport } from './report.ts'
import { checkSnapshot, checkTolerance, loadNode, type SnapshotUpdate } from './snapshot.ts'

/** The options of {@link createGasReporter}. */
export interface GasReporterOptions {
  /**
   * Artifacts that name the contracts: folders and files of Hardhat (`artifacts`) or Foundry (`out`), relative to vitest's
   * root, or artifacts by name. By default none: contracts are listed by address.
   */
  readonly artifacts?: string | readonly string[] | Readonly<Record<string, unknown>> | undefined
  /** Whether to print the report; by default true. */
  readonly table?: boolean | undefined
  /** The file to write the report to, as JSON; by default none. */
  readonly json?: string | undefined
  /**
   * The file that the run compares its gas with: true for `.gas-snapshot`; by default false. It is written like
   * vitest's snapshots: by `vitest run -u`. A missing file is also written, unless `CI` is set.
   */
  readonly snapshot?: boolean | string | undefined
  /** By how many percent a number may differ from the snapshot; by default 0. */
  readonly tolerance?: number | undefined
}

/** The used members of vitest's `Vitest`, from vitest 3.2 on. */
export interface VitestRun {
  readonly config: {
    readonly root: string
    readonly watch?: boolean
    readonly testNamePattern?: unknown
    readonly shard?: unknown
    readonly changed?: unknown
    readonly related?: unknown
    readonly snapshotOptions?: { readonly updateSnapshot?: string }
  }
  readonly logger: { log(text: string): void }
  provide(key: never, value: never): void
}

/** The used members of vitest's `TestModule`. */
export interface VitestModule {
  meta(): unknown
  readonly children: { allTests(): Iterable<{ ok(): boolean; meta(): unknown }> }
}

/** A reporter for vitest's option `reporters`. */
export interface GasReporter {
  onInit(vitest: VitestRun): void
  onTestRunEnd(
    modules: readonly VitestModule[],
    unhandledErrors: readonly unknown[],
    reason: string,
  ): Promise<void>
}

/**
 * Creates a reporter for vitest, which prints the gas of contracts and methods and compares it with a snapshot.
 *
 * @throws InvalidOptionError
 * @example
 * export default defineConfig({
 *   test: { reporters: ['default', createGasReporter({ artifacts: 'artifacts', snapshot: true, tolerance: 1 })] },
 * })
 */
export function createGasReporter({
  artifacts = [],
  table = true,
  json,
  snapshot = false,
  tolerance = 0,
}: GasReporterOptions = {}): GasReporter {
  const isPaths = typeof artifacts === 'string' || Array.isArray(artifacts)
  check(isPaths || isObject(artifacts), 'artifacts', 'a path, paths, or artifacts by name')
  check(typeof table === 'boolean', 'table', 'true or false')
  check(json === undefined || typeof json === 'string', 'json', 'a path')
  check(typeof snapshot === 'boolean' || typeof snapshot === 'string', 'snapshot', 'true, false or a path')
  checkTolerance(tolerance)
  let vitest: VitestRun | undefined
  return {
    onInit(initialized) {
      vitest = initialized
      vitest.provide(GAS_META as never, true as never)
    },
    async onTestRunEnd(modules, _errors, reason) {
      if (vitest === undefined) return
      const { config, logger } = vitest
      const node = await loadNode()
      const style = node.terminalStyle()
      const notes: string[] = []
      const paths = typeof artifacts === 'string' ? [artifacts] : artifacts
      const known = isPaths
        ? await node.readArtifactFiles(config.root, paths as readonly string[], (note) => notes.push(note))
        : (artifacts as Readonly<Record<string, unknown>>)
      const computed = await createGasReport(modules.flatMap(toRecords), { artifacts: known })
      const report = { ...computed, notes: [...notes, ...computed.notes] }
      if (table) logger.log(`\n${formatGasReport(report, style)}`)
      if (json !== undefined) {
        await node.writeText(config.root, json, `${JSON.stringify(report, undefined, 2)}\n`)
      }
      if (snapshot === false) return
      const path = snapshot === true ? '.gas-snapshot' : snapshot
      const partial = partOf(vitest, reason)
      if (partial !== undefined) {
        logger.log(`${path} is neither checked nor written: ${partial}\n`)
        return
      }
      const update = (config.snapshotOptions?.updateSnapshot ?? 'none') as SnapshotUpdate
      const file = { path, root: config.root, update, tolerance }
      logger.log(`${await checkSnapshot(report, file, style)}\n`)
    },
  }
}

function toRecords(module: VitestModule): GasRecord[] {
  const tests = [...module.children.allTests()].filter((test) => test.ok()).map((test) => test.meta())
  return readMeta(module.meta(), tests)
}

/** Returns why a run is partial and so cannot be compared; undefined if all tests ran and passed. */
function partOf(vitest: VitestRun, reason: string): string | undefined {
  if (reason !== 'passed') return 'not all tests passed'
  const { watch, testNamePattern, shard, changed, related } = vitest.config
  if (watch) return 'vitest watches, and runs only some tests'
  const { filenamePattern } = vitest as { readonly filenamePattern?: readonly string[] }
  const isFiltered =
    [testNamePattern, shard, changed, related].some(Boolean) || Boolean(filenamePattern?.length)
  return isFiltered ? 'only some tests ran' : undefined
}
