/**
 * Measures the gas of transactions for Hardhat's `--gas-stats` and `--gas-stats-json`, which make the report. Owns: the
 * recorder of a run, and the contracts of its build info.
 */

import { getOrInsert } from '../../base/collections.ts'
import { loadCrypto } from '../../base/crypto/crypto.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { readArtifacts } from '../../inspect/explain/artifacts.ts'
import { type Attributed, Attributor, qualifiedNameOf } from '../gas/attribute.ts'
import type { GasSample } from '../gas/record.ts'
import { createGasRecorder } from '../gas/recorder.ts'
import { loadNode } from '../gas/snapshot.ts'

/** A measurement as Hardhat's reports take it. */
type GasMeasurement =
  | {
      readonly type: 'function'
      readonly contractFqn: string
      readonly functionSig: string
      readonly gas: number
      /** The proxies that the call went through, followed by its contract; empty without proxies. */
      readonly proxyChain: readonly string[]
    }
  | {
      readonly type: 'deployment'
      readonly contractFqn: string
      readonly gas: number
      readonly runtimeSize: number
    }

/** The used part of Hardhat's artifacts. */
export interface ArtifactManager {
  getAllBuildInfoIds(): Promise<ReadonlySet<string>>
  getBuildInfoPath(id: string): Promise<string | undefined>
  getBuildInfoOutputPath(id: string): Promise<string | undefined>
}

/** The used hooks of Hardhat's reports. */
export interface ReportHooks {
  runParallelHandlers(
    category: 'network',
    hook: 'onGasMeasurement',
    params: readonly [GasMeasurement],
  ): Promise<unknown>
  runParallelHandlers(
    category: 'network',
    hook: 'onCoverageData',
    params: readonly [tags: readonly string[]],
  ): Promise<unknown>
}

/** The used part of a hook's context. */
export interface ReportContext {
  readonly artifacts: ArtifactManager
  readonly hooks: ReportHooks
}

type GasStats = ReturnType<typeof createGasStats>

function createGasStats({ artifacts, hooks }: ReportContext) {
  const recorder = createGasRecorder()
  let attributor: Promise<Attributor> | undefined
  const report = async (samples: readonly GasSample[]): Promise<void> => {
    if (samples.length === 0) return
    attributor ??= readBuildInfos(artifacts).then(
      async (infos) => new Attributor(readArtifacts(infos).contracts, await loadCrypto()),
    )
    for (const attributed of (await attributor).attribute({ codes: recorder.codes, samples })) {
      const measurement = toMeasurement(attributed)
      if (measurement === undefined) continue
      for (let count = attributed.count; count > 0; count--)
        await hooks.runParallelHandlers('network', 'onGasMeasurement', [measurement])
    }
  }
  return {
    /** Measures a chain's transactions. Returns a function that reports them, to be called before the chain is closed. */
    watch(chain: PresealChain): () => Promise<void> {
      const watch = recorder.watch(chain)
      return async () => {
        await report(await watch.take())
        watch.stop()
      }
    },
    flush: async (): Promise<void> => report((await recorder.record()).samples),
  }
}

/** Converts a measurement for Hardhat; undefined for a contract without build info, which the report cannot name. */
function toMeasurement({ contract, via, method, gas, size }: Attributed): GasMeasurement | undefined {
  if (contract === undefined) return undefined
  const contractFqn = qualifiedNameOf(contract)
  if (method === undefined) return { type: 'deployment', contractFqn, gas, runtimeSize: size }
  const proxies = via.map((proxy) => (typeof proxy === 'string' ? proxy : qualifiedNameOf(proxy)))
  const proxyChain = proxies.length === 0 ? [] : [...proxies, contractFqn]
  return { type: 'function', contractFqn, functionSig: method, gas, proxyChain }
}

/** Reads the build infos, by id, with the compiler's output, which Hardhat writes to separate files. */
export async function readBuildInfos(artifacts: ArtifactManager): Promise<Record<string, object>> {
  const { readText } = await loadNode()
  const readJson = async (path: string | undefined): Promise<object> => {
    const text = path === undefined ? undefined : await readText('', path)
    try {
      return Object(JSON.parse(text ?? '{}'))
    } catch {
      // The file is truncated, for example by an interrupted compilation: its contracts have no names.
      return {}
    }
  }
  const infos: Record<string, object> = {}
  for (const id of await artifacts.getAllBuildInfoIds()) {
    const info = await readJson(await artifacts.getBuildInfoPath(id))
    infos[id] = { ...info, ...(await readJson(await artifacts.getBuildInfoOutputPath(id))) }
  }
  return infos
}

const runs = new WeakMap<object, GasStats>()

/** Returns the measurements of the run to which a hook's context belongs. */
export function gasStatsOf(context: ReportContext): GasStats {
  return getOrInsert(runs, context.hooks, () => createGasStats(context))
}
