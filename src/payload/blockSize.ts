/** Sizes of blocks and transactions in RLP. */
import { rlpSize, rlpSizeOf } from '../primitives/rlp.ts'
import { type Header, headerItems } from '../protocol/header.ts'
import type { Transaction } from '../protocol/transaction.ts'

/** EIP-7934's limit of 8 MiB for a block's RLP, less the maximum size of header and prefixes. */
export const MAX_BODY_SIZE = 8 * 1024 * 1024 - 2048

/** The size in bytes of a transaction in a block's body: a legacy one is a list, others are wrapped as a string. */
export function sizeInBody({ type, raw }: Transaction): number {
  return type === 0 ? raw.length : rlpSizeOf(raw.length)
}

/** The size in bytes of a block's RLP. @param bodySize - the size of its transactions. */
export function blockSize(header: Header, bodySize: number): number {
  const withdrawals = header.withdrawalsRoot === undefined ? 0 : 1
  const noUncles = 1
  return rlpSizeOf(rlpSize(headerItems(header)) + rlpSizeOf(bodySize) + noUncles + withdrawals)
}
