/** A chain that tests use one after the other, each from where `deploy` left it. */

import type { Clock } from '../../base/clock.ts'
import { setBack } from '../../base/manualClock.ts'
import { check } from '../../base/options/option.ts'
import type { ChainOptions } from '../../base/options/options.ts'
import { createChain } from '../../chain/chain.ts'
import { type Left, readMining, readUnsealed } from '../../chain/readMining.ts'
import { UnknownSnapshotError } from '../../core/open/errors.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { StateUnavailableError } from '../../ethereum/state/errors.ts'
import type { ChainTestOptions, TestChainOptions } from './fixtures.ts'
import { CallCounter, type IsolatedChain, isolateChain } from './isolateChain.ts'
import { createPreconfirm } from './preconfirm.ts'
import type { FileGas, TestGas } from './testGas.ts'

/** How chains are made. */
export interface Recipe {
  readonly createClock: () => Clock
  readonly deploy: ChainTestOptions<unknown, Clock>['deploy'] | undefined
}

/** See {@link prepareChain}. */
export interface PreparedChain {
  readonly deployed: unknown
  /** The transactions that `deploy` left unsealed. */
  readonly left: Left
  /** Records the gas of the tests; undefined unless it was asked for. */
  readonly gas: TestGas | undefined
  /** Isolates the chain for a test; if blocks are made by the clock, a slot begins. */
  begin(): IsolatedChain
  /** Ends a test's use and returns to where `deploy` left the chain; false if that is not possible. */
  rollBack(isolated: IsolatedChain): Promise<boolean>
  /** Closes the chain. */
  close(): Promise<void>
}

/**
 * Creates a chain and runs `deploy` on it.
 *
 * @throws InvalidOptionError, and whatever else `createChain` and `deploy` throw; nothing is left open then.
 */
export async function prepareChain(
  recipe: Recipe,
  options: TestChainOptions,
  fileGas?: FileGas,
): Promise<PreparedChain> {
  const { createClock, deploy } = recipe
  const { clock: given, database }: ChainOptions = options
  check(given === undefined, 'chainOptions.clock', 'no value: createClock creates the clock of each chain')
  check(database === undefined, 'chainOptions.database', 'no value: each chain has its own database')
  const clock = createClock()
  const chain = await createChain({ ...options, clock })
  const gas = fileGas?.watch(chain)
  const calls = new CallCounter()
  const close = () => {
    gas?.stop()
    return chain.close()
  }
  if (deploy === undefined && options.fork === undefined) {
    return {
      deployed: undefined,
      left: new Set(),
      gas,
      begin: () => isolateChain(chain, clock, calls),
      async rollBack(isolated) {
        isolated.end()
        // Each test starts a new chain, which costs less than a snapshot.
        return false
      },
      close,
    }
  }
  try {
    const lasting = isolateChain(chain, clock, calls)
    const deployed = await deploy?.({
      chain: lasting.chain,
      clock: lasting.clock,
      get standard() {
        return lasting.chain.standard
      },
      get preconf() {
        return lasting.chain.preconf
      },
      get live() {
        return lasting.chain.live
      },
      preconfirm: createPreconfirm(lasting.chain, lasting.clock),
    })
    await gas?.endDeployment(recipe, options)
    const own = chain.provider('preconf')
    const mining = await readMining(own)
    chain.stop()
    const { waiting, queued, preconfirmed } = await readUnsealed(lasting.chain)
    const snapshot = await chain.snapshot()
    const start = clock.now()
    return {
      deployed,
      left: new Set([...waiting, ...queued, ...preconfirmed]),
      gas,
      begin() {
        if (mining.interval !== null) chain.start()
        return isolateChain(chain, clock, calls)
      },
      async rollBack(isolated) {
        const { underWay } = calls
        isolated.end()
        // Calls under way may still write, even after the revert.
        if (underWay > 0) return false
        try {
          const { automine, interval } = await readMining(own)
          chain.stop()
          // Snapshots do not cover how blocks are made.
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

/** The test closed the chain, removed its snapshots, or made more blocks than its history covers. */
const NO_WAY_BACK = [DisconnectedError, UnknownSnapshotError, StateUnavailableError]
