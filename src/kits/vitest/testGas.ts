/**
 * Records the gas of tests if the reporter of `preseal/gas` is in use. Owns a recorder per file. The records become
 * metadata of tests and files, which vitest sends to the reporter.
 */
import { getOrInsert } from '../../base/collections.ts'
import { type FileGasMeta, GAS_META, type GasSample } from '../gas/record.ts'
import type { GasRecorder, WatchableChain } from '../gas/recorder.ts'
import type { TestChainOptions } from './fixtures.ts'

/** The used members of vitest's tests. */
export interface TestTask {
  readonly meta: object
  readonly file: { readonly meta: object }
}

const files = new WeakMap<object, WatchGas>()

/** Returns the recorder of a test's file; undefined unless the reporter is in use. */
export async function loadGas(
  inject: (key: never) => unknown,
  { file }: TestTask,
): Promise<WatchGas | undefined> {
  if (inject(GAS_META as never) !== true) return undefined
  const { createGasRecorder } = await import('../gas/recorder.ts')
  return getOrInsert(files, file, () => createWatchGas(file, createGasRecorder()))
}

/** Records the gas of a chain of one test file. */
export type WatchGas = ReturnType<typeof createWatchGas>

function createWatchGas(file: TestTask['file'], recorder: GasRecorder) {
  const deployments: { recipe: object; options: TestChainOptions; samples: readonly GasSample[] }[] = []
  const report = (): void => {
    const gas: FileGasMeta = { codes: recorder.codes, deployments: deployments.map(({ samples }) => samples) }
    Object.assign(file.meta, { [GAS_META]: gas })
  }
  return (chain: WatchableChain) => {
    const watch = recorder.watch(chain)
    return {
      ...watch,
      /** Ends the deployment of a chain. Of chains with the same recipe and options, only the last counts. */
      async endDeployment(recipe: object, options: TestChainOptions): Promise<void> {
        const samples = await watch.take()
        const known = deployments.find((one) => one.recipe === recipe && one.options === options)
        if (known === undefined) deployments.push({ recipe, options, samples })
        else known.samples = samples
        report()
      },
      /** Ends a test and records its gas as metadata, in place of the gas of an earlier attempt. */
      async endTest({ meta }: TestTask): Promise<void> {
        Object.assign(meta, { [GAS_META]: await watch.take() })
        report()
      },
    }
  }
}
