import { method } from '../method.ts'
import { callsRequest } from '../params/wallet.ts'

/**
 * Sends a batch of calls (EIP-5792): simulated one after the other, and included in one block one after the other, or
 * not at all (design, decision 57). In `auto` mining the block is sealed when this resolves.
 *
 * @throws UnsupportedCapabilityError, UnsupportedChainError, DuplicateBatchError, TooManyCallsError,
 *   AtomicityUnsupportedError, UnknownAccountError, InvalidParamsError, whatever an estimate throws,
 *   TransactionRejectedError
 */
export const wallet_sendCalls = method([callsRequest], async (context, request) => {
  const { sendCalls } = await import('../wallet/sendCalls.ts')
  return sendCalls(context, request)
})
