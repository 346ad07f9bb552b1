/** A chain as the forked node, behind a provider that counts and can lie, and a fork of it. */
import { onTestFinished } from 'vitest'
import { PresealRpcError } from '../../../src/base/errors.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type ManualClock,
  type PresealChain,
} from '../../../src/index.ts'
import { type Scene, startScene } from '../../rpc/scene.ts'

export interface RemoteCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A provider on the forked node. */
export interface Spy {
  /** What the node was asked, in order. */
  readonly calls: RemoteCall[]
  /** Replaces an answer, or throws in its place. */
  lie: (call: RemoteCall, answer: unknown) => unknown
  request(call: RemoteCall): Promise<unknown>
}

/** A provider that passes requests on, copies of their answers back, and counts them. */
export function spyOn(provider: { request(args: RemoteCall): Promise<unknown> }): Spy {
  const spy: Spy = {
    calls: [],
    lie: (_call, answer) => answer,
    async request({ method, params }) {
      const call = { method, params }
      spy.calls.push(call)
      const answer = await provider.request(call).catch((error: unknown) => {
        if (error instanceof PresealRpcError) return error
        throw error
      })
      const told = spy.lie(call, answer)
      if (told instanceof Error) throw told
      return JSON.parse(JSON.stringify(told))
    },
  }
  return spy
}

/** The forked node and a fork of it at its block 2. */
export interface ForkScene {
  readonly remote: Scene
  readonly spy: Spy
  readonly fork: PresealChain<ManualClock>
}

/** Options of both chains; the fork has no accounts, since their balances would be set at the fork. */
const SHARED = { finality: { safe: 1, finalized: 2 } } as const

/** Starts a scene, and forks it at block 2, its head. */
export async function startForkScene(options: Partial<ChainOptions> = {}): Promise<ForkScene> {
  const remote = await startScene()
  const spy = spyOn(remote.chain.preconf as never)
  return { remote, spy, fork: await forkOf(spy, 2, options) }
}

/** A fork at a block, closed when the test ends. */
export async function forkOf(
  provider: Spy,
  block: number,
  options: Partial<ChainOptions> = {},
): Promise<PresealChain<ManualClock>> {
  const fork = (await createChain({
    mining: 'manual',
    clock: createManualClock(),
    accounts: { count: 0 },
    ...SHARED,
    ...options,
    fork: { provider, block },
  } as ChainOptions)) as PresealChain<ManualClock>
  onTestFinished(() => fork.close())
  return fork
}
