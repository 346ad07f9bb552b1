/**
 * The precompiles of each hardfork, ready to run.
 *
 * Owns: one map per hardfork and cryptography.
 */

import { hexToBytes } from '../../../../base/bytes.ts'
import type { Crypto } from '../../../../base/crypto/crypto.ts'
import { InvalidSenderError } from '../../../../base/crypto/errors.ts'
import { nobleHashes } from '../../../../base/crypto/hashes.ts'
import type { ForkRules } from '../../../forks.ts'
import { activePrecompiles, type PrecompileName } from '../../precompiles.ts'
import { Halt } from '../message.ts'
import { blake2f } from './blake2f.ts'
import { createModexp } from './modexp.ts'
import {
  bls12381,
  bn254,
  gasByWord,
  kzg,
  type Precompile,
  p256,
  readPadded,
  splitPairs,
  toFlag,
  toFlagInParts,
} from './precompile.ts'

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

/** The input (Yellow Paper, appendix E). */
const identity: Precompile = { gas: gasByWord(15, 3), run: (input) => input.slice() }

/** SHA-256 of the input (Yellow Paper, appendix E). */
const sha256: Precompile = { gas: gasByWord(60, 12), run: (input) => nobleHashes().sha256(input) }

/** RIPEMD-160 of the input, as a word (Yellow Paper, appendix E). */
const ripemd160: Precompile = {
  gas: gasByWord(600, 120),
  run(input) {
    const word = new Uint8Array(32)
    word.set(nobleHashes().ripemd160(input), 12)
    return word
  },
}

const ECRECOVER_GAS = 3000
const ECRECOVER_INPUT_LENGTH = 128
/** The index of v's last byte. */
const V = 63

/** ecrecover: hash ‖ v ‖ r ‖ s → the address as a word, or no output (Yellow Paper, appendix E). */
function createEcrecover({ keccak256, raw }: Crypto): Precompile {
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
        // Also for a parity that is neither 0 nor 1.
        if (error instanceof InvalidSenderError) return new Uint8Array(0)
        throw error
      }
      return keccak256(publicKey).fill(0, 0, 12)
    },
  }
}

const P256_VERIFY_GAS = 6900
const P256_VERIFY_INPUT_LENGTH = 160

/** p256Verify: hash ‖ r ‖ s ‖ x ‖ y → 1 if the signature is valid, else no output (EIP-7951). */
const p256Verify: Precompile = {
  gas: () => P256_VERIFY_GAS,
  run(input) {
    const isValid =
      input.length === P256_VERIFY_INPUT_LENGTH &&
      p256().verify(input.subarray(0, 32), input.subarray(32, 96), input.subarray(96))
    return isValid ? toFlag(true) : new Uint8Array(0)
  },
}

const POINT_EVALUATION_GAS = 50_000
const POINT_EVALUATION_INPUT_LENGTH = 192
/** The first byte of a versioned hash, in place of the first of the commitment's hash. */
const VERSION = 0x01
/** The number of field elements in a blob, and the order of their field: a word each. */
const OUTPUT = hexToBytes(
  `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
)

/** pointEvaluation: versioned hash ‖ point ‖ value ‖ commitment ‖ proof → constants for a valid proof (EIP-4844). */
const pointEvaluation: Precompile = {
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

/** bn254Add: two points → their sum (EIP-196); cheaper since Istanbul (EIP-1108). */
function createBn254Add({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 150 : 500
  return {
    gas: () => gas,
    run: (input) => bn254().add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
  }
}

/** bn254Mul: a point and an integer → their product (EIP-196); cheaper since Istanbul (EIP-1108). */
function createBn254Mul({ istanbul }: ForkRules): Precompile {
  const gas = istanbul ? 6000 : 40_000
  return {
    gas: () => gas,
    run: (input) => bn254().multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
  }
}

const BN_G1_LENGTH = 64
const BN_PAIR_LENGTH = 192

/** bn254Pairing: pairs of points → whether their pairings multiply to one (EIP-197); cheaper since EIP-1108. */
function createBn254Pairing({ istanbul }: ForkRules): Precompile {
  const base = istanbul ? 45_000 : 100_000
  const perPair = istanbul ? 34_000 : 80_000
  return {
    gas: ({ length }) => base + perPair * Math.floor(length / BN_PAIR_LENGTH),
    run(input) {
      if (input.length % BN_PAIR_LENGTH !== 0) throw new Halt('bad elliptic curve pairing size')
      return toFlagInParts(bn254().pairing(splitPairs(input, BN_G1_LENGTH, BN_PAIR_LENGTH)))
    },
  }
}

// BLS12-381 (EIP-2537).

/** bls12381G1Add: two points of G1 → their sum. */
const bls12381G1Add = createAdd('g1', 128, 375)
/** bls12381G2Add: two points of G2 → their sum. */
const bls12381G2Add = createAdd('g2', 256, 600)

function createAdd(group: 'g1' | 'g2', pointLength: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== 2 * pointLength) throw new Halt('invalid input length')
      return bls12381()[group].add(input.subarray(0, pointLength), input.subarray(pointLength))
    },
  }
}

/** bls12381MapFpToG1: a field element → a point of G1. */
const bls12381MapFpToG1 = createMap('g1', 64, 5500)
/** bls12381MapFp2ToG2: an element of the quadratic extension → a point of G2. */
const bls12381MapFp2ToG2 = createMap('g2', 128, 23_800)

function createMap(group: 'g1' | 'g2', length: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== length) throw new Halt('invalid input length')
      return bls12381()[group].fromElement(input)
    },
  }
}

const FACTOR_LENGTH = 32

/** Thousandths of the full price per multiplication on G1, for 1 to 128 multiplications; for more, the last number. */
const G1_DISCOUNTS = toNumbers(`
  1000 949 848 797 764 750 738 728 719 712 705 698 692 687 682 677
  673 669 665 661 658 654 651 648 645 642 640 637 635 632 630 627
  625 623 621 619 617 615 613 611 609 608 606 604 603 601 599 598
  596 595 593 592 591 589 588 586 585 584 582 581 580 579 577 576
  575 574 573 572 570 569 568 567 566 565 564 563 562 561 560 559
  558 557 556 555 554 553 552 551 550 549 548 547 547 546 545 544
  543 542 541 540 540 539 538 537 536 536 535 534 533 532 532 531
  530 529 528 528 527 526 525 525 524 523 522 522 521 520 520 519
`)

/** The same on G2. */
const G2_DISCOUNTS = toNumbers(`
  1000 1000 923 884 855 832 812 796 782 770 759 749 740 732 724 717
  711 704 699 693 688 683 679 674 670 666 663 659 655 652 649 646
  643 640 637 634 632 629 627 624 622 620 618 615 613 611 609 607
  606 604 602 600 598 597 595 593 592 590 589 587 586 584 583 582
  580 579 578 576 575 574 573 571 570 569 568 567 566 565 563 562
  561 560 559 558 557 556 555 554 553 552 552 551 550 549 548 547
  546 545 545 544 543 542 541 541 540 539 538 537 537 536 535 535
  534 533 532 532 531 530 530 529 528 528 527 526 526 525 524 524
`)

/** bls12381G1Msm: points of G1, each followed by an integer → the sum of their products. */
const bls12381G1Msm = createMsm('g1', 128, 12_000, G1_DISCOUNTS)
/** bls12381G2Msm: points of G2, each followed by an integer → the sum of their products. */
const bls12381G2Msm = createMsm('g2', 256, 22_500, G2_DISCOUNTS)

function createMsm(
  group: 'g1' | 'g2',
  pointLength: number,
  multiplication: number,
  discounts: readonly number[],
): Precompile {
  const termLength = pointLength + FACTOR_LENGTH
  return {
    gas({ length }) {
      const count = Math.floor(length / termLength)
      if (count === 0) return 0
      const discount = discounts[Math.min(count, discounts.length) - 1]!
      return Math.floor((count * multiplication * discount) / 1000)
    },
    run(input) {
      if (input.length === 0 || input.length % termLength !== 0) throw new Halt('invalid input length')
      return bls12381()[group].multiplyAndAdd(splitPairs(input, pointLength, termLength))
    },
  }
}

function toNumbers(text: string): readonly number[] {
  return text.trim().split(/\s+/).map(Number)
}

const BLS_G1_LENGTH = 128
const BLS_PAIR_LENGTH = 384

/** bls12381Pairing: pairs of a point of G1 and one of G2 → whether the product of their pairings is one. */
const bls12381Pairing: Precompile = {
  gas: ({ length }) => 37_700 + 32_600 * Math.floor(length / BLS_PAIR_LENGTH),
  run(input) {
    if (input.length === 0 || input.length % BLS_PAIR_LENGTH !== 0) throw new Halt('invalid input length')
    return toFlagInParts(bls12381().pairing(splitPairs(input, BLS_G1_LENGTH, BLS_PAIR_LENGTH)))
  },
}
