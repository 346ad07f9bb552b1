/**
 * KZG verification (EIP-4844, EIP-7594): for the point evaluation precompile and for the sidecars of blob transactions.
 *
 * Loaded on first use, since most chains have no blobs. It only verifies, so it omits the 4096 points that
 * commitments and proofs need.
 */
import { KZG } from 'micro-eth-signer/kzg.js'
import type { Hex } from '../base/types.ts'
import { POWERS_G1, TAU_64_G2, TAU_G2 } from './kzgSetup.ts'
import { CELLS_PER_BLOB } from './transaction.ts'

const FIELD_ELEMENTS_PER_BLOB = 4096

/** Whether a polynomial has this value at a point, as the point evaluation precompile checks it (EIP-4844). */
export function verifyProof(commitment: Hex, point: Hex, value: Hex, proof: Hex): boolean {
  return blobVerifier().verifyProof(commitment, point, value, proof)
}

/** Whether each proof proves that its blob matches the commitment (EIP-4844); false also for malformed input. */
export function verifyBlobProofs(
  blobs: readonly Hex[],
  commitments: readonly Hex[],
  proofs: readonly Hex[],
): boolean {
  return blobVerifier().verifyBlobProofBatch([...blobs], [...commitments], [...proofs])
}

/**
 * Whether the {@link CELLS_PER_BLOB} proofs per blob, blob by blob, prove that its cells match the commitment
 * (EIP-7594); false also for malformed input.
 */
export function verifyCellProofs(
  blobs: readonly Hex[],
  commitments: readonly Hex[],
  proofs: readonly Hex[],
): boolean {
  const verifier = cellVerifier()
  const indices = blobs.flatMap(() => Array.from({ length: CELLS_PER_BLOB }, (_, cell) => cell))
  const repeated = commitments.flatMap((commitment) => Array<Hex>(CELLS_PER_BLOB).fill(commitment))
  try {
    const cells = blobs.flatMap((blob) => verifier.computeCells(blob))
    return verifier.verifyCellKzgProofBatch(repeated, indices, cells, [...proofs])
  } catch {
    // The library throws for invalid points and field elements.
    return false
  }
}

let forBlobs: KZG | undefined
function blobVerifier(): KZG {
  forBlobs ??= new KZG(sparseSetup())
  return forBlobs
}

let forCells: KZG | undefined
/** Separate from {@link blobVerifier}, since the library's check of the powers takes a tenth of a second. */
function cellVerifier(): KZG {
  forCells ??= new KZG({ ...sparseSetup(), g1_monomial: [...POWERS_G1] })
  return forCells
}

/** The library verifies with two of the G2 points, and the number of the G1 points in Lagrange form. */
function sparseSetup(): { g1_lagrange: string[]; g2_monomial: string[] } {
  const g2: string[] = []
  g2[1] = TAU_G2
  g2[64] = TAU_64_G2
  return { g1_lagrange: new Array(FIELD_ELEMENTS_PER_BLOB), g2_monomial: g2 }
}
