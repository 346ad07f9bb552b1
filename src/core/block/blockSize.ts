/** Sizes of blocks and transactions in RLP. */
import { rlpSizeOf } from '../../base/rlp.ts'
import type { Header } from '../../ethereum/header.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

/** EIP-7934's limit of 8 MiB for a block's RLP, less the maximum size of header and prefixes. */
export const MAX_BODY_SIZE = 8 * 1024 * 1024 - 2048

/** The size in bytes of a transaction in a block's body: a legacy one is a list, others are wrapped as a string. */
export function sizeInBody({ type, raw }: Transaction): number {
  return type === 0 ? raw.length : rlpSizeOf(raw.length)
}

/**
 * The size in bytes of the RLP of a block without uncles.
 *
 * @param headerSize - that of its header's RLP.
 * @param bodySize - the sum of its transactions' sizes.
 * @param withdrawalsSize - the sum of its withdrawals' sizes.
 */
export function blockSize(
  { withdrawalsRoot }: Pick<Header, 'withdrawalsRoot'>,
  headerSize: number,
  bodySize: number,
  withdrawalsSize = 0,
): number {
  const withdrawals = withdrawalsRoot === undefined ? 0 : rlpSizeOf(withdrawalsSize)
  const noUncles = 1
  return rlpSizeOf(headerSize + rlpSizeOf(bodySize) + noUncles + withdrawals)
}
