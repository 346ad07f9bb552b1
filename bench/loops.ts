/** Contracts that compute in a loop, assembled by hand, and what they answer. */
import { bytesToHex, type Hex, keccak256 } from 'viem'

const ADDITIONS = 1_000_000
const HASHES = 10_000

/** A contract that answers every call with one word. */
export interface LoopContract {
  /** The code that creates it. */
  readonly creation: Hex
  readonly answer: Hex
}

/**
 * The Fibonacci number F(10^6) modulo 2^256: a loop of 58 gas, as a compiler writes one, with one addition for the
 * number and one for the counter. The stack is `a b i`, from its top.
 */
export function createFibonacci(): LoopContract {
  const code = [
    '6000', //      00 PUSH1 0              i
    '6001', //      02 PUSH1 1              b i
    '6000', //      04 PUSH1 0              a b i
    '5b', //        06 JUMPDEST
    '620f4240', //  07 PUSH3 1000000        n a b i
    '83', //        0b DUP4                 i n a b i
    '10', //        0c LT                   i<n a b i
    '15', //        0d ISZERO
    '601c', //      0e PUSH1 0x1c
    '57', //        10 JUMPI                a b i
    '81', //        11 DUP2                 b a b i
    '01', //        12 ADD                  a+b b i
    '90', //        13 SWAP1                b a+b i
    '91', //        14 SWAP2                i a+b b
    '6001', //      15 PUSH1 1
    '01', //        17 ADD                  i+1 a+b b
    '91', //        18 SWAP2                b a+b i+1
    '6006', //      19 PUSH1 0x06
    '56', //        1b JUMP
    '5b', //        1c JUMPDEST             a b i
    '600052', //    1d MSTORE at 0
    '60206000f3', //20 RETURN 32 bytes at 0
  ]
  let [a, b] = [0n, 1n]
  for (let i = 0; i < ADDITIONS; i++) [a, b] = [b, BigInt.asUintN(256, a + b)]
  return { creation: creationOf(code), answer: `0x${a.toString(16).padStart(64, '0')}` }
}

/** A word of zeros, replaced 10^4 times by its own keccak256. The stack is the number of hashes left. */
export function createHashing(): LoopContract {
  const code = [
    '612710', //    00 PUSH2 10000          i
    '5b', //        03 JUMPDEST
    '60206000', //  04 PUSH1 32, PUSH1 0    0 32 i
    '20', //        08 KECCAK256            hash i
    '600052', //    09 MSTORE at 0          i
    '6001', //      0c PUSH1 1              1 i
    '90', //        0e SWAP1                i 1
    '03', //        0f SUB                  i-1
    '80', //        10 DUP1                 i-1 i-1
    '6003', //      11 PUSH1 0x03
    '57', //        13 JUMPI                i-1
    '60206000f3', //14 RETURN 32 bytes at 0
  ]
  let word: Uint8Array = new Uint8Array(32)
  for (let i = 0; i < HASHES; i++) word = keccak256(word, 'bytes')
  return { creation: creationOf(code), answer: bytesToHex(word) }
}

/** Code that copies what follows it into memory and returns it as the contract's. */
function creationOf(code: readonly string[]): Hex {
  const runtime = code.join('')
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  const copy = [
    `60${size}`, // 00 PUSH1 size
    '80', //        02 DUP1
    '600b', //      03 PUSH1 0x0b, the end of this part
    '6000', //      05 PUSH1 0
    '39', //        07 CODECOPY             size
    '6000', //      08 PUSH1 0
    'f3', //        0a RETURN
  ]
  return `0x${copy.join('')}${runtime}`
}
