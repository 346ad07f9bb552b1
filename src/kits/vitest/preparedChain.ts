/** A chain that tests use one after another, each from the state after `deploy`. */

import type { Clock } from '../../base/clock.ts'
import { toAsyncDisposal } from '../../base/disposal.ts'
import { type ManualClock, setBack } from '../../base/manualClock.ts'
import { check } from '../../base/options/option.ts'
import { isManual } from '../../base/options/optionSchemas.ts'
import type { Hash, MaybePromise } from '../../base/types.ts'
import { withMembers } from '../../base/withMembers.ts'
import { createChain } from '../../chain/chain.ts'
import { callMethod, forwardCalls } from '../../chain/forwardCalls.ts'
import {
  type AnyChain,
  addViews,
  type ManualTime,
  type PresealChain,
  type WithoutViews,
} from '../../chain/handle.ts'
import { readMining, readUnsealed } from '../../chain/readMining.ts'
import { UnknownSnapshotError } from '../../core/open/errors.ts'
import type { ChainOptions } from '../../core/options.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import { type ChainTestOptions, createPreconfirm, type TestChainOptions } from './fixtures.ts'
import type { WatchGas } from './testGas.ts'

/** How the chain of a test file is made; {@link prepareChain} runs it. */
export interface Recipe {
  readonly createClock: () => Clock
  readonly deploy: ChainTestOptions<unknown, Clock>['deploy'] | undefined
}

/** A chain after `deploy`. `begin` starts a test; `rollBack` resolves to false if the chain cannot be used again. */
export type PreparedChain = Awaited<ReturnType<typeof prepareChain>>

/** Creates a chain and runs `deploy` on it. If either throws, nothing is left open. */
export async function prepareChain(recipe: Recipe, options: TestChainOptions, watchGas?: WatchGas) {
  const { createClock, deploy } = recipe
  const { clock: given, database }: ChainOptions = options
  check(given === undefined, 'chainOptions.clock', 'no value: createClock creates the clock of each chain')
  check(database === undefined, 'chainOptions.database', 'no value: each chain has its own database')
  const clock = createClock()
  const chain = await createChain({ ...options, clock })
  const gas = watchGas?.(chain)
  const calls = new CallCounter()
  const isolate = () => isolateChain(chain, calls)
  const close = () => {
    gas?.stop()
    return chain.close()
  }
  // Each test gets a new chain, which costs less than a snapshot.
  if (deploy === undefined && options.fork === undefined)
    return {
      deployed: undefined,
      left: new Set<Hash>(),
      gas,
      begin: isolate,
      rollBack: async () => false,
      close,
    }
  try {
    const { chain: lasting } = isolate()
    const deployed = await deploy?.({
      chain: lasting,
      clock: lasting.clock,
      get standard() {
        return lasting.standard
      },
      get preconf() {
        return lasting.preconf
      },
      get live() {
        return lasting.live
      },
      preconfirm: createPreconfirm(lasting),
    })
    await gas?.endDeployment(recipe, options)
    const own = chain.provider('preconf')
    const mining = await readMining(own)
    chain.stop()
    const { waiting, queued, preconfirmed } = await readUnsealed(lasting)
    const snapshot = await chain.snapshot()
    const start = clock.now()
    return {
      deployed: deployed as unknown,
      /** The transactions that `deploy` left unsealed. */
      left: new Set([...waiting, ...queued, ...preconfirmed]),
      gas,
      /** Isolates the chain for a test, and begins a slot if the clock makes the blocks. */
      begin() {
        if (mining.interval !== null) chain.start()
        return isolate()
      },
      /** Ends the isolation and returns to the state after `deploy`. Resolves to false if that is impossible. */
      async rollBack(isolated: IsolatedChain): Promise<boolean> {
        const { underWay } = calls
        isolated.end()
        // Calls under way may still write after the revert.
        if (underWay > 0) return false
        try {
          const { automine, interval } = await readMining(own)
          chain.stop()
          // Snapshots do not contain the settings of mining.
          if (automine !== mining.automine || interval !== mining.interval) return false
          if (!setBack(clock, start)) return false
          await chain.revert(snapshot)
          return true
        } catch (error) {
          if (NO_WAY_BACK.some((kind) => error instanceof kind)) return false
          throw error
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The errors of rolling back after a test closed the chain, removed its snapshots, or outgrew its history. */
const NO_WAY_BACK = [DisconnectedError, UnknownSnapshotError, StateUnavailableError]

/** Counts the calls under way on one chain, by `deploy` and tests together. */
export class CallCounter {
  underWay = 0

  async count<T>(call: () => MaybePromise<T>): Promise<T> {
    this.underWay += 1
    try {
      return await call()
    } finally {
      this.underWay -= 1
    }
  }
}

type IsolatedChain = ReturnType<typeof isolateChain>

/** Every chain has `advance`, though the type has it only under a manual clock. */
type EveryChain = AnyChain<Clock> & ManualTime

/**
 * Isolates a chain for one test: its methods, and `advance` and `setTimeout` of a manual clock, work until `end`. After
 * that they fail with 4900, except `off` and `close`, which do nothing. The chain itself stays open.
 */
export function isolateChain(chain: PresealChain, calls: CallCounter) {
  const { clock } = chain
  const endings: (() => void)[] = []
  let ended = false
  const guarded =
    <Args extends readonly unknown[], T>(run: (...args: Args) => T) =>
    (...args: Args): T => {
      if (ended) throw new DisconnectedError()
      return run(...args)
    }
  const call = <T>(run: () => MaybePromise<T>): Promise<T> =>
    ended ? Promise.reject(new DisconnectedError()) : calls.count(run)
  const provider: PresealChain['provider'] = (view, options) => {
    const opened = chain.provider(view, options)
    if (ended) opened.close()
    else endings.push(() => opened.close())
    const { request } = opened
    // Changes the provider in place: servers recognise preseal's providers by identity.
    return Object.assign(opened, { request: (args: never) => calls.count(() => request(args)) })
  }
  const listen = (how: 'on' | 'once'): EveryChain['on'] =>
    guarded((event, listener) => {
      chain[how](event, listener)
      endings.push(() => chain.off(event, listener))
      return isolated
    })
  const isolatedClock = isManual(clock)
    ? withMembers(clock, {
        advance: (ms) => call(() => clock.advance(ms)),
        setTimeout: guarded((fn, ms) => clock.setTimeout(fn, ms)),
      })
    : clock
  const rest: WithoutViews<EveryChain> = {
    ...toAsyncDisposal(() => isolated.close()),
    provider,
    accounts: chain.accounts,
    get chainId() {
      return chain.chainId
    },
    get blockTime() {
      return chain.blockTime
    },
    get preconfInterval() {
      return chain.preconfInterval
    },
    clock: isolatedClock,
    get missedTicks() {
      return chain.missedTicks
    },
    advance: (ms) => call(() => (chain as PresealChain<ManualClock>).advance(ms)),
    start: guarded(() => chain.start()),
    stop: guarded(() => chain.stop()),
    ...forwardCalls((name, args) => call(() => callMethod(chain, name, args))),
    faults: {
      get current() {
        return chain.faults.current
      },
      set: guarded((faults) => chain.faults.set(faults)),
      clear: guarded(() => chain.faults.clear()),
    },
    on: listen('on'),
    once: listen('once'),
    off(event, listener) {
      // The next test may listen with the same function.
      if (!ended) chain.off(event, listener)
      return isolated
    },
    async close() {
      if (!ended) await chain.close()
    },
  }
  const isolated = addViews(rest, provider)
  return {
    /** The chain, with a clock and views that work until `end`. */
    chain: isolated as PresealChain,
    /** Closes the connections opened on the chain, removes its listeners and refuses later calls. */
    end(): void {
      ended = true
      for (const end of endings) end()
    },
  }
}
