/** A chain and its clock while one test has them: once the test is over, they refuse what it still does. */
import type { Chain } from '../chain/chain.ts'
import { isManual } from '../config/optionSchemas.ts'
import type { Clock } from '../primitives/clock.ts'
import { toAsyncDisposal } from '../primitives/disposal.ts'
import type { ManualClock } from '../primitives/manualClock.ts'
import type { MaybePromise } from '../primitives/types.ts'
import type { Provider } from '../rpc/provider.ts'
import { DisconnectedError } from '../sequencer/errors.ts'

/** Counts the calls on one chain that are under way, those of `deploy` and of the test together. */
export class CallCounter {
  /** Calls that were started and have not ended. */
  underWay = 0

  /** Runs a call. @throws what the call throws. */
  async count<T>(call: () => MaybePromise<T>): Promise<T> {
    this.underWay += 1
    try {
      return await call()
    } finally {
      this.underWay -= 1
    }
  }
}

/** See {@link lend}. */
export interface IsolatedChain {
  /** The chain, with `standard` and `preconf` of the test's own. */
  readonly chain: Chain
  /** The chain's clock. */
  readonly clock: Clock
  /** Closes the connections that were opened on the chain, removes the listeners, and refuses every later call. */
  end(): void
}

/**
 * Lends a chain: its members work until the loan ends. Then they reject or throw with 4900, as those of a chain that
 * was closed, while the chain itself goes on. A manual clock can no longer be advanced then, and takes no timers.
 */
export function isolateChain(chain: Chain, clock: Clock, calls: CallCounter): IsolatedChain {
  const endings: (() => void)[] = []
  let ended = false
  const refuseOnceEnded = (): void => {
    if (ended) throw new DisconnectedError()
  }
  const call = <T>(run: () => MaybePromise<T>): Promise<T> =>
    ended ? Promise.reject(new DisconnectedError()) : calls.count(run)
  const provider: Chain['provider'] = (view, options) => {
    const opened = chain.provider(view, options)
    if (ended) opened.close()
    else endings.push(() => opened.close())
    const { request } = opened
    // In place: servers know the providers of this library by their identity.
    return Object.assign(opened, { request: (args: never) => calls.count(() => request(args)) })
  }
  const listen =
    (how: 'on' | 'once'): Chain['on'] =>
    (event, listener) => {
      refuseOnceEnded()
      chain[how](event, listener)
      endings.push(() => chain.off(event, listener))
      return lent
    }
  const lentClock = isManual(clock) ? lendClock(clock as ManualClock, call, refuseOnceEnded) : clock
  let standard: Provider | undefined
  let preconf: Provider | undefined
  const lent: Chain = {
    ...toAsyncDisposal(() => lent.close()),
    get standard() {
      standard ??= provider('standard')
      return standard
    },
    get preconf() {
      preconf ??= provider('preconf')
      return preconf
    },
    provider,
    accounts: chain.accounts,
    clock: lentClock,
    get missedTicks() {
      return chain.missedTicks
    },
    start() {
      refuseOnceEnded()
      chain.start()
    },
    stop() {
      refuseOnceEnded()
      chain.stop()
    },
    tick: () => call(() => chain.tick()),
    seal: () => call(() => chain.seal()),
    importBlocks: (bytes) => call(() => chain.importBlocks(bytes)),
    snapshot: () => call(() => chain.snapshot()),
    revert: (id) => call(() => chain.revert(id)),
    reorg: (request) => call(() => chain.reorg(request)),
    retract: (request) => call(() => chain.retract(request)),
    faults: {
      get current() {
        return chain.faults.current
      },
      set(faults) {
        refuseOnceEnded()
        chain.faults.set(faults)
      },
      clear() {
        refuseOnceEnded()
        chain.faults.clear()
      },
    },
    on: listen('on'),
    once: listen('once'),
    off(event, listener) {
      // The next test may listen with the same function.
      if (!ended) chain.off(event, listener)
      return lent
    },
    async close() {
      if (!ended) await chain.close()
    },
  }
  return {
    chain: lent,
    clock: lentClock,
    end() {
      ended = true
      for (const end of endings) end()
    },
  }
}

/** The clock itself, whatever else it can do, but for what would reach the chain after the test. */
function lendClock(
  clock: ManualClock,
  call: <T>(run: () => Promise<T>) => Promise<T>,
  refuseOnceEnded: () => void,
): ManualClock {
  const guarded: Pick<ManualClock, 'advance' | 'setTimeout'> = {
    advance: (ms) => call(() => clock.advance(ms)),
    setTimeout: (fn, ms) => {
      refuseOnceEnded()
      return clock.setTimeout(fn, ms)
    },
  }
  return new Proxy(clock, {
    get(target, name) {
      if (Object.hasOwn(guarded, name)) return Reflect.get(guarded, name)
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
