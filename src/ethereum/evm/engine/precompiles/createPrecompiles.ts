/**
 * The precompiles of each hardfork, ready to run.
 *
 * Owns: one map for each hardfork and implementation of cryptography.
 */
import type { Crypto } from '../../../../base/crypto/crypto.ts'
import type { ForkRules } from '../../../gas.ts'
import { activePrecompiles, type PrecompileName } from '../../precompiles.ts'
import { blake2f } from './blake2f.ts'
import { bls12381G1Add, bls12381G2Add } from './bls12381Add.ts'
import { bls12381MapFp2ToG2, bls12381MapFpToG1 } from './bls12381Map.ts'
import { bls12381G1Msm, bls12381G2Msm } from './bls12381Msm.ts'
import { bls12381Pairing } from './bls12381Pairing.ts'
import { createBn254Add } from './bn254Add.ts'
import { createBn254Mul } from './bn254Mul.ts'
import { createBn254Pairing } from './bn254Pairing.ts'
import { createEcrecover } from './ecrecover.ts'
import { identity } from './identity.ts'
import { createModexp } from './modexp.ts'
import { p256Verify } from './p256Verify.ts'
import { pointEvaluation } from './pointEvaluation.ts'
import type { Precompile } from './precompile.ts'
import { ripemd160 } from './ripemd160.ts'
import { sha256 } from './sha256.ts'

const CREATORS: Readonly<Record<PrecompileName, (fork: ForkRules, crypto: Crypto) => Precompile>> = {
  ecrecover: (_fork, crypto) => createEcrecover(crypto),
  sha256: () => sha256,
  ripemd160: () => ripemd160,
  identity: () => identity,
  modexp: createModexp,
  bn254Add: createBn254Add,
  bn254Mul: createBn254Mul,
  bn254Pairing: createBn254Pairing,
  blake2f: () => blake2f,
  pointEvaluation: () => pointEvaluation,
  bls12381G1Add: () => bls12381G1Add,
  bls12381G1Msm: () => bls12381G1Msm,
  bls12381G2Add: () => bls12381G2Add,
  bls12381G2Msm: () => bls12381G2Msm,
  bls12381Pairing: () => bls12381Pairing,
  bls12381MapFpToG1: () => bls12381MapFpToG1,
  bls12381MapFp2ToG2: () => bls12381MapFp2ToG2,
  p256Verify: () => p256Verify,
}

const maps = new WeakMap<Crypto, WeakMap<ForkRules, ReadonlyMap<number, Precompile>>>()

/** The precompiles of a hardfork by address as a number; cached. Loads no library. */
export function precompilesByAddress(fork: ForkRules, crypto: Crypto): ReadonlyMap<number, Precompile> {
  let byFork = maps.get(crypto)
  if (byFork === undefined) {
    byFork = new WeakMap()
    maps.set(crypto, byFork)
  }
  let precompiles = byFork.get(fork)
  if (precompiles === undefined) {
    precompiles = new Map(
      activePrecompiles(fork).map(([name, address]) => [address, CREATORS[name](fork, crypto)]),
    )
    byFork.set(fork, precompiles)
  }
  return precompiles
}
