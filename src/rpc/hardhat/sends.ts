/** How Hardhat sends: a block for each transaction, and an error for one that fails in its block. */

import { bytesToHex } from '../../base/bytes.ts'
import type { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import type { ViewedTip } from '../../core/view/viewedTip.ts'
import {
  BlockGasLimitError,
  FeeCapTooLowError,
  InsufficientFundsError,
  NonceTooHighError,
  NonceTooLowError,
} from '../../ethereum/errors.ts'
import { ExecutionFailedError, ExecutionRevertedError } from '../../ethereum/evm/errors.ts'
import { feeCapOf, maxCost, type Transaction } from '../../ethereum/transaction.ts'
import type { DialectExtension, SendContext } from '../dialectExtension.ts'
import { createPause } from '../pause.ts'
import { reexecute } from '../traces.ts'
import { atTurn } from '../wallet/atTurn.ts'

/**
 * Sends a transaction: in `auto` mining after all earlier sends, into a block of its own, with what waits for one.
 *
 * @throws TransactionRejectedError in `auto` mining, also for a nonce gap and a low fee cap: it would not be sealed
 * @throws ExecutionRevertedError, ExecutionFailedError if it failed in its block; `transactionHash` is its hash
 */
export const send: DialectExtension['send'] = async (context, submit) => {
  const { mining } = context.send
  // What waits since before automine was turned on enters the same block.
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

/** Decodes and sends a signed transaction; see {@link send}. */
export const sendRaw: DialectExtension['sendRaw'] = (context, raw) =>
  send(context, async (now, check) => {
    const { turn } = now
    const tx = await now.send.decode(raw)
    turn.name(tx.from)
    const earlier = turn.begin()
    if (earlier !== undefined) await earlier
    check(tx)
    return now.send.submit(tx, turn)
  })

/** The rules that hold for transactions which are sealed at once. @throws TransactionRejectedError */
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
  const cost = maxCost(tx)
  if (cost > balance) {
    const amounts = `The max upfront cost is: ${cost} and the sender's balance is: ${balance}.`
    throw worded(new InsufficientFundsError(), `Sender doesn't have enough funds to send tx. ${amounts}`)
  }
}

function worded(error: TransactionRejectedError, message: string): TransactionRejectedError {
  return Object.assign(error, { message })
}

/** @throws ExecutionRevertedError, ExecutionFailedError if the transaction failed in a block. */
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
  await context.read.traceFailure?.(failure, (tracer) => execution.run(place.index, { tracer }, pause))
  throw failure
}
