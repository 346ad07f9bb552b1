/** Why a KZG proof is invalid. Loaded by `import()` only, for the size of its libraries. */
import { FpIsSquare } from '@noble/curves/abstract/modular.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint, bytesToHex } from '../../../../base/bytes.ts'
import { verifyProof } from '../../../kzg.ts'

const G1 = bls12_381.G1.Point
const { Fp, Fr } = bls12_381.fields

/** The first three bits of a point's 48 or 96 bytes. */
const UNCOMPRESSED = [0b000, 0b010]
const COMPRESSED = [0b100, 0b101]
const COMPRESSED_INFINITY = 0b110

/**
 * Why a proof that the polynomial of `commitment` has this value at this point is invalid, in the words of
 * go-ethereum's KZG library; undefined if it is valid. Commitment and proof are compressed points of G1.
 */
export function proofError(
  commitment: Uint8Array,
  point: Uint8Array,
  value: Uint8Array,
  proof: Uint8Array,
): string | undefined {
  if (verifyProof(bytesToHex(commitment), bytesToHex(point), bytesToHex(value), bytesToHex(proof)))
    return undefined
  if (bytesToBigint(point) >= Fr.ORDER || bytesToBigint(value) >= Fr.ORDER) {
    return 'scalar is not canonical when interpreted as a big integer in big-endian'
  }
  return pointError(commitment) ?? pointError(proof) ?? "can't verify opening proof"
}

/** Why 48 bytes are not a compressed point of G1's subgroup; undefined if they are. */
function pointError(bytes: Uint8Array): string | undefined {
  const flags = bytes[0]! >> 5
  if (UNCOMPRESSED.includes(flags)) return 'short buffer'
  const encoded = bytes.slice()
  encoded[0]! &= 0x1f
  const x = bytesToBigint(encoded)
  if (flags === COMPRESSED_INFINITY) return x === 0n ? undefined : 'invalid infinity point encoding'
  if (!COMPRESSED.includes(flags)) return 'invalid point encoding'
  if (x >= Fp.ORDER) return 'invalid fp.Element encoding'
  const square = Fp.add(Fp.pow(x, 3n), G1.CURVE().b)
  if (!FpIsSquare(Fp, square)) return "invalid compressed coordinate: square root doesn't exist"
  const isMember = G1.fromAffine({ x, y: Fp.sqrt(square) }).isTorsionFree()
  return isMember ? undefined : 'invalid point: subgroup check failed'
}
