/** The hook of Hardhat's environment: the tasks of tests compare their gas with a snapshot, if the project has one. */
import type { TestEnvironment } from './gasSnapshot.ts'
import type { PresealConfig } from './projectConfig.ts'

/** The handlers of the category `hre`. */
export interface EnvironmentHooks {
  created(
    context: Pick<TestEnvironment, 'hooks'>,
    environment: TestEnvironment & { readonly config: { readonly preseal?: PresealConfig | undefined } },
  ): Promise<void>
}

/** See {@link EnvironmentHooks}. A project without a snapshot loads nothing more. */
export const environmentHooks: EnvironmentHooks = {
  async created({ hooks }, environment) {
    const { snapshot, tolerance = 0 } = environment.config.preseal?.gas ?? {}
    if (snapshot === undefined) return
    const [{ followTests }, { url: worker }] = await Promise.all([
      import('./gasSnapshot.ts'),
      import('./mochaWorker.ts'),
    ])
    followTests(hooks, environment, { path: snapshot, tolerance, worker })
  },
}
