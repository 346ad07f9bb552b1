/** Explains transactions and calls as call trees. Loaded on first use. */

import { quantity } from '../base/bytes.ts'
import type { DropReason } from '../base/eventTypes.ts'
import { check, parseOption } from '../base/options/option.ts'
import { boolean, integer, isHexOf } from '../base/options/optionSchemas.ts'
import { findSolidityTrace } from '../base/solidityTrace.ts'
import type { Hash } from '../base/types.ts'
import { whenLoaded } from '../base/waiting.ts'
import { NO_CHECKS } from '../core/trace/reexecution.ts'
import type { BlockView } from '../core/view/blockView.ts'
import type { BlockReference } from '../core/view/sources.ts'
import { executeCall } from '../ethereum/evm/call.ts'
import type { Hooks, Included } from '../ethereum/evm/executor.ts'
import type { Transaction, TxEnv } from '../ethereum/transaction.ts'
import { explainRecord, Recorder } from '../inspect/explain/explainRecord.ts'
import { type PreparedArtifacts, prepareArtifacts } from '../inspect/explain/identify.ts'
import type { ExplainCall, ExplainOptions, Explanation } from '../inspect/explain/tree.ts'
import { TransactionNotFoundError } from '../rpc/errors.ts'
import { createPause, type ReadContext, type RpcContext } from '../rpc/method.ts'
import { blockParameter } from '../rpc/params/block.ts'
import { callObject } from '../rpc/params/callObject.ts'
import { prepareCall } from '../rpc/prepareCall.ts'
import { traceTransaction } from '../rpc/traces.ts'

/** The default of the option `maxItems`, and the maximum number of bytes of data in a tree. */
const [MAX_ITEMS, MAX_BYTES] = [10_000, 2 ** 24] as const

/** Checked {@link ExplainOptions}. */
interface Resolved {
  readonly artifacts: PreparedArtifacts
  readonly block: BlockReference
  readonly createRecorder: () => Recorder
}

/** Explains a transaction or a call; see `PresealChain.explain`. @param context - on the preconf view. */
export async function explain(
  context: ReadContext & Pick<RpcContext, 'dialect'>,
  target: Hash | ExplainCall,
  options: ExplainOptions | undefined,
): Promise<Explanation> {
  const resolved = resolve(context, options)
  if (typeof target !== 'string') return explainCall(context, target, resolved)
  check(isHexOf(target, 32), 'target', 'the hash of a transaction, or a call')
  return explainTransaction(context, target.toLowerCase() as Hash, resolved)
}

function resolve({ read }: ReadContext, options: ExplainOptions = {}): Resolved {
  check(typeof options === 'object' && options !== null, 'options', 'an object')
  const { artifacts, storage = false, block = 'pending', maxItems = MAX_ITEMS } = options
  const limits = { items: parseOption(integer(1), maxItems, 'maxItems'), bytes: MAX_BYTES }
  const withStorage = parseOption(boolean, storage, 'storage')
  return {
    artifacts: prepareArtifacts(artifacts, read.crypto),
    block: parseOption(blockParameter, toQuantity(block), 'block'),
    createRecorder: () => new Recorder(limits, withStorage),
  }
}

/** The execution to explain: a call, or a transaction with its block. */
interface Subject extends Pick<Explanation, 'stage' | 'hash' | 'block'> {
  readonly dropReason?: DropReason | undefined
  readonly notes?: readonly string[]
  /** Executes the subject. Called again after a failure, for the stack trace. */
  execute(hooks: Hooks): Promise<{ readonly tx: Pick<TxEnv, 'gasLimit'>; readonly outcome: Included }>
}

async function explainTransaction(
  context: ReadContext,
  hash: Hash,
  resolved: Resolved,
): Promise<Explanation> {
  const { viewed, read } = context
  const place = await whenLoaded(() => viewed.findTransaction(hash))
  if (place !== undefined) {
    const result = (tx: TxEnv, outcome: Included) => ({ tx, outcome })
    return toExplanation(context, resolved, {
      stage: place.sealed ? 'sealed' : 'preconfirmed',
      hash,
      block: placeOf(place),
      execute: async (hooks) =>
        (await whenLoaded(() => traceTransaction(context, hash, () => ({ hooks, result }))))!,
    })
  }
  const waiting = read.mempool.get(hash)
  const transaction = waiting ?? read.mempool.drops.transaction(hash)
  if (transaction === undefined) throw new TransactionNotFoundError()
  const dropReason = waiting === undefined ? read.mempool.drops.reasonOf(hash) : undefined
  return simulate(context, transaction, resolved, {
    stage: waiting === undefined ? 'dropped' : 'waiting',
    dropReason,
  })
}

/** Executes a transaction that is in no block, on the block under construction. */
async function simulate(
  context: ReadContext,
  tx: Transaction,
  resolved: Resolved,
  fate: Pick<Subject, 'stage' | 'dropReason'>,
): Promise<Explanation> {
  const { viewed } = context
  const { executor } = viewed.tip.base.config
  const view = await viewed.require({ kind: 'tag', tag: 'pending' })
  const { state, env } = view
  return toExplanation(context, resolved, {
    ...fate,
    hash: tx.hash,
    block: placeOf(view),
    notes: [
      'the transaction is in no block: it was executed after the pending block, without checks of its nonce, its fees and the funds of its sender',
    ],
    execute: async (hooks) => {
      const execution = { tx, env, state, checks: NO_CHECKS, hooks }
      return { tx, outcome: await executeCall(executor, execution, createPause(context)) }
    },
  })
}

async function explainCall(
  context: ReadContext & Pick<RpcContext, 'dialect'>,
  call: ExplainCall,
  resolved: Resolved,
): Promise<Explanation> {
  check(typeof call === 'object' && call !== null, 'target', 'the hash of a transaction, or a call')
  const fields = Object.entries(call).map(([name, value]) => [name, toQuantity(value)])
  const parsed = parseOption(callObject, Object.fromEntries(fields), 'target')
  const { viewed } = context
  const { executor } = viewed.tip.base.config
  const view = await viewed.require(resolved.block)
  const prepared = prepareCall(parsed, view, context)
  return toExplanation(context, resolved, {
    stage: 'call',
    block: placeOf(view),
    execute: async (hooks) => ({
      tx: prepared.tx,
      outcome: await executeCall(executor, { ...prepared, hooks }, createPause(context)),
    }),
  })
}

async function toExplanation(
  { read }: ReadContext,
  { artifacts, createRecorder }: Resolved,
  { stage, hash, block, dropReason, notes = [], execute }: Subject,
): Promise<Explanation> {
  const recorder = createRecorder()
  const { tx, outcome } = await execute(recorder)
  const { gasUsed, succeeded, error } = outcome
  const failure = error === undefined ? undefined : new Error(error)
  const solidity = failure && findSolidityTrace(await read.traceFailure?.(failure, execute))
  const record = await whenLoaded(() =>
    explainRecord(recorder, artifacts, { gasLimit: tx.gasLimit, gasUsed }),
  )
  return {
    stage,
    ...(hash && { hash }),
    block,
    isSimulated: stage !== 'sealed' && stage !== 'preconfirmed',
    ...(dropReason && { dropReason }),
    succeeded,
    gasUsed,
    ...record,
    ...(solidity && { solidity }),
    notes: [...notes, ...record.notes],
  }
}

function placeOf({ block: { number, hash } }: Pick<BlockView, 'block'>): Explanation['block'] {
  return { number, hash }
}

/** Converts an integer >= 0 to a hex quantity, as the wire schemas require; returns any other value unchanged. */
function toQuantity(value: unknown): unknown {
  const isAmount =
    typeof value === 'bigint' ? value >= 0n : Number.isSafeInteger(value) && (value as number) >= 0
  return isAmount ? quantity(value as bigint | number) : value
}
