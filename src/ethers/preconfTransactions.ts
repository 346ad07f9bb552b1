/**
 * Transactions and receipts as the preconf view has them: to be pre-confirmed is the first confirmation. ethers makes
 * them itself, with what only its own constructors can put in; they are given another prototype afterwards.
 */
import { makeError, TransactionReceipt, TransactionResponse } from 'ethers'

class PreconfTransactionResponse extends TransactionResponse {
  override wait(confirms?: number, timeout?: number): Promise<null | TransactionReceipt> {
    return super.wait(Math.max(confirms ?? 1, 1), timeout)
  }

  override replaceableTransaction(startBlock: number): TransactionResponse {
    return toPreconfTransaction(super.replaceableTransaction(startBlock))
  }
}

class PreconfTransactionReceipt extends TransactionReceipt {
  override async confirmations(): Promise<number> {
    return Math.max(1, await super.confirmations())
  }
}

/** A transaction whose `wait(0)` ends where `wait()` does, rather than with null before that. */
export function toPreconfTransaction(transaction: TransactionResponse): TransactionResponse {
  return Object.setPrototypeOf(transaction, PreconfTransactionResponse.prototype)
}

/** A receipt that has a confirmation before its block is sealed. */
export function toPreconfReceipt(receipt: TransactionReceipt): TransactionReceipt {
  return Object.setPrototypeOf(receipt, PreconfTransactionReceipt.prototype)
}

/**
 * What whoever waits for a receipt is handed where there will be none. To `wait()` ethers has no other way to say so:
 * it looks at the status of the receipt it is handed, and rejects with what that throws.
 */
export function toMissingReceipt(): TransactionReceipt {
  const missing = {
    confirmations: async () => Number.POSITIVE_INFINITY,
    get status(): never {
      throw makeError('provider destroyed; cancelled request', 'UNSUPPORTED_OPERATION', { operation: 'wait' })
    },
  }
  return missing as unknown as TransactionReceipt
}
