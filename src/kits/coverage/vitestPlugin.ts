/** The plugin of vitest: chains of tests are watched, and reports are made at the end of each run. */
import { FOLDER, removeExecuted, resolvePath } from './files.ts'
import { type CoverageOptions, reportCoverage } from './report.ts'

/** The parts of vitest's configuration and context that are used. */
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
 * Reports the coverage of Solidity by vitest's tests, of all workers together.
 *
 * @example
 * export default defineConfig({ plugins: [solidityCoverage({ artifacts: 'artifacts' })] })
 */
export function solidityCoverage(options: CoverageOptions): SolidityCoveragePlugin {
  // One reporter, also of a configuration that several projects extend.
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
        onTestRunStart: () => removeExecuted(folder),
        async onTestRunEnd() {
          const { notes } = await reportCoverage({ ...options, root, folder })
          for (const note of notes) vitest.logger.log(`Solidity coverage: ${note}`)
        },
      })
    },
  }
}
