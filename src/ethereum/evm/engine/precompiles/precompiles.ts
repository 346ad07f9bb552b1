/**
 * The precompiles of each hardfork, ready to run.
 *
 * Owns: one map for each hardfork and implementation of cryptography.
 */

import { hexToBytes } from '../../../../base/bytes.ts'
import type { Crypto } from '../../../../base/crypto/crypto.ts'
import { InvalidSenderError } from '../../../../base/crypto/errors.ts'
import { nobleHashes } from '../../../../base/crypto/hashes.ts'
import type { ForkRules } from '../../../gas.ts'
import { activePrecompiles, type PrecompileName } from '../../precompiles.ts'
import { Halt } from '../halt.ts'
import { blake2f } from './blake2f.ts'
import {
  bls12381G1Add,
  bls12381G1Msm,
  bls12381G2Add,
  bls12381G2Msm,
  bls12381MapFp2ToG2,
  bls12381MapFpToG1,
  bls12381Pairing,
} from './bls12381.ts'
import { createBn254Add, createBn254Mul, createBn254Pairing } from './bn254.ts'
import { createModexp } from './modexp.ts'
import { gasByWord, kzg, type Precompile, p256, readPadded, toFlag } from './precompile.ts'

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

// Copying of data (Yellow Paper, appendix E).

/** The input. */
export const identity: Precompile = { gas: gasByWord(15, 3), run: (input) => input.slice() }

// SHA-256 (Yellow Paper, appendix E).

/** SHA-256 of the input. */
export const sha256: Precompile = { gas: gasByWord(60, 12), run: (input) => nobleHashes().sha256(input) }

// RIPEMD-160 (Yellow Paper, appendix E).

/** RIPEMD-160 of the input, as a word. */
export const ripemd160: Precompile = {
  gas: gasByWord(600, 120),
  run(input) {
    const word = new Uint8Array(32)
    word.set(nobleHashes().ripemd160(input), 12)
    return word
  },
}

// ECRECOVER: the address that signed a hash (Yellow Paper, appendix E).

const ECRECOVER_GAS = 3000
const ECRECOVER_INPUT_LENGTH = 128
/** The index of v's last byte. */
const V = 63

/** ecrecover: hash ‖ v ‖ r ‖ s → the address as a word; no output if there is none. */
export function createEcrecover({ keccak256, raw }: Crypto): Precompile {
  return {
    gas: () => ECRECOVER_GAS,
    run(input) {
      const data = readPadded(input, 0, ECRECOVER_INPUT_LENGTH)
      if (data.subarray(32, V).some((byte) => byte !== 0)) return new Uint8Array(0)
      const parity = data[V]! - 27
      let publicKey: Uint8Array
      try {
        publicKey = raw.recover(data.subarray(0, 32), data.subarray(64, 96), data.subarray(96), parity)
      } catch (error) {
        // Also for a parity other than 0 and 1.
        if (error instanceof InvalidSenderError) return new Uint8Array(0)
        throw error
      }
      return keccak256(publicKey).fill(0, 0, 12)
    },
  }
}

// Verification of signatures over secp256r1 (EIP-7951).

const P256_VERIFY_GAS = 6900
const P256_VERIFY_INPUT_LENGTH = 160

/** p256Verify: hash ‖ r ‖ s ‖ x ‖ y → 1 if the signature is valid, otherwise nothing. */
export const p256Verify: Precompile = {
  gas: () => P256_VERIFY_GAS,
  run(input) {
    const isValid =
      input.length === P256_VERIFY_INPUT_LENGTH &&
      p256().verify(input.subarray(0, 32), input.subarray(32, 96), input.subarray(96))
    return isValid ? toFlag(true) : new Uint8Array(0)
  },
}

// The check of a KZG proof (EIP-4844).

const POINT_EVALUATION_GAS = 50_000
const POINT_EVALUATION_INPUT_LENGTH = 192
/** The first byte of a versioned hash, in place of the first of the commitment's hash. */
const VERSION = 0x01
/** The field elements in a blob and the order of their field, a word each. */
const OUTPUT = hexToBytes(
  `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
)

/** pointEvaluation: versioned hash ‖ point ‖ value ‖ commitment ‖ proof → constants if the proof is valid. */
export const pointEvaluation: Precompile = {
  gas: () => POINT_EVALUATION_GAS,
  run(input) {
    if (input.length !== POINT_EVALUATION_INPUT_LENGTH) throw new Halt('invalid input length')
    const commitment = input.subarray(96, 144)
    const hash = nobleHashes().sha256(commitment)
    hash[0] = VERSION
    if (hash.some((byte, i) => byte !== input[i])) throw new Halt('mismatched versioned hash')
    const error = kzg().proofError(
      commitment,
      input.subarray(32, 64),
      input.subarray(64, 96),
      input.subarray(144),
    )
    if (error !== undefined) throw new Halt(`error verifying kzg proof: ${error}`)
    return OUTPUT.slice()
  },
}
