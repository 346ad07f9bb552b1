/** Fills in, signs and sends transactions from the chain's accounts, and signs messages. */

import type { Address, Hex } from '../../base/types.ts'
import { UnknownAccountError } from '../../core/accounts/errors.ts'
import type { Transaction, TxEnv } from '../../ethereum/transaction.ts'
import { fillFields, fillNonce } from '../fillTransaction.ts'
import { loadExtension } from '../loadExtension.ts'
import { atTurn, type RpcContext, type SendingContext } from '../method.ts'
import type { TransactionRequest } from '../params/callObject.ts'
import { checkChainId } from '../prepareCall.ts'

type Context = Pick<RpcContext, 'viewed' | 'read' | 'dialect' | 'send' | 'permissions' | 'closed'>
type SendContext = Context & Pick<SendingContext, 'view' | 'turn'>

/**
 * Fills in, authorizes and sends a transaction in its turn. Its default nonce follows the sender's waiting
 * transactions.
 *
 * @throws UnknownAccountError, TransactionRejectedError, and as {@link fillFields} does
 */
export function sendTransaction(context: SendContext, request: TransactionRequest): Promise<Transaction> {
  const { signers } = context.send
  checkPermitted(context, request.from)
  const check = () => checkMaySend(context, request.from)
  return completeAndSend(context, request, (tx) => signers.authorize(tx), check)
}

/** Like {@link sendTransaction}, but for any sender; needs no permission. */
export function sendUnsignedTransaction(
  context: SendContext,
  request: TransactionRequest,
): Promise<Transaction> {
  return completeAndSend(context, request, (tx) => context.send.signers.toUnsignedTransaction(tx))
}

/** Fills in a transaction and signs it. @throws UnknownAccountError, and as {@link fillFields} does */
export function signTransaction(context: Context, request: TransactionRequest): Promise<Transaction> {
  const { signers } = context.send
  checkPermitted(context, request.from)
  signers.checkKey(request.from)
  return complete(context, request, (tx) => signers.sign(tx))
}

/** Checks that a connection may send from an account. @throws UnknownAccountError if not */
export function checkSender(context: Pick<Context, 'permissions' | 'send'>, account: Address): void {
  checkPermitted(context, account)
  checkMaySend(context, account)
}

/** Checks that an account has a key or is impersonated. @throws UnknownAccountError */
export function checkMaySend({ send }: Pick<Context, 'send'>, account: Address): void {
  if (!send.signers.maySend(account)) throw new UnknownAccountError(account)
}

/** Checks that the connection may use the chain's accounts. @throws UnknownAccountError */
export function checkPermitted({ permissions }: Pick<Context, 'permissions'>, account: Address): void {
  if (!permissions.granted) throw new UnknownAccountError(account)
}

/** @param check - throws if the account may not send. Called when the turn has come, after earlier impersonations. */
async function completeAndSend(
  context: SendContext,
  request: TransactionRequest,
  authorize: (tx: TxEnv) => Transaction,
  check?: () => void,
): Promise<Transaction> {
  const { send, turn, dialect } = context
  turn.name(request.from)
  const extension = loadExtension(dialect)
  if (extension !== undefined) {
    const { complete: fillIn, send: sendInDialect } = await extension
    return sendInDialect(context, (now, refuse) => {
      check?.()
      return complete(now, fillIn(request, now.viewed), (tx) => {
        const authorized = authorize(tx)
        refuse(authorized)
        return send.send(authorized, turn)
      })
    })
  }
  // Without a gas limit, waits until automine has sealed earlier sends: the estimate needs the state after them.
  const earlier = request.gas === undefined ? send.mining.prepare(turn) : turn.begin()
  if (earlier !== undefined) await earlier
  check?.()
  return complete(atTurn(context), request, (tx) => send.send(authorize(tx), turn))
}

async function complete<T>(
  context: Context,
  request: TransactionRequest,
  then: (tx: TxEnv) => T | Promise<T>,
): Promise<T> {
  const fields = await fillFields(context, request)
  // No await from here to the send, so that a concurrent send gets the next nonce.
  checkChainId(request, context.read.chainId, '0')
  return then({ ...fields, nonce: fillNonce(context, request) })
}

/** Signs a message with an account of the chain (EIP-191). @throws UnknownAccountError */
export async function signMessage(
  context: Pick<RpcContext, 'send' | 'permissions'>,
  account: Address,
  message: Uint8Array,
): Promise<Hex> {
  checkPermitted(context, account)
  const { signers } = context.send
  return signers.signMessage(account, message)
}
