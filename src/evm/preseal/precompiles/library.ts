/**
 * The libraries of the precompiles that are imported at their first use, since most chains never call them.
 *
 * Owns: which of them are loaded, for the whole process.
 */
import { Missing } from '../../../primitives/missing.ts'

/** Elliptic curve bn254. @throws Missing until it is loaded. */
export const bn254 = lazily(() => import('./bn254Curve.ts'))
/** Elliptic curve BLS12-381. @throws Missing until it is loaded. */
export const bls12381 = lazily(() => import('./bls12381Curve.ts'))
/** Elliptic curve secp256r1. @throws Missing until it is loaded. */
export const p256 = lazily(() => import('./p256Curve.ts'))
/** KZG verification. @throws Missing until it is loaded. */
export const kzg = lazily(() => import('./kzgProof.ts'))

/**
 * A function that returns what `load` resolves to. Until it has, the function throws a {@link Missing} that calls
 * `load`.
 */
export function lazily<Library>(load: () => Promise<Library>): () => Library {
  let library: Library | undefined
  return () => {
    if (library === undefined) {
      throw new Missing(async () => {
        library = await load()
      })
    }
    return library
  }
}
