/**
 * The hooks of Hardhat's configuration, environment and test runs. If the configuration does not use preseal, only test
 * runs load further modules.
 */
import type { PresealConfig, PresealUserConfig, Problem, ResolvedNetwork, UserNetwork } from './config.ts'
import type { TestEnvironment } from './gasSnapshot.ts'
import type { ReportContext } from './gasStats.ts'

interface UserConfig {
  readonly preseal?: unknown
  readonly defaultChainType?: string
  readonly networks?: Readonly<Record<string, UserNetwork>>
}

interface Config {
  readonly preseal?: PresealConfig | undefined
  readonly networks: Readonly<Record<string, ResolvedNetwork>>
}

/** Checks and resolves the networks that preseal serves, and the option `preseal`. */
export const configHooks = {
  async validateUserConfig(user: UserConfig): Promise<Problem[]> {
    const { networks, preseal, defaultChainType = 'generic' } = user
    const served = servedOf(networks)
    if (preseal === undefined && served.length === 0) return []
    const { findProblems, findProjectProblems } = await import('./config.ts')
    return [
      ...(preseal === undefined ? [] : findProjectProblems(preseal)),
      ...served.flatMap(([name, network]) => findProblems(name, network, defaultChainType)),
    ]
  },
  async resolveUserConfig<Resolver>(
    user: UserConfig,
    resolver: Resolver,
    next: (user: UserConfig, resolver: Resolver) => Promise<Config>,
  ): Promise<Config> {
    const resolved = await next(user, resolver)
    const served = servedOf(user.networks)
    if (user.preseal === undefined && served.length === 0) return resolved
    const { resolveNetwork, resolveProject } = await import('./config.ts')
    const networks = { ...resolved.networks }
    for (const [name, network] of served) networks[name] = resolveNetwork(network, networks[name]!)
    const preseal = user.preseal as PresealUserConfig | undefined
    return { ...resolved, networks, ...(preseal !== undefined && { preseal: resolveProject(preseal) }) }
  },
}

/** Returns the networks that preseal serves; none if `networks` is no object, which Hardhat reports. */
function servedOf(networks: UserConfig['networks'] = {}): (readonly [string, UserNetwork])[] {
  if (typeof networks !== 'object' || networks === null) return []
  return Object.entries(networks).filter(([, network]) => (network?.preseal ?? false) !== false)
}

/** Makes test tasks compare their gas with a snapshot, if the project configures one. */
export const environmentHooks = {
  async created(
    { hooks }: Pick<TestEnvironment, 'hooks'>,
    environment: TestEnvironment & { readonly config: { readonly preseal?: PresealConfig | undefined } },
  ): Promise<void> {
    const { snapshot, tolerance = 0 } = environment.config.preseal?.gas ?? {}
    if (snapshot === undefined) return
    const { followTests } = await import('./gasSnapshot.ts')
    const { url: worker } = await import('./mochaWorker.ts')
    followTests(hooks, environment, { path: snapshot, tolerance, worker })
  },
}

/** Reports the measurements of a test worker when its tests are done, since Hardhat collects them then. */
export const testHooks = {
  async onTestWorkerDone<Context extends ReportContext>(
    context: Context,
    id: string,
    next: (context: Context, id: string) => Promise<void>,
  ): Promise<void> {
    const { gasStatsOf } = await import('./gasStats.ts')
    const { coverageOf } = await import('./coverage.ts')
    await gasStatsOf(context).flush()
    await coverageOf(context).flush()
    await next(context, id)
  },
}
