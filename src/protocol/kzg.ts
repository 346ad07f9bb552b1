/**
 * KZG verification (EIP-4844, EIP-7594): for the point evaluation precompile and for the sidecars of blob transactions.
 *
 * To be loaded when the first of them arrives; most chains never see one. Proves and commits to nothing, so it goes
 * without the 4096 points that takes.
 */
import { KZG } from 'micro-eth-signer/kzg.js'
import type { Hex } from '../primitives/types.ts'
import { POWERS_G1, TAU_64_G2, TAU_G2 } from './kzgSetup.ts'
import { CELLS_PER_BLOB } from './transaction.ts'

const FIELD_ELEMENTS_PER_BLOB = 4096

/** Whether a polynomial has this value at a point: what the point evaluation precompile asks (EIP-4844). */
export function verifyProof(commitment: Hex, point: Hex, value: Hex, proof: Hex): boolean {
  return blobVerifier().verifyProof(commitment, point, value, proof)
}

/** Whether every proof shows its blob to be the one committed to (EIP-4844); false too where something is malformed. */
export function verifyBlobProofs(
  blobs: readonly Hex[],
  commitments: readonly Hex[],
  proofs: readonly Hex[],
): boolean {
  return blobVerifier().verifyBlobProofBatch([...blobs], [...commitments], [...proofs])
}

/**
 * Whether the {@link CELLS_PER_BLOB} proofs per blob, blob by blob, show its cells to be those of the one committed to
 * (EIP-7594); false too where something is malformed.
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
    // The library says so of what is no point and no field element.
    return false
  }
}

let forBlobs: KZG | undefined
function blobVerifier(): KZG {
  forBlobs ??= new KZG(sparseSetup())
  return forBlobs
}

let forCells: KZG | undefined
/** Apart, since checking the powers takes a tenth of a second. */
function cellVerifier(): KZG {
  forCells ??= new KZG({ ...sparseSetup(), g1_monomial: [...POWERS_G1] })
  return forCells
}

/** The library reads two of the G2 points to verify, and of the points to commit with only how many there are. */
function sparseSetup(): { g1_lagrange: string[]; g2_monomial: string[] } {
  const g2: string[] = []
  g2[1] = TAU_G2
  g2[64] = TAU_64_G2
  return { g1_lagrange: new Array(FIELD_ELEMENTS_PER_BLOB), g2_monomial: g2 }
}
