/**
 * ethers' transactions and receipts with a pre-confirmation as the first confirmation. ethers creates them, as only its
 * constructors can set their private fields; they get another prototype afterwards.
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
      // ethers calls this in listeners that handle no rejection, and the number can no longer be fetched.
      return 1
    })
    return Math.max(1, await confirmations)
  }
}

/** A transaction whose `wait(0)` waits as `wait()` does, instead of resolving to null if there is no receipt yet. */
export function toPreconfTransaction(transaction: TransactionResponse): TransactionResponse {
  return Object.setPrototypeOf(transaction, PreconfTransactionResponse.prototype)
}

/** A receipt with at least one confirmation, even before its block is sealed or after its provider is destroyed. */
export function toViewReceipt(receipt: TransactionReceipt): TransactionReceipt {
  return Object.setPrototypeOf(receipt, ViewReceipt.prototype)
}

/**
 * A receipt that rejects the wait it is passed to. ethers has no other way to reject `wait()`: it reads the receipt's
 * status, and rejects with what that throws.
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
