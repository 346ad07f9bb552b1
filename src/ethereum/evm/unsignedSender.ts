import { bytesToBigint, toAddress } from '../../base/bytes.ts'
import { decodeRlp } from '../../base/rlp.ts'
import type { Address } from '../../base/types.ts'

/** The sender of an unsigned transaction, by its bytes; undefined if it is signed. See `toUnsignedTransaction`. */
export function unsignedSenderOf(raw: Uint8Array): Address | undefined {
  const fields = decodeRlp(raw[0]! >= 0xc0 ? raw : raw.subarray(1)) as readonly unknown[]
  const [r, s] = fields.slice(-2)
  if (!(r instanceof Uint8Array && s instanceof Uint8Array) || bytesToBigint(s) !== 1n) return undefined
  const sender = bytesToBigint(r)
  return sender > 1n << 160n ? undefined : toAddress(BigInt.asUintN(160, sender))
}
