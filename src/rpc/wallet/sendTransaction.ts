/** Fills in, signs and sends transactions for the chain's accounts. */
import { UnknownAccountError } from '../../accounts/errors.ts'
import type { Address } from '../../primitives/types.ts'
import type { Transaction, TxEnv } from '../../protocol/transaction.ts'
import { checkChainId } from '../call.ts'
import type { DialectExtension } from '../dialectExtension.ts'
import { fillFields, fillNonce } from '../fillTransaction.ts'
import { loadExtension } from '../loadExtension.ts'
import type { RpcContext } from '../method.ts'
import type { TransactionRequest } from '../params/call.ts'

type Context = Pick<RpcContext, 'viewed' | 'read' | 'dialect' | 'send' | 'permissions' | 'closed'>
type SendContext = Context & Pick<RpcContext, 'view'>

/**
 * Fills in a transaction, signs it or impersonates its sender, and adds it to the mempool after its sender's waiting
 * transactions.
 *
 * @throws UnknownAccountError, TransactionRejectedError, and as {@link fillFields} does
 */
export function sendTransaction(context: SendContext, request: TransactionRequest): Promise<Transaction> {
  const { signers } = context.send
  checkSender(context, request.from)
  return completeAndSend(context, request, (tx) => signers.authorize(tx))
}

/** Like {@link sendTransaction}, but for any sender; needs no permission. */
export function sendUnsignedTransaction(
  context: SendContext,
  request: TransactionRequest,
): Promise<Transaction> {
  const { signers } = context.send
  return completeAndSend(context, request, (tx) => signers.toUnsignedTransaction(tx))
}

/** Fills in a transaction and signs it. @throws UnknownAccountError, and as {@link fillFields} does */
export function signTransaction(context: Context, request: TransactionRequest): Promise<Transaction> {
  const { signers } = context.send
  checkPermitted(context, request.from)
  signers.checkKey(request.from)
  return complete(context, request, (tx) => signers.sign(tx))
}

/**
 * Checks that the connection may send for an account.
 *
 * @throws UnknownAccountError if it has no permission, or the account neither has a key nor is impersonated
 */
export function checkSender(context: Pick<Context, 'permissions' | 'send'>, account: Address): void {
  checkPermitted(context, account)
  if (!context.send.signers.maySend(account)) throw new UnknownAccountError(account)
}

/** Checks that the connection may use the chain's accounts. @throws UnknownAccountError */
export function checkPermitted({ permissions }: Pick<Context, 'permissions'>, account: Address): void {
  if (!permissions.granted) throw new UnknownAccountError(account)
}

function completeAndSend(
  context: SendContext,
  request: TransactionRequest,
  authorize: (tx: TxEnv) => Transaction,
): Promise<Transaction> {
  const { send, view } = context
  const extension = loadExtension(context.dialect)
  if (extension !== undefined) return sendInDialect(context, request, authorize, extension)
  const submit = (now: Context) => complete(now, request, (tx) => send.submit(authorize(tx)))
  // With a gas limit, nothing is estimated on the state after earlier sends.
  if (request.gas !== undefined) return submit(context)
  return send.mining.inTurn(() => submit({ ...context, viewed: view.capture() }))
}

async function sendInDialect(
  context: SendContext,
  request: TransactionRequest,
  authorize: (tx: TxEnv) => Transaction,
  extension: Promise<DialectExtension>,
): Promise<Transaction> {
  const { complete: fillIn, send } = await extension
  return send(context, (now, check) =>
    complete(now, fillIn(request, now.viewed), (tx) => {
      const authorized = authorize(tx)
      check(authorized)
      return now.send.submit(authorized)
    }),
  )
}

async function complete<T>(
  context: Context,
  request: TransactionRequest,
  then: (tx: TxEnv) => T | Promise<T>,
): Promise<T> {
  const fields = await fillFields(context, request)
  // No await from here to the send: a concurrent send gets the nonce after this one.
  checkChainId(request, context.read.chainId, '0')
  return then({ ...fields, nonce: fillNonce(context, request) })
}
