/** Blocks as RLP (Yellow Paper, section 4.3; EIP-4895). */
import { bigintToBytes, hexToBytes } from '../base/bytes.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../base/rlp.ts'
import type { Block, Withdrawal } from './block.ts'
import { headerItems } from './header.ts'
import type { Transaction } from './transaction.ts'

/** The items of a block's RLP after its header: legacy transactions as their fields, others as bytes. */
export type BlockBody = readonly [
  transactions: readonly (Uint8Array | Uint8Array[])[],
  uncles: readonly Uint8Array[][],
  withdrawals?: readonly WithdrawalBytes[],
]

/** A withdrawal's fields: index, validator, address, amount. */
export type WithdrawalBytes = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array]

/** The fields of a block that are encoded; its transactions need only their bytes. */
export type EncodableBlock = Pick<Block, 'header' | 'uncles' | 'withdrawals'> & {
  readonly transactions: readonly Pick<Transaction, 'raw'>[]
}

/** The items of a block's body in its RLP. */
export function encodeBody({ transactions, uncles, withdrawals }: Omit<EncodableBlock, 'header'>): BlockBody {
  // Not `map`, whose result has another kind of elements once it is compiled: the encoder would be compiled again for it.
  const encoded: (Uint8Array | Uint8Array[])[] = []
  for (const { raw } of transactions) encoded.push(raw[0]! < 0x80 ? raw : (decodeRlp(raw) as Uint8Array[]))
  const headers: Uint8Array[][] = []
  for (const uncle of uncles) headers.push(headerItems(uncle))
  if (withdrawals === undefined) return [encoded, headers]
  const paid: WithdrawalBytes[] = []
  for (const withdrawal of withdrawals) paid.push(encodeWithdrawal(withdrawal))
  return [encoded, headers, paid]
}

/** The RLP of a whole block. */
export function encodeBlock(block: EncodableBlock): Uint8Array {
  return encodeRlp([headerItems(block.header), ...encodeBody(block)] as readonly RlpItem[])
}

/** A withdrawal's fields in its RLP. */
export function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): WithdrawalBytes {
  return [bigintToBytes(index), bigintToBytes(validatorIndex), hexToBytes(address), bigintToBytes(amount)]
}
