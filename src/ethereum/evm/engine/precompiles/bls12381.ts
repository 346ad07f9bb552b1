/** Addition on BLS12-381 (EIP-2537). */

import { Halt } from '../halt.ts'
import { bls12381, type Precompile, splitPairs, toFlagInParts } from './precompile.ts'

/** bls12381G1Add: two points of G1 → their sum. */
export const bls12381G1Add = createAdd('g1', 128, 375)
/** bls12381G2Add: two points of G2 → their sum. */
export const bls12381G2Add = createAdd('g2', 256, 600)

function createAdd(group: 'g1' | 'g2', pointLength: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== 2 * pointLength) throw new Halt('invalid input length')
      return bls12381()[group].add(input.subarray(0, pointLength), input.subarray(pointLength))
    },
  }
}

// Mapping of field elements to points of BLS12-381 (EIP-2537).

/** bls12381MapFpToG1: a field element → a point of G1. */
export const bls12381MapFpToG1 = createMap('g1', 64, 5500)
/** bls12381MapFp2ToG2: an element of the quadratic extension → a point of G2. */
export const bls12381MapFp2ToG2 = createMap('g2', 128, 23_800)

function createMap(group: 'g1' | 'g2', length: number, gas: number): Precompile {
  return {
    gas: () => gas,
    run(input) {
      if (input.length !== length) throw new Halt('invalid input length')
      return bls12381()[group].fromElement(input)
    },
  }
}

// Sums of multiplications on BLS12-381 (EIP-2537).

const FACTOR_LENGTH = 32

/** The price of each multiplication on G1 in thousandths, for 1 to 128 of them; the last for more. */
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
export const bls12381G1Msm = createMsm('g1', 128, 12_000, G1_DISCOUNTS)
/** bls12381G2Msm: points of G2, each followed by an integer → the sum of their products. */
export const bls12381G2Msm = createMsm('g2', 256, 22_500, G2_DISCOUNTS)

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

// The pairing check on BLS12-381 (EIP-2537).

const G1_LENGTH = 128
const PAIR_LENGTH = 384

/** bls12381Pairing: pairs of a point of G1 and one of G2 → whether the product of their pairings is one. */
export const bls12381Pairing: Precompile = {
  gas: ({ length }) => 37_700 + 32_600 * Math.floor(length / PAIR_LENGTH),
  run(input) {
    if (input.length === 0 || input.length % PAIR_LENGTH !== 0) throw new Halt('invalid input length')
    return toFlagInParts(bls12381().pairing(splitPairs(input, G1_LENGTH, PAIR_LENGTH)))
  },
}
