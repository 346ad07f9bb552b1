/** The hooks of Hardhat's configuration: they check and resolve the networks that preseal serves, and the option `preseal`. */
import type { ResolvedNetwork, UserNetwork } from './networkConfig.ts'
import type { Problem } from './networkOptions.ts'
import type { PresealConfig, PresealUserConfig } from './projectConfig.ts'

interface UserConfig {
  readonly preseal?: unknown
  readonly defaultChainType?: string
  readonly networks?: Readonly<Record<string, UserNetwork>>
}

interface Config {
  readonly preseal?: PresealConfig | undefined
  readonly networks: Readonly<Record<string, ResolvedNetwork>>
}

/** The handlers of the category `config`. */
export interface ConfigHooks {
  validateUserConfig(user: UserConfig): Promise<Problem[]>
  resolveUserConfig<Resolver>(
    user: UserConfig,
    resolver: Resolver,
    next: (user: UserConfig, resolver: Resolver) => Promise<Config>,
  ): Promise<Config>
}

/** See {@link ConfigHooks}. A configuration without a network or an option of preseal loads nothing more. */
export const configHooks: ConfigHooks = {
  async validateUserConfig({ networks, preseal, defaultChainType = 'generic' }) {
    const problems: Problem[] = []
    if (preseal !== undefined) {
      const { findProjectProblems } = await import('./projectConfig.ts')
      problems.push(...findProjectProblems(preseal))
    }
    const served = servedOf(networks)
    if (served.length === 0) return problems
    const { findProblems } = await import('./networkOptions.ts')
    return [
      ...problems,
      ...served.flatMap(([name, network]) => findProblems(name, network, defaultChainType)),
    ]
  },
  async resolveUserConfig(user, resolver, next) {
    const resolved = await next(user, resolver)
    const config =
      user.preseal === undefined
        ? resolved
        : {
            ...resolved,
            preseal: (await import('./projectConfig.ts')).resolveProject(user.preseal as PresealUserConfig),
          }
    const served = servedOf(user.networks)
    if (served.length === 0) return config
    const { resolveNetwork } = await import('./networkOptions.ts')
    const networks = { ...config.networks }
    for (const [name, network] of served) networks[name] = resolveNetwork(network, networks[name]!)
    return { ...config, networks }
  },
}

/** The networks that preseal serves. Hardhat reports those that are no objects. */
function servedOf(networks: UserConfig['networks'] = {}): (readonly [string, UserNetwork])[] {
  if (typeof networks !== 'object' || networks === null) return []
  return Object.entries(networks).filter(([, network]) => (network?.preseal ?? false) !== false)
}
