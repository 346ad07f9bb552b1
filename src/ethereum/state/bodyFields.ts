/** The commitments of a header to its block's body: roots of lists, and the hash of the uncles. */
import { bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { encodeRlp } from '../../base/rlp.ts'
import type { Hash } from '../../base/types.ts'
import type { Withdrawal } from '../block.ts'
import { encodeWithdrawal } from '../blockEncoding.ts'
import { type Header, headerItems } from '../header.ts'
import { listRoot } from './trie.ts'

/** Computes the header's `withdrawalsRoot` (EIP-4895). */
export function withdrawalsRoot(withdrawals: readonly Withdrawal[], crypto: Crypto): Hash {
  const items = withdrawals.map((one) => encodeRlp(encodeWithdrawal(one)))
  return rootOf(items, crypto)
}

/** The header fields that commit to a body. @param transactions - the encoded transactions. */
export function bodyFields(
  transactions: readonly Uint8Array[],
  uncles: readonly Header[],
  withdrawals: readonly Withdrawal[] | undefined,
  crypto: Crypto,
): Pick<Header, 'transactionsRoot' | 'sha3Uncles' | 'withdrawalsRoot'> {
  return {
    transactionsRoot: rootOf(transactions, crypto),
    sha3Uncles: crypto.keccak256Hex(encodeRlp(uncles.map(headerItems))),
    withdrawalsRoot: withdrawals && withdrawalsRoot(withdrawals, crypto),
  }
}

function rootOf(items: readonly Uint8Array[], crypto: Crypto): Hash {
  return bytesToHex(listRoot(items, crypto))
}
