/**
 * Sends batches of calls (EIP-5792) and reports their status, in a lazy chunk.
 *
 * Each call is a separate transaction, so that the account itself is the caller, on every hardfork, with or without a
 * key:
 *
 *   simulate in order ─► sign ─► add all to the mempool together ─► include in one block in order, or not at all
 */

import { quantity } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import type { DropReason } from '../../base/eventTypes.ts'
import type { PresealRpcCallReceipt, PresealRpcCallsStatus, RpcCallsSent } from '../../base/rpcTypes.ts'
import type { Address } from '../../base/types.ts'
import { whenLoaded } from '../../base/waiting.ts'
import type { TransactionPlace } from '../../core/ledger/ledger.ts'
import { callChecks } from '../../ethereum/evm/call.ts'
import { EMPTY_ACCOUNT } from '../../ethereum/state/account.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { bundle, gasOf, type Transaction, type TxEnv } from '../../ethereum/transaction.ts'
import { fillFields } from '../fillTransaction.ts'
import { toRpcReceipt } from '../format/format.ts'
import { atTurn, createPause, type ReadContext, type RpcContext, type SendingContext } from '../method.ts'
import type { CallsRequest } from '../params/wallet.ts'
import type { Batch } from './batches.ts'
import {
  AtomicityUnsupportedError,
  TooManyCallsError,
  UnknownBatchError,
  UnsupportedCapabilityError,
  UnsupportedChainError,
} from './errors.ts'
import { checkMaySend, checkPermitted } from './sendTransaction.ts'

const CAPABILITIES: readonly string[] = ['atomic']

/**
 * Sends a batch: atomic if its gas limits fit into one block together, otherwise as independent transactions.
 *
 * @throws as wallet_sendCalls does
 */
export async function sendCalls(context: SendingContext, request: CallsRequest): Promise<RpcCallsSent> {
  const { send, turn } = context
  const from = senderOf(context, request)
  turn.name(from)
  const earlier = send.mining.prepare(turn)
  if (earlier !== undefined) await earlier
  checkRequest(context, request, from)
  return simulateAndSend(atTurn(context), request, from)
}

async function simulateAndSend(
  context: SendingContext,
  request: CallsRequest,
  from: Address,
): Promise<RpcCallsSent> {
  const { viewed, send, turn } = context
  const fields = await simulate(context, from, request.calls)

  const { gasLimit } = viewed.pending.env
  const gas = gasOf(fields)
  const atomic = gas <= gasLimit
  if (request.atomicRequired && !atomic) throw new AtomicityUnsupportedError(gas, gasLimit)

  const { id, last, undo } = await whenLoaded(() => signAndEnter(context, request, from, fields, atomic))
  try {
    await send.stored(last)
  } catch (error) {
    undo()
    throw error
  }
  await send.mining.sealEntered(turn)
  return { id }
}

/** Signs and sends without an await in between, so that concurrent sends get later nonces. */
function signAndEnter(
  context: SendingContext,
  request: CallsRequest,
  from: Address,
  fields: readonly Omit<TxEnv, 'nonce'>[],
  atomic: boolean,
): { readonly id: string; readonly last: Transaction; undo(): void } {
  const { read, send } = context
  const { batches, signers } = send
  checkChain(read, request)
  const nonce = firstNonce(context, from, fields.length)
  const signed = fields.map((tx, i) => signers.authorize({ ...tx, nonce: nonce + BigInt(i) }))
  const transactions = atomic ? bundle(signed) : signed
  const restore = batches.capture()
  const id = batches.add({ chainId: read.chainId, atomic, transactions }, request.id)
  try {
    send.sendTogether(transactions, context.turn)
  } catch (error) {
    restore()
    throw error
  }
  return { id, last: transactions.at(-1)!, undo: () => batches.remove(id) }
}

/** Returns the sender (default: the connection's first account). @throws InvalidParamsError, UnknownAccountError */
function senderOf(context: RpcContext, { from = context.permissions.accounts()[0] }: CallsRequest): Address {
  if (from === undefined)
    throw new InvalidParamsError('0.from', 'an address, as the connection has no accounts')
  checkPermitted(context, from)
  return from
}

function checkRequest(context: RpcContext, request: CallsRequest, from: Address): void {
  const { read, send } = context
  const { id, calls, capabilities = [] } = request
  const needed = [...capabilities, ...calls.flatMap((call) => call.capabilities ?? [])]
  const missing = needed.find((name) => !CAPABILITIES.includes(name))
  if (missing !== undefined) throw new UnsupportedCapabilityError(missing)
  checkChain(read, request)
  if (id !== undefined) send.batches.checkNew(id)
  if (calls.length > send.maxPerSender) throw new TooManyCallsError(calls.length, send.maxPerSender)
  checkMaySend(context, from)
}

function checkChain(read: RpcContext['read'], { chainId }: CallsRequest): void {
  if (chainId !== read.chainId) throw new UnsupportedChainError(chainId)
}

/** Returns the first of `count` consecutive free nonces. Skips smaller gaps between waiting transactions. */
function firstNonce({ viewed, read }: RpcContext, from: Address, count: number): bigint {
  let first = viewed.nextNonce(from)
  for (let nonce = first; nonce < first + BigInt(count); nonce += 1n) {
    if (read.mempool.at(from, nonce) !== undefined) first = nonce + 1n
  }
  return first
}

/** Converts calls to transactions without nonces, each filled in on the state after the calls before it. */
async function simulate(
  context: RpcContext,
  from: Address,
  calls: CallsRequest['calls'],
): Promise<Omit<TxEnv, 'nonce'>[]> {
  const { viewed } = context
  const { executor } = viewed.tip.base.config
  const { env, state: before } = viewed.pending
  const state = new Overlay(before)
  const first = firstNonce(context, from, calls.length)
  // Starts at the nonce after the waiting transactions: addresses of created contracts depend on it.
  state.setAccount(from, { ...(before.account(from) ?? EMPTY_ACCOUNT), nonce: first })
  const filled: Omit<TxEnv, 'nonce'>[] = []
  const pause = createPause(context)
  for (const { capabilities: _, ...call } of calls) {
    const nonce = first + BigInt(filled.length)
    const fields = await fillFields(context, { ...call, from, nonce }, state)
    const tx = { ...fields, nonce }
    const execution = { tx, env, state, checks: callChecks(tx) }
    const { outcome, overlay } = await whenLoaded(() => executor.execute(execution, pause), pause)
    if (outcome.kind === 'rejected') throw outcome.error
    overlay.merge()
    filled.push(fields)
    await pause()
  }
  return filled
}

/** Returns the status of a batch on a view. @throws UnknownBatchError if its blocks are older than the history */
export function callsStatus(
  context: Pick<ReadContext, 'viewed' | 'read'>,
  id: string,
  { chainId, atomic, transactions }: Batch,
): PresealRpcCallsStatus {
  const { mempool } = context.read
  const receipts: PresealRpcCallReceipt[] = []
  const drops: DropReason[] = []
  for (const transaction of transactions) {
    const reason = mempool.drops.fateOf(transaction)
    // If the batch's transaction was dropped, a transaction with its hash may be a later send, alone or in a new batch.
    const isOfBatch = (found: Transaction) => found === transaction || reason === undefined
    const place = context.viewed.findTransaction(transaction.hash)
    const waiting = context.viewed.findPending(transaction.hash) ?? mempool.get(transaction.hash)
    if (place !== undefined && isOfBatch(place.block.transactions[place.index]!)) {
      receipts.push(toCallReceipt(place))
    } else if (waiting === undefined || !isOfBatch(waiting)) {
      if (reason === undefined) throw new UnknownBatchError(id)
      drops.push(reason)
    }
  }
  const waits = receipts.length + drops.length < transactions.length
  return {
    version: '2.0.0',
    id,
    chainId: quantity(chainId),
    status: waits ? 100 : statusOf(receipts, drops),
    atomic,
    ...(receipts.length > 0 && { receipts }),
  }
}

function statusOf(
  receipts: readonly PresealRpcCallReceipt[],
  drops: readonly DropReason[],
): PresealRpcCallsStatus['status'] {
  if (receipts.length === 0) return drops.includes('reverted') ? 500 : 400
  const failed = receipts.filter(({ status }) => status === '0x0').length
  if (failed === receipts.length) return 500
  return failed + drops.length === 0 ? 200 : 600
}

function toCallReceipt({ block, index }: TransactionPlace): PresealRpcCallReceipt {
  const { status, blockHash, blockNumber, gasUsed, transactionHash, logs } = toRpcReceipt(block, index)
  return {
    logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
    // A status is absent only before Byzantium, in imported blocks, which contain no batches.
    status: status!,
    blockHash,
    blockNumber,
    gasUsed,
    transactionHash,
  }
}
