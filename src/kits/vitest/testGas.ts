/**
 * Records the gas of tests for the reporter of `preseal/gas`, if it asks for it.
 *
 * Owns: the recorder of each file. What it recorded becomes metadata of tests and files, which vitest sends to the reporter.
 */
import { type FileGasMeta, GAS_META, type GasSample } from '../gas/record.ts'
import type { GasRecorder, WatchableChain } from '../gas/recorder.ts'
import type { TestChainOptions } from './fixtures.ts'

/** What is used of a test of vitest. */
export interface TestTask {
  readonly meta: object
  readonly file: { readonly meta: object }
}

/** The gas of one chain. */
export type TestGas = ReturnType<FileGas['watch']>

const files = new WeakMap<object, FileGas>()

/** The gas of a test's file; undefined unless the reporter is in use. */
export async function loadGas(
  inject: (key: never) => unknown,
  { file }: TestTask,
): Promise<FileGas | undefined> {
  if (inject(GAS_META as never) !== true) return undefined
  const { createGasRecorder } = await import('../gas/recorder.ts')
  const known = files.get(file) ?? new FileGas(file, createGasRecorder())
  files.set(file, known)
  return known
}

/** The gas of a file; see the file's header. */
export class FileGas {
  readonly #recorder: GasRecorder
  readonly #file: TestTask['file']
  readonly #deployments: { recipe: object; options: TestChainOptions; samples: readonly GasSample[] }[] = []

  constructor(file: TestTask['file'], recorder: GasRecorder) {
    this.#file = file
    this.#recorder = recorder
  }

  /** Records the gas of a chain from now on. */
  watch(chain: WatchableChain) {
    const watch = this.#recorder.watch(chain)
    return {
      /** Ends the deployment of a chain: chains of one recipe and the same options count once. */
      endDeployment: async (recipe: object, options: TestChainOptions): Promise<void> => {
        const samples = await watch.take()
        const known = this.#deployments.find((one) => one.recipe === recipe && one.options === options)
        if (known === undefined) this.#deployments.push({ recipe, options, samples })
        else known.samples = samples
        this.#report()
      },
      /** Begins a test: what was recorded before belongs to none. */
      begin: (): void => void watch.take(),
      /** Ends a test; what was recorded is its metadata, instead of that of an earlier attempt. */
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
