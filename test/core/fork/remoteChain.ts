/** Forks of a chain in the same process, and what its provider is asked. */
import { onTestFinished } from 'vitest'
import type { ChainOptions, ManualClock, PresealChain, Provider } from '../../../src/index.ts'
import { createChain, createManualClock } from '../../../src/index.ts'
import { ENGINE } from '../../full.ts'

/** A request as a provider gets it. */
export interface Asked {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A provider that stands between a fork and its remote. */
export interface Between {
  readonly provider: { request(args: Asked): Promise<unknown> }
  /** All requests, in order. */
  readonly asked: Asked[]
  /** Groups of requests that were sent before any of them was answered. */
  trips(): number
}

/** Passes requests to `remote`. @param meet - called before each; may wait, throw, or return an answer of its own. */
export function between(
  remote: Pick<Provider, 'request'>,
  meet: (asked: Asked, index: number) => unknown = () => undefined,
): Between {
  const asked: Asked[] = []
  let trips = 0
  let open = 0
  return {
    asked,
    trips: () => trips,
    provider: {
      async request(args) {
        if (open === 0) trips += 1
        open += 1
        const index = asked.push(args) - 1
        try {
          const own = await meet(args, index)
          return own ?? (await remote.request(args as never))
        } finally {
          open -= 1
        }
      },
    },
  }
}

/** Starts a fork of `remote` in `manual` mining under a manual clock, unless the options say otherwise. */
export async function forkOf(
  remote: Pick<Provider, 'request'> | Between,
  { fork, ...options }: ChainOptions = {},
): Promise<PresealChain<ManualClock>> {
  const provider = 'provider' in remote ? remote.provider : remote
  const chain = await createChain({
    mining: 'manual',
    clock: createManualClock(),
    engine: ENGINE,
    ...options,
    fork: { provider: provider as never, ...fork },
  })
  onTestFinished(() => chain.close())
  return chain as PresealChain<ManualClock>
}
