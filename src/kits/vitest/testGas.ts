/**
 * Records the gas of tests if the reporter of `preseal/gas` is in use.
 *
 * Owns: a recorder per file. The records become metadata of tests and files, which vitest sends to the reporter.
 */
import { getOrInsert } from '../../base/collections.ts'
import { type FileGasMeta, GAS_META, type GasSample } from '../gas/record.ts'
import type { GasRecorder, WatchableChain } from '../gas/recorder.ts'
import type { TestChainOptions } from './fixtures.ts'

/** The members of vitest's tests in use. */
export interface TestTask {
  readonly meta: object
  readonly file: { readonly meta: object }
}

export type TestGas = ReturnType<FileGas['watch']>

const files = new WeakMap<object, FileGas>()

/** Returns the recorder of a test's file; undefined unless the reporter is in use. */
export async function loadGas(
  inject: (key: never) => unknown,
  { file }: TestTask,
): Promise<FileGas | undefined> {
  if (inject(GAS_META as never) !== true) return undefined
  const { createGasRecorder } = await import('../gas/recorder.ts')
  return getOrInsert(files, file, () => new FileGas(file, createGasRecorder()))
}

/** The gas of one test file. */
export class FileGas {
  readonly #recorder: GasRecorder
  readonly #file: TestTask['file']
  readonly #deployments: { recipe: object; options: TestChainOptions; samples: readonly GasSample[] }[] = []

  constructor(file: TestTask['file'], recorder: GasRecorder) {
    this.#file = file
    this.#recorder = recorder
  }

  watch(chain: WatchableChain) {
    const watch = this.#recorder.watch(chain)
    return {
      /** Ends the deployment of a chain. Of chains with the same recipe and options, only the last counts. */
      endDeployment: async (recipe: object, options: TestChainOptions): Promise<void> => {
        const samples = await watch.take()
        const known = this.#deployments.find((one) => one.recipe === recipe && one.options === options)
        if (known === undefined) this.#deployments.push({ recipe, options, samples })
        else known.samples = samples
        this.#report()
      },
      /** Begins a test. Discards gas that was recorded between tests. */
      begin: (): void => void watch.take(),
      /** Ends a test and records its gas as metadata, in place of the gas of an earlier attempt. */
      endTest: async ({ meta }: TestTask): Promise<void> => {
        Object.assign(meta, { [GAS_META]: await watch.take() })
        this.#report()
      },
      stop: (): void => watch.stop(),
    }
  }

  #report(): void {
    const deployments = this.#deployments.map(({ samples }) => samples)
    const gas: FileGasMeta = { codes: this.#recorder.codes, deployments }
    Object.assign(this.#file.meta, { [GAS_META]: gas })
  }
}
