import { defineMethod } from '../method.ts'
import { callsRequest } from '../params/wallet.ts'

/**
 * Sends a batch of calls (EIP-5792) and returns its id. The calls are simulated in order, then included in one block in
 * order, or not at all. If they need more gas than a block has, they are sent as independent transactions (spec.md 57,
 * 59). In `auto` mining, resolves once they are sealed.
 *
 * @throws UnsupportedCapabilityError, UnsupportedChainError, DuplicateBatchError, TooManyCallsError,
 *   AtomicityUnsupportedError, UnknownAccountError, TransactionRejectedError
 * @throws as eth_fillTransaction does
 * @group Wallet
 * @example [{ "version": "2.0.0", "chainId": "0x7a69", "from": "$bob", "atomicRequired": true, "calls": [{ "to": "$alice" }] }]
 */
export const wallet_sendCalls = defineMethod({
  class: 'wallet',
  turn: 'send',
  params: [callsRequest],
  handler: async (context, request) => (await import('../wallet/calls.ts')).sendCalls(context, request),
})
