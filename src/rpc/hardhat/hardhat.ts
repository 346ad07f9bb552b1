/** The `hardhat` dialect, with the answers of Hardhat 3. */

import { bytesToHex } from '../../base/bytes.ts'
import type { TransactionRejectedError } from '../../base/errors.ts'
import { isObject, type Schema } from '../../base/schema.ts'
import type { Address, Hash } from '../../base/types.ts'
import { BlockBuilder } from '../../core/block/blockBuilder.ts'
import { includeAll } from '../../core/block/inclusion.ts'
import type { Payload } from '../../core/block/payload.ts'
import type { Tip } from '../../core/sequencer/tip.ts'
import type { ViewedTip } from '../../core/view/view.ts'
import { extraFeesOf } from '../../ethereum/chainSpec.ts'
import {
  BlockGasLimitError,
  FeeCapTooLowError,
  InsufficientFundsError,
  NonceTooHighError,
  NonceTooLowError,
} from '../../ethereum/errors.ts'
import { ExecutionFailedError, ExecutionRevertedError } from '../../ethereum/evm/errors.ts'
import { feeCapOf, maxCost, type Transaction } from '../../ethereum/transaction.ts'
import type { AdaptedRequest, DialectExtension, EstimateContext, SendContext } from '../dialectExtension.ts'
import { FilterNotFoundError } from '../errors.ts'
import { atTurn, createPause } from '../method.ts'
import { reexecute } from '../traces.ts'
import { word } from './wording.ts'

// Results as in Hardhat's network: true for done, decimal digits for times, null for unknown filters.

/** See `DialectExtension.adapt`. */
export const adapt: DialectExtension['adapt'] = async (name, request) => {
  const run = RESULTS[name.slice(name.indexOf('_') + 1)]
  return run === undefined ? ((await request.answer()) ?? true) : run(request)
}

/** Adapters by method name without prefix. If a method has no adapter, its null result becomes true. */
const RESULTS: Readonly<Record<string, (request: AdaptedRequest) => Promise<unknown>>> = {
  increaseTime: async ({ answer }) => String(Number(await answer())),
  setNextBlockTimestamp: async ({ values, answer }) => {
    await answer()
    return String(values[0])
  },
  async mine({ answer }) {
    const result = await answer()
    return result === null ? true : String(Number(result))
  },
  async stopImpersonatingAccount({ context, values, answer }) {
    const wasImpersonated = context.send.signers.impersonated.includes(values[0] as Address)
    await answer()
    return wasImpersonated
  },
  getFilterChanges: ({ answer }) => nullIfUnknown(answer),
  getFilterLogs: ({ answer }) => nullIfUnknown(answer),
}

async function nullIfUnknown(answer: () => unknown): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof FilterNotFoundError) return null
    throw error
  }
}

// Hardhat's pending block contains all waiting transactions. Its clients send transactions without a block in between,
// such as a deployment and a call of the deployed contract.
//
// Owns: by tip, the last preconf block built from waiting transactions.

/** By tip, an unpublished preconf block, built as a tick would build it. */
const aheads = new WeakMap<Tip, Payload>()

/** See `DialectExtension.estimateOn`. */
export const estimateOn: DialectExtension['estimateOn'] = async (context, { env }) => {
  const { state } = await includeAhead(context)
  return { state, env }
}

/** Returns the newest preconf block with all waiting transactions added, unpublished. */
async function includeAhead({ view, read, control, closed }: EstimateContext): Promise<Payload> {
  const { tip } = view.capture()
  const waiting = new Map<Hash, Transaction>()
  for (const transaction of control.cheats.mempool.best()) waiting.set(transaction.hash, transaction)
  let from = aheads.get(tip) ?? tip.preconf
  // Transactions that were replaced or dropped meanwhile cannot be removed from the block.
  if (!addedTo(from, tip).every(({ hash }) => waiting.has(hash))) from = tip.preconf
  for (const { hash } of addedTo(from, tip)) waiting.delete(hash)
  if (waiting.size === 0) return from
  const builder = new BlockBuilder(tip.base.config, from, createPause({ read, closed }))
  await includeAll(builder, [...waiting.values()])
  if (builder.size === 0) return from
  const ahead = await builder.end(from.index + 1)
  aheads.set(tip, ahead)
  return ahead
}

/** Returns the transactions of an unpublished block that are not pre-confirmed. */
function addedTo({ block }: Payload, { preconf }: Tip): readonly Transaction[] {
  return block.transactions.slice(preconf.block.transactions.length)
}

// Hardhat seals one block per transaction, and throws if the transaction fails in it.

/**
 * Sends a transaction. In `auto` mining, does so after all earlier sends, and seals it together with any waiting
 * transactions.
 *
 * @throws TransactionRejectedError in `auto` mining also for a nonce gap and a low fee cap: it would not be sealed
 * @throws ExecutionRevertedError, ExecutionFailedError in `auto` mining, if the transaction failed in its block; the
 *   error's `transactionHash` is its hash
 */
export const send: DialectExtension['send'] = async (context, submit) => {
  const { mining } = context.send
  // Transactions that already waited when automine was turned on enter the same block.
  const earlier = mining.prepare(context.turn, false)
  if (earlier !== undefined) await earlier
  const now = atTurn(context)
  const isSealed = mining.automine
  const tx = await submit(now, (tx) => {
    if (isSealed) check(tx, now.viewed)
  })
  if (isSealed) await refuseFailed({ ...now, viewed: context.view.capture() }, tx.hash)
  return tx
}

/**
 * Refuses, in Hardhat's words, a transaction that the next block could not include.
 *
 * @throws TransactionRejectedError
 */
function check(tx: Transaction, viewed: ViewedTip): void {
  const { env, state } = viewed.pending
  const { balance = 0n } = state.account(tx.from) ?? {}
  const nonce = viewed.nextNonce(tx.from)
  if (tx.nonce !== nonce) {
    const error = tx.nonce < nonce ? new NonceTooLowError() : new NonceTooHighError()
    const side = tx.nonce < nonce ? 'low' : 'high'
    const gap = `Expected nonce to be ${nonce} but got ${tx.nonce}.`
    throw worded(error, `Nonce too ${side}. ${gap} Note that transactions can't be queued when automining.`)
  }
  if (tx.gasLimit > env.gasLimit) {
    const limits = `${tx.gasLimit} and exceeds block gas limit of ${env.gasLimit}`
    throw worded(new BlockGasLimitError(), `Transaction gas limit is ${limits}`)
  }
  const feeCap = feeCapOf(tx)
  if (feeCap < env.baseFee) {
    const field = tx.type < 2 ? 'gasPrice' : 'maxFeePerGas'
    const next = `the next block, which has a baseFeePerGas of ${env.baseFee}`
    const error = new FeeCapTooLowError(feeCap, env.baseFee)
    throw worded(error, `Transaction ${field} (${feeCap}) is too low for ${next}`)
  }
  const cost = maxCost(tx) + extraFeesOf(tx, viewed.pending)
  if (cost > balance) {
    const amounts = `The max upfront cost is: ${cost} and the sender's balance is: ${balance}.`
    throw worded(new InsufficientFundsError(), `Sender doesn't have enough funds to send tx. ${amounts}`)
  }
}

function worded(error: TransactionRejectedError, message: string): TransactionRejectedError {
  return Object.assign(error, { message })
}

/** @throws ExecutionRevertedError, ExecutionFailedError if the transaction failed in a block */
async function refuseFailed(context: SendContext, hash: Hash): Promise<void> {
  const place = context.viewed.findRecent(hash)
  if (place === undefined || place.block.receipts[place.index]!.succeeded) return
  const view = await context.viewed.require({ kind: 'hash', hash: place.block.hash, requireCanonical: false })
  const execution = reexecute(context, view)
  const pause = createPause(context)
  const { error, output } = await execution.run(place.index, {}, pause)
  const failure =
    error === 'execution reverted'
      ? new ExecutionRevertedError(bytesToHex(output))
      : new ExecutionFailedError(error!)
  Object.assign(failure, { transactionHash: hash })
  await context.read.traceFailure?.(failure, (hooks) => execution.run(place.index, hooks, pause))
  throw failure
}

/** The extension of the `hardhat` dialect. */
export const hardhat: DialectExtension = {
  readParams(params, specs) {
    if (!Array.isArray(params)) return params
    return params.map((value: unknown, i) => (isAccepted(value, specs[i]) ? value : toQuantities(value)))
  },
  complete(request, { pending: { env } }) {
    if (request.gas !== undefined) return request
    const { maxTransactionGas: cap = env.gasLimit } = env.rules
    return { ...request, gas: cap < env.gasLimit ? cap : env.gasLimit }
  },
  estimateOn,
  adapt,
  send,
  word,
}

function isAccepted(value: unknown, spec: Schema<unknown> | undefined): boolean {
  try {
    spec?.parse(value, '')
    return true
  } catch {
    return false
  }
}

/** Converts a JSON number, or the numbers in an object's fields, to quantities. */
function toQuantities(value: unknown): unknown {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return `0x${(value as number).toString(16)}`
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isObject(field) ? field : toQuantities(field)]),
  )
}
