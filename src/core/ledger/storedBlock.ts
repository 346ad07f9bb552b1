/** Decodes stored blocks, and verifies them against their hashes. */

import { bytesToHex } from '../../base/bytes.ts'
import { keccak256, loadCrypto } from '../../base/crypto/crypto.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpSize } from '../../base/rlp.ts'
import type { Hash } from '../../base/types.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { type BlockBody, decodeHeader, decodeWithdrawal } from '../../ethereum/blockEncoding.ts'
import { headerItems } from '../../ethereum/header.ts'
import type { ChainRules } from '../../ethereum/rules.ts'
import { bodyFields } from '../../ethereum/state/bodyFields.ts'
import { DatabaseCorruptError } from './errors.ts'

/** The stored fields of a block that header and body lack. */
export type OwnFields = Pick<StoredBlock, 'unsigned' | 'chainId'>

function decodeParts(
  encodedHeader: Uint8Array,
  encodedBody: Uint8Array,
  own: OwnFields,
  rules: ChainRules,
): StoredBlock {
  const header = decodeHeader(decodeRlp(encodedHeader), rules)
  const body = decodeRlp(encodedBody) as unknown as BlockBody
  const [transactions, uncles, withdrawals] = body
  return {
    header,
    transactions: transactions.map((tx) => (tx instanceof Uint8Array ? tx : encodeRlp(tx))),
    ...own,
    uncles: uncles.map((uncle) => decodeHeader(uncle, rules)),
    withdrawals: withdrawals?.map(decodeWithdrawal),
    size: rlpSize([headerItems(header), ...body] as readonly RlpItem[]),
  }
}

/** Decodes a block. Verifies header against hash, and body against header. @throws DatabaseCorruptError */
export async function decodeVerified(
  encodedHeader: Uint8Array | undefined,
  encodedBody: Uint8Array | undefined,
  own: OwnFields,
  place: { readonly hash: Hash; readonly number: bigint; readonly rules: ChainRules },
): Promise<StoredBlock> {
  const crypto = await loadCrypto()
  const damaged = new DatabaseCorruptError(`block ${place.number}`)
  if (encodedHeader === undefined || encodedBody === undefined) throw damaged
  if (bytesToHex(keccak256(encodedHeader)) !== place.hash) throw damaged
  let block: StoredBlock
  try {
    block = decodeParts(encodedHeader, encodedBody, own, place.rules)
  } catch {
    throw damaged
  }
  const { header, transactions, uncles, withdrawals } = block
  const body = bodyFields(transactions, uncles, withdrawals, crypto)
  const isWhole =
    header.number === place.number &&
    body.transactionsRoot === header.transactionsRoot &&
    body.sha3Uncles === header.sha3Uncles &&
    body.withdrawalsRoot === header.withdrawalsRoot
  if (!isWhole) throw damaged
  return block
}
