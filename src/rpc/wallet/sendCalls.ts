/**
 * Sends batches of calls (EIP-5792), in a chunk that is loaded with the first batch.
 *
 * Each call is a separate transaction, so that the account itself is the caller, on every hardfork, with or
 * without a key:
 *
 *   simulate in order ─► sign ─► add all to the mempool at once ─► include in one block in order, or not at all
 */

import { callChecks } from '../../evm/call.ts'
import { executeLoaded } from '../../evm/executor.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { whenLoaded } from '../../primitives/missing.ts'
import type { RpcCallsSent } from '../../primitives/rpcTypes.ts'
import type { Address } from '../../primitives/types.ts'
import { bundle } from '../../protocol/bundle.ts'
import { gasOf, type Transaction, type TxEnv } from '../../protocol/transaction.ts'
import { EMPTY_ACCOUNT } from '../../state/account.ts'
import { Overlay } from '../../state/overlay.ts'
import { fillFields } from '../fillTransaction.ts'
import type { RpcContext } from '../method.ts'
import type { CallsRequest } from '../params/wallet.ts'
import { createPause } from '../pause.ts'
import {
  AtomicityUnsupportedError,
  TooManyCallsError,
  UnsupportedCapabilityError,
  UnsupportedChainError,
} from './errors.ts'
import { checkSender } from './sendTransaction.ts'

/** The supported capabilities. */
const CAPABILITIES: readonly string[] = ['atomic']

/**
 * Sends a batch. It is atomic if the gas limits of its calls fit into one block together; otherwise the transactions
 * are independent.
 *
 * @throws UnsupportedCapabilityError, UnsupportedChainError, DuplicateBatchError, TooManyCallsError,
 *   UnknownAccountError
 * @throws AtomicityUnsupportedError if it must be atomic but cannot be
 * @throws TransactionRejectedError, and as {@link fillFields} does for the first call that fails
 */
export async function sendCalls(context: RpcContext, request: CallsRequest): Promise<RpcCallsSent> {
  const { send, view } = context
  const from = checkRequest(context, request)
  return send.mining.inTurn(() => simulateAndSend({ ...context, viewed: view.capture() }, request, from))
}

async function simulateAndSend(
  context: RpcContext,
  request: CallsRequest,
  from: Address,
): Promise<RpcCallsSent> {
  const { viewed, send } = context
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
  await send.mining.sealPending()
  return { id }
}

/** Signs and sends without an await in between: concurrent sends get the nonces after these. */
function signAndEnter(
  context: RpcContext,
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
    send.enter(transactions)
  } catch (error) {
    restore()
    throw error
  }
  return { id, last: transactions.at(-1)!, undo: () => batches.remove(id) }
}

/** Checks a request before anything is simulated. @returns the sender. */
function checkRequest(context: RpcContext, request: CallsRequest): Address {
  const { read, send, permissions } = context
  const { id, calls, capabilities = [] } = request
  const needed = [...capabilities, ...calls.flatMap((call) => call.capabilities ?? [])]
  const missing = needed.find((name) => !CAPABILITIES.includes(name))
  if (missing !== undefined) throw new UnsupportedCapabilityError(missing)
  checkChain(read, request)
  if (id !== undefined) send.batches.checkNew(id)
  if (calls.length > send.maxPerSender) throw new TooManyCallsError(calls.length, send.maxPerSender)
  const from = request.from ?? permissions.accounts()[0]
  if (from === undefined)
    throw new InvalidParamsError('0.from', 'an address, as the connection has no accounts')
  checkSender(context, from)
  return from
}

function checkChain(read: RpcContext['read'], { chainId }: CallsRequest): void {
  if (chainId !== read.chainId) throw new UnsupportedChainError(chainId)
}

/** The first of `count` free nonces in a row: gaps between the sender's waiting transactions may be too small. */
function firstNonce({ viewed, read }: RpcContext, from: Address, count: number): bigint {
  let first = viewed.nextNonce(from)
  for (let nonce = first; nonce < first + BigInt(count); nonce += 1n) {
    if (read.mempool.at(from, nonce) !== undefined) first = nonce + 1n
  }
  return first
}

/** Converts calls to transactions without nonces, each filled in on the state after the ones before it. */
async function simulate(
  context: RpcContext,
  from: Address,
  calls: CallsRequest['calls'],
): Promise<Omit<TxEnv, 'nonce'>[]> {
  const { viewed, read } = context
  const { env, state: before } = viewed.pending
  const state = new Overlay(before)
  const first = firstNonce(context, from, calls.length)
  // Waiting transactions come first, and the addresses of created contracts depend on the nonces.
  state.setAccount(from, { ...(before.account(from) ?? EMPTY_ACCOUNT), nonce: first })
  const filled: Omit<TxEnv, 'nonce'>[] = []
  const pause = createPause(context)
  for (const { capabilities: _, ...call } of calls) {
    const nonce = first + BigInt(filled.length)
    const fields = await fillFields(context, { ...call, from, nonce }, state)
    const tx = { ...fields, nonce }
    const execution = { tx, env, state, checks: callChecks(tx) }
    const { outcome, overlay } = await executeLoaded(read.executor, execution, pause)
    if (outcome.kind === 'rejected') throw outcome.error
    overlay.merge()
    filled.push(fields)
    await pause()
  }
  return filled
}
