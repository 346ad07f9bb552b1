/**
 * The libraries of the precompiles that are imported at their first use, since most chains never call them.
 *
 * Owns: which of them are loaded, for the whole process.
 */
import { lazily } from '../../../../base/missing.ts'

/** Elliptic curve bn254. @throws Missing until it is loaded. */
export const bn254 = lazily(() => import('./bn254Curve.ts'))
/** Elliptic curve BLS12-381. @throws Missing until it is loaded. */
export const bls12381 = lazily(() => import('./bls12381Curve.ts'))
/** Elliptic curve secp256r1. @throws Missing until it is loaded. */
export const p256 = lazily(() => import('./p256Curve.ts'))
/** KZG verification. @throws Missing until it is loaded. */
export const kzg = lazily(() => import('./kzgProof.ts'))
