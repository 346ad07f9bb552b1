/** The precompiles of each hardfork, ready to run. Owns: one map per hardfork and cryptography. */
import { concatBytes, hexToBytes } from '../../../../base/bytes.ts'
import { getOrInsert } from '../../../../base/collections.ts'
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

const maps = new WeakMap<Crypto, WeakMap<ForkRules, ReadonlyMap<number, Precompile>>>()

/** The precompiles of a hardfork by address as a number; cached. Loads no library. */
export function precompilesByAddress(fork: ForkRules, crypto: Crypto): ReadonlyMap<number, Precompile> {
  const byFork = getOrInsert(maps, crypto, () => new WeakMap())
  const create = () =>
    new Map(activePrecompiles(fork).map(([name, address]) => [address, CREATORS[name](fork, crypto)]))
  return getOrInsert(byFork, fork, create)
}

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

function toNumbers(text: string): readonly number[] {
  return text.trim().split(/\s+/).map(Number)
}

/** The number of field elements in a blob, and the order of their field: a word each. */
const POINT_EVALUATED = hexToBytes(
  `0x${'1000'.padStart(64, '0')}73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001`,
)

/** Creates each precompile. The comments state input → output (Yellow Paper, appendix E, and the EIPs that they name). */
const CREATORS: Readonly<Record<PrecompileName, (fork: ForkRules, crypto: Crypto) => Precompile>> = {
  /** hash ‖ v ‖ r ‖ s → the address as a word, or no output. */
  ecrecover: (_fork, { keccak256, raw }) => ({
    gas: () => 3000,
    run(input) {
      const data = readPadded(input, 0, 128)
      if (data.subarray(32, 63).some((byte) => byte !== 0)) return new Uint8Array(0)
      let publicKey: Uint8Array
      try {
        publicKey = raw.recover(
          data.subarray(0, 32),
          data.subarray(64, 96),
          data.subarray(96),
          data[63]! - 27,
        )
      } catch (error) {
        // Thrown also if `v` is neither 27 nor 28.
        if (error instanceof InvalidSenderError) return new Uint8Array(0)
        throw error
      }
      return keccak256(publicKey).fill(0, 0, 12)
    },
  }),
  sha256: () => ({ gas: gasByWord(60, 12), run: (input) => nobleHashes().sha256(input) }),
  /** The hash, padded on the left to a word. */
  ripemd160: () => ({
    gas: gasByWord(600, 120),
    run: (input) => concatBytes(new Uint8Array(12), nobleHashes().ripemd160(input)),
  }),
  identity: () => ({ gas: gasByWord(15, 3), run: (input) => input.slice() }),
  modexp: createModexp,
  /** Two points → their sum (EIP-196); cheaper since Istanbul (EIP-1108). */
  bn254Add: ({ istanbul }) => ({
    gas: () => (istanbul ? 150 : 500),
    run: (input) => bn254().add(readPadded(input, 0, 64), readPadded(input, 64, 64)),
  }),
  /** A point and an integer → their product (EIP-196); cheaper since EIP-1108. */
  bn254Mul: ({ istanbul }) => ({
    gas: () => (istanbul ? 6000 : 40_000),
    run: (input) => bn254().multiply(readPadded(input, 0, 64), readPadded(input, 64, 32)),
  }),
  /** Pairs of points → whether their pairings multiply to one (EIP-197); cheaper since EIP-1108. */
  bn254Pairing: ({ istanbul }) => ({
    gas({ length }) {
      const pairs = Math.floor(length / 192)
      return istanbul ? 45_000 + 34_000 * pairs : 100_000 + 80_000 * pairs
    },
    run(input) {
      if (input.length % 192 !== 0) throw new Halt('bad elliptic curve pairing size')
      return toFlagInParts(bn254().pairing(splitPairs(input, 64, 192)))
    },
  }),
  blake2f: () => blake2f,
  /** Versioned hash ‖ point ‖ value ‖ commitment ‖ proof → constants for a valid proof (EIP-4844). */
  pointEvaluation: () => ({
    gas: () => 50_000,
    run(input) {
      if (input.length !== 192) throw new Halt('invalid input length')
      const commitment = input.subarray(96, 144)
      const hash = nobleHashes().sha256(commitment)
      // A versioned hash has the version in place of the first byte.
      hash[0] = 0x01
      if (hash.some((byte, i) => byte !== input[i])) throw new Halt('mismatched versioned hash')
      const [point, value, proof] = [input.subarray(32, 64), input.subarray(64, 96), input.subarray(144)]
      const error = kzg().proofError(commitment, point, value, proof)
      if (error !== undefined) throw new Halt(`error verifying kzg proof: ${error}`)
      return POINT_EVALUATED.slice()
    },
  }),
  /** Two points → their sum (EIP-2537). */
  bls12381G1Add: () =>
    ofLength(256, 375, (input) => bls12381().g1.add(input.subarray(0, 128), input.subarray(128))),
  bls12381G2Add: () =>
    ofLength(512, 600, (input) => bls12381().g2.add(input.subarray(0, 256), input.subarray(256))),
  bls12381G1Msm: () => createMsm('g1', 128, 12_000, G1_DISCOUNTS),
  bls12381G2Msm: () => createMsm('g2', 256, 22_500, G2_DISCOUNTS),
  /** Pairs of a point of G1 and one of G2 → whether the product of their pairings is one. */
  bls12381Pairing: () => ({
    gas: ({ length }) => 37_700 + 32_600 * Math.floor(length / 384),
    run(input) {
      if (input.length === 0 || input.length % 384 !== 0) throw new Halt('invalid input length')
      return toFlagInParts(bls12381().pairing(splitPairs(input, 128, 384)))
    },
  }),
  /** An element of the field, or of its quadratic extension → a point. */
  bls12381MapFpToG1: () => ofLength(64, 5500, (input) => bls12381().g1.fromElement(input)),
  bls12381MapFp2ToG2: () => ofLength(128, 23_800, (input) => bls12381().g2.fromElement(input)),
  /** hash ‖ r ‖ s ‖ x ‖ y → 1 if the signature is valid, else no output (EIP-7951). */
  p256Verify: () => ({
    gas: () => 6900,
    run(input) {
      const isValid =
        input.length === 160 &&
        p256().verify(input.subarray(0, 32), input.subarray(32, 96), input.subarray(96))
      return isValid ? toFlag(true) : new Uint8Array(0)
    },
  }),
}

function ofLength(length: number, gas: number, run: (input: Uint8Array) => Uint8Array): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== length) throw new Halt('invalid input length')
      return run(input)
    },
  }
}

/** Points of a group, each followed by an integer of 32 bytes → the sum of their products. */
function createMsm(
  group: 'g1' | 'g2',
  pointLength: number,
  multiplication: number,
  discounts: readonly number[],
): Precompile {
  const termLength = pointLength + 32
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
