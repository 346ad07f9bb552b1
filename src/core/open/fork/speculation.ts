/**
 * The executor of a fork: collects, in rounds, the state that an execution misses, with one trip to the node per round.
 *
 *   run ─► NotLoaded ─► provisional run: a missing slot reads 0, a missing account ends it ─► one trip for all
 *    ▲                  of them, with the recipe of the function, or with eth_createAccessList ─► …
 *    └─────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * A provisional run is always discarded: only a run whose values are all known has a result.
 *
 * Owns: whether the node serves eth_createAccessList, and background loads.
 */

import { bytesToHex, quantity } from '../../../base/bytes.ts'
import { toError } from '../../../base/emitter.ts'
import type { AccessListEntry, Address, Hash } from '../../../base/types.ts'
import { Missing, type Resumable, resumeToEnd, Suspended, type Yielder } from '../../../base/waiting.ts'
import { feeRecipients } from '../../../ethereum/chainSpec.ts'
import type { Executed, Execution, Executor } from '../../../ethereum/evm/executor.ts'
import type { StateReader } from '../../../ethereum/state/account.ts'
import { Overlay } from '../../../ethereum/state/overlay.ts'
import { accessList, fields } from '../../fork/answers.ts'
import type { RecipeName, Recipes } from '../../fork/cache.ts'
import { ForkClosedError } from '../../fork/errors.ts'
import { NotLoaded, type Origin } from '../../fork/origin.ts'
import type { RemoteRequest } from '../../fork/remote.ts'
import { nameOfKey, type StateKey } from '../../fork/stateReads.ts'
import { StateLoadingError } from '../errors.ts'

interface SpeculationParts {
  readonly origin: Origin
  readonly recipes: Recipes
  readonly onError: (error: Error) => void
}

/** Wraps an executor so that it loads missing state; see the file's header. */
export function createForkExecutor(own: Executor, { origin, recipes, onError }: SpeculationParts): Executor {
  const hints = new WeakMap<Execution, readonly StateKey[]>()
  const asked = new WeakSet<Execution>()
  /** Transactions whose state had to be loaded. */
  const missed = new WeakSet<object>()
  let servesAccessLists = true

  const load = async (execution: Execution, first: NotLoaded, pause?: Yielder): Promise<void> => {
    missed.add(execution.tx)
    const missing = await collect(own, execution, pause)
    const keys = [...first.keys, ...startKeys(execution), ...missing].filter((key) => !origin.has(key))
    const before = hints.get(execution)
    const name = recipeName(execution)
    const recipe = before === undefined && name !== undefined ? recipes.keysOf(name) : []
    // If only one key is missing, it may be the last one, so the access list is requested only in a second round.
    const isWide = keys.length > 1 || before !== undefined
    const asksList =
      servesAccessLists && isWide && canTouchMore(execution) && recipe.length === 0 && !asked.has(execution)
    const answer = await origin.load(keys, {
      hints: before ?? recipe,
      ...(asksList && { also: accessListRequest(execution, origin) }),
    })
    if (answer !== undefined) asked.add(execution)
    // Not asked again: most nodes that refuse do not have the method.
    if (answer?.status === 'rejected') servesAccessLists = false
    // The listed keys are loaded with the next trip.
    const listed = answer?.status === 'fulfilled' ? (answer.value as readonly StateKey[]) : undefined
    hints.set(execution, listed ?? before ?? recipe)
  }

  /** Transactions whose failure was reported. Each tick retries them, but reports no second failure. */
  const reported = new WeakSet<object>()
  const report = ({ tx }: Execution, error: unknown): void => {
    // Closing the connection is no failure.
    if (!reported.has(tx) && !(error instanceof ForkClosedError)) onError(toError(error))
    reported.add(tx)
  }

  /** Executions whose state cannot be loaded: the block omits them. */
  const failed = new WeakSet<Execution>()
  const loadOrRefuse = async (execution: Execution, first: NotLoaded, pause?: Yielder): Promise<void> => {
    try {
      await load(execution, first, pause)
    } catch (error) {
      failed.add(execution)
      report(execution, error)
    }
  }

  const loading = new WeakSet<object>()
  const loadInBackground = (execution: Execution, missing: NotLoaded): void => {
    // Each tick executes the transaction again, as a new execution.
    if (loading.has(execution.tx)) return
    loading.add(execution.tx)
    const loadAll = async (from: NotLoaded): Promise<void> => {
      await load(execution, from)
      const [next] = await collect(own, execution)
      if (next !== undefined) await loadAll(new NotLoaded([next], async () => {}))
    }
    loadAll(missing)
      .catch((error) => report(execution, error))
      .finally(() => loading.delete(execution.tx))
  }

  const noteTouched = (name: RecipeName, touched: Map<string, StateKey>, execution: Execution): void => {
    for (const key of startKeys(execution)) touched.delete(nameOfKey(key))
    recipes.note(name, [...touched.values()])
  }

  const execute = (execution: Execution, pause?: Yielder): Resumable<Executed> => {
    const name = recipeName(execution)
    const isNew = name !== undefined && (missed.has(execution.tx) || !recipes.isNoted(name))
    const touched = isNew ? new Map<string, StateKey>() : undefined
    const guard = (run: () => Resumable<Executed>): Resumable<Executed> => {
      try {
        const work = touched === undefined ? run() : origin.watch(touched, run)
        if (!(work instanceof Suspended)) {
          if (name !== undefined && touched !== undefined) noteTouched(name, touched, execution)
          return work
        }
        return new Suspended(() => guard(() => work.resume()), work.ready)
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error
        if (failed.has(execution)) return refused(execution)
        if (execution.mayDefer === undefined) throw new Missing(() => load(execution, error, pause))
        if (!execution.mayDefer) throw new Missing(() => loadOrRefuse(execution, error, pause))
        // The load outlives this execution, so it uses a copy.
        loadInBackground({ ...execution, mayDefer: false }, error)
        return refused(execution)
      }
    }
    return guard(() => own.execute(execution, pause))
  }

  return { execute, systemCall: (...call) => own.systemCall(...call) }
}

/** Returns a retryable refusal, so that the transaction waits, and the later ones of its sender with it. */
function refused({ state }: Execution): Executed {
  const outcome = { kind: 'rejected', error: new StateLoadingError(), retryable: true } as const
  return { outcome, overlay: new Overlay(state) }
}

/** Returns the keys that a provisional run misses; empty if all are known. */
async function collect(own: Executor, execution: Execution, pause?: Yielder): Promise<StateKey[]> {
  const missing: StateKey[] = []
  const base = execution.state
  const state: StateReader = {
    lastStorageId: base.lastStorageId,
    account: (address) => base.account(address),
    code: (codeHash) => base.code(codeHash),
    slot(storageId, key) {
      try {
        return base.slot(storageId, key)
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error
        missing.push(...error.keys)
        return 0n
      }
    },
  }
  const provisional = { ...execution, state, hooks: undefined }
  try {
    await resumeToEnd(own.execute(provisional, pause), pause)
  } catch (error) {
    if (error instanceof NotLoaded) missing.push(...error.keys)
    else if (error instanceof Missing) await error.load()
    else throw error
  }
  return missing
}

/** Returns the keys that an execution of the transaction always reads, and its access list. */
function startKeys({ tx, env }: Execution): StateKey[] {
  const { spec } = env.rules
  const paid = [env.coinbase, ...(spec === undefined ? [] : feeRecipients(spec))]
  const keys = [tx.from, ...paid, ...(tx.to === null ? [] : [tx.to])].map((address) => ({ address }))
  const listed = (tx.accessList ?? []).flatMap(({ address, storageKeys }): StateKey[] => [
    { address },
    ...storageKeys.map((slot) => ({ address, slot })),
  ])
  return [...keys, ...listed]
}

function recipeName({ tx: { to, data } }: Execution): RecipeName | undefined {
  return to === null ? undefined : `${to}${data.length < 4 ? '0x' : bytesToHex(data.subarray(0, 4))}`
}

/** Whether an execution may read more than {@link startKeys}, unlike a plain transfer. */
function canTouchMore({ tx }: Execution): boolean {
  return tx.to === null || tx.data.length > 0
}

function accessListRequest({ tx }: Execution, origin: Origin): RemoteRequest {
  const call = {
    from: tx.from,
    ...(tx.to !== null && { to: tx.to }),
    data: bytesToHex(tx.data),
    ...(tx.value > 0n && { value: quantity(tx.value) }),
  }
  return {
    method: 'eth_createAccessList',
    params: [call, origin.block],
    read: readAccessList,
    isPinned: true,
  }
}

const accessListAnswer = fields<{ readonly accessList: readonly AccessListEntry[] }>({ accessList })

/** How many keys of an access list are loaded. More would only cost requests. */
const MAX_KEYS = 10_000

/** Reads the keys in an answer of eth_createAccessList. @throws SchemaError */
function readAccessList(answer: unknown): readonly StateKey[] {
  const keys = accessListAnswer(answer).accessList.flatMap((entry): StateKey[] => {
    const account = { address: entry.address.toLowerCase() as Address }
    return [account, ...entry.storageKeys.map((slot) => ({ ...account, slot: slot.toLowerCase() as Hash }))]
  })
  return keys.slice(0, MAX_KEYS)
}
