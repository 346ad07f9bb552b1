import { bigintToBytes32, bytesToBigint, bytesToHex } from '../../../base/bytes.ts'
import { decodeRlp } from '../../../base/rlp.ts'
import type { Address } from '../../../base/types.ts'

/**
 * The sender of an unsigned transaction, which stands in the place of `r` of a signature with an `s` of 1; undefined if
 * the transaction is signed. See `toUnsignedTransaction`.
 */
export function unsignedSenderOf(raw: Uint8Array): Address | undefined {
  const fields = decodeRlp(raw[0]! >= 0xc0 ? raw : raw.subarray(1)) as readonly unknown[]
  const [r, s] = fields.slice(-2)
  if (!(r instanceof Uint8Array && s instanceof Uint8Array) || bytesToBigint(s) !== 1n) return undefined
  const value = bytesToBigint(r)
  if (value > 1n << 160n) return undefined
  // For the zero address r is 2^160.
  return bytesToHex(bigintToBytes32(value).subarray(12))
}
