/**
 * Transactions and receipts as the preconf view has them: to be pre-confirmed is the first confirmation. ethers makes
 * them itself, with what only its own constructors can put in; they are given another prototype afterwards.
 */
import { type AbstractProvider, makeError, TransactionReceipt, TransactionResponse } from 'ethers'

class PreconfTransactionResponse extends TransactionResponse {
  override wait(confirms?: number, timeout?: number): Promise<null | TransactionReceipt> {
    return super.wait(Math.max(confirms ?? 1, 1), timeout)
  }

  override replaceableTransaction(startBlock: number): TransactionResponse {
    return toPreconfTransaction(super.replaceableTransaction(startBlock))
  }
}

class ViewReceipt extends TransactionReceipt {
  override async confirmations(): Promise<number> {
    const confirmations = super.confirmations().catch((error) => {
      if (!(this.provider as AbstractProvider).destroyed) throw error
      // ethers asks in listeners that handle no rejection; how many there were can no longer be found out.
      return 1
    })
    return Math.max(1, await confirmations)
  }
}

/** A transaction whose `wait(0)` ends where `wait()` does, rather than with null before that. */
export function toPreconfTransaction(transaction: TransactionResponse): TransactionResponse {
  return Object.setPrototypeOf(transaction, PreconfTransactionResponse.prototype)
}

/** A receipt that has a confirmation before its block is sealed, and after its provider has ended. */
export function toViewReceipt(receipt: TransactionReceipt): TransactionReceipt {
  return Object.setPrototypeOf(receipt, ViewReceipt.prototype)
}

/**
 * What a wait for a receipt gets if there will be none. To `wait()` ethers has no other way to say so:
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
