/**
 * Compares the gas of a test run with the file of the option `preseal.gas.snapshot` when the outermost test task ends.
 * Owns the recorder of each environment of Hardhat. Workers of Mocha, and of Hardhat's runner for node:test before
 * 3.0.14, write their records to files in the cache folder, which the main process reads.
 */

import { toObject } from '../../base/schema.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { GasRecord, GasSample } from '../gas/record.ts'
import { createGasRecorder } from '../gas/recorder.ts'
import { createGasReport } from '../gas/report.ts'
import { checkSnapshot, loadNode, type SnapshotFile } from '../gas/snapshot.ts'
import { type ArtifactManager, readBuildInfos } from './gasStats.ts'

/** The arguments of Hardhat's test tasks and the options of mocha that select tests. */
interface Filters {
  readonly testFiles?: readonly string[] | undefined
  readonly grep?: unknown
  readonly grepExclude?: string | undefined
  readonly fgrep?: unknown
  readonly only?: boolean | undefined
}

/** The used part of a test task. */
export interface TestTask {
  readonly subtasks: ReadonlyMap<string, TestTask>
  run(given?: Filters): Promise<unknown>
}

/** The used part of mocha's options. */
interface MochaOptions extends Filters {
  readonly parallel?: boolean | undefined
  require?: string | string[] | undefined
}

/** The used part of Hardhat's environment. */
export interface TestEnvironment {
  readonly hooks: object
  readonly config: {
    readonly paths: { readonly root: string; readonly cache: string }
    readonly test?: { readonly mocha?: MochaOptions | undefined } | undefined
  }
  readonly globalOptions: { readonly updateGasSnapshot?: boolean | undefined }
  readonly artifacts: ArtifactManager
  readonly tasks: { getTask(id: string): TestTask }
}

interface SnapshotSettings extends Pick<SnapshotFile, 'path' | 'tolerance'> {
  /** The module that mocha's parallel workers load. */
  readonly worker: string
}

/** Test runs by the hooks of their environment: a connection knows no other part of the environment. */
const runs = new Map<object, TestRun>()

/** Makes an environment's test tasks end with the comparison of gas. */
export function followTests(hooks: object, environment: TestEnvironment, settings: SnapshotSettings): void {
  const run = createTestRun(environment, settings)
  runs.set(hooks, run)
  const task = environment.tasks.getTask('test')
  // Leaves out tests in Solidity, which use no configured network.
  const runners = [...task.subtasks].filter(([name]) => name !== 'solidity').map(([, runner]) => runner)
  for (const followed of [task, ...runners]) {
    const execute = followed.run.bind(followed)
    followed.run = (given) => run.around(given, () => execute(given))
  }
}

/** Records the gas of a chain. Returns a function to call before the chain is closed; undefined if no tests run. */
export async function recordGas(
  hooks: object,
  chain: PresealChain,
): Promise<(() => Promise<void>) | undefined> {
  const run = runs.get(hooks)
  if (run === undefined || run.isRunning()) return run?.watch(chain)
  const node = await loadNode()
  if (node.isNodeTestWorker()) node.runOnceAtEnd(saveRecords)
  else if (!node.isMochaWorker()) return undefined
  return run.watch(chain)
}

/** Writes all that this worker has recorded since the last call. */
export async function saveRecords(): Promise<void> {
  const { writeRecord } = await loadNode()
  for (const run of runs.values()) await writeRecord(run.folder, await run.take())
}

type TestRun = ReturnType<typeof createTestRun>

function createTestRun(environment: TestEnvironment, { path, tolerance, worker }: SnapshotSettings) {
  const { config, globalOptions } = environment
  const folder = `${config.paths.cache}/preseal-gas`
  const recorder = createGasRecorder()
  /** The samples of closed chains, until `take` returns them. */
  const kept: GasSample[] = []
  /** How many nested tasks run: the task `test` runs a task per runner. */
  let depth = 0
  /** Why the run is not compared with the snapshot, such as failed tests; undefined if it is. */
  let partial: string | undefined

  const take = async (): Promise<GasRecord> => {
    const { codes, samples } = await recorder.record()
    return { codes, samples: [...kept.splice(0), ...samples] }
  }
  const begin = async (): Promise<void> => {
    const { mocha } = config.test ?? {}
    partial = isFiltered(mocha) ? 'only some tests ran' : undefined
    await (await loadNode()).removeRecords(folder)
    // Drops the records from before the tests.
    await take()
    if (mocha?.parallel !== true) return
    mocha.require = [...[mocha.require ?? []].flat().filter((one) => one !== worker), worker]
  }
  const compare = async (): Promise<void> => {
    const node = await loadNode()
    const records = [await take(), ...(await node.readRecords(folder))]
    await node.removeRecords(folder)
    if (partial !== undefined) {
      node.print(`${path} is neither checked nor written: ${partial}\n`)
      return
    }
    const report = await createGasReport(records, { artifacts: await readBuildInfos(environment.artifacts) })
    const update = globalOptions.updateGasSnapshot ? 'all' : node.isCi() ? 'none' : 'new'
    const file = { path, root: config.paths.root, update, tolerance } as const
    node.print(await checkSnapshot(report, file, node.terminalStyle()))
  }
  return {
    folder,
    take,
    isRunning: () => depth > 0,
    watch(chain: PresealChain): () => Promise<void> {
      const watch = recorder.watch(chain)
      return async () => {
        kept.push(...(await watch.take()))
        watch.stop()
      }
    },
    /** Runs a task. After the outermost task, compares the gas. */
    async around(given: Filters | undefined, execute: () => Promise<unknown>): Promise<unknown> {
      const node = await loadNode()
      if (depth === 0) await begin()
      depth++
      let result: unknown
      try {
        if (isFiltered(given)) partial ??= 'only some tests ran'
        result = await execute()
      } finally {
        depth--
      }
      const isFailed = toObject(result)['success'] === false || node.isProcessFailed()
      if (isFailed) partial ??= 'not all tests passed'
      if (depth === 0) await compare()
      return result
    },
  }
}

function isFiltered({ testFiles = [], grep, grepExclude, fgrep, only }: Filters = {}): boolean {
  return testFiles.length > 0 || [grep, grepExclude, fgrep, only].some(Boolean)
}
