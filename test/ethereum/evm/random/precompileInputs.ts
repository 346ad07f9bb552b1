/** Inputs of precompiles: valid ones, and others that differ from them in a byte or in their length. */
import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { bytesToHex, toWord } from '../../../../src/base/bytes.ts'
import { activePrecompiles, type PrecompileName } from '../../../../src/ethereum/evm/precompiles.ts'
import type { Code } from '../programs.ts'
import { byteOf, type Scope } from './scope.ts'

const uint = (n: bigint | number): Code => toWord(BigInt(n)).slice(2)
const unprefixed = (bytes: Uint8Array): Code => bytesToHex(bytes).slice(2)
/** A field element of BLS12-381. */
const wide = (n: bigint): Code => n.toString(16).padStart(128, '0')

const HASH = new Uint8Array(32).fill(7)
const KEY = new Uint8Array(32).fill(5)

function ecrecoverInput(): Code {
  const [recovery, ...rs] = secp256k1.sign(HASH, KEY, { prehash: false, format: 'recovered' })
  return unprefixed(HASH) + uint(27 + recovery!) + unprefixed(Uint8Array.from(rs))
}

function p256Input(): Code {
  const signature = p256.sign(HASH, KEY, { prehash: false })
  return unprefixed(HASH) + unprefixed(signature) + unprefixed(p256.getPublicKey(KEY, false).subarray(1))
}

const modexpInput = (base: Code, exponent: Code, modulus: Code): Code =>
  [base, exponent, modulus].map((part) => uint(part.length / 2)).join('') + base + exponent + modulus

/** EIP-152's fifth test vector, with another number of rounds. */
const blake2fInput = (rounds: Code): Code =>
  `${rounds}48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b` +
  `6bbd41fbabd9831f79217e1319cde05b616263${'00'.repeat(125)}03${'00'.repeat(15)}01`

function bnG1(n: bigint): Code {
  const { x, y } = bn254.G1.Point.BASE.multiply(n).toAffine()
  return uint(x) + uint(y)
}

function bnG2(n: bigint): Code {
  const { x, y } = bn254.G2.Point.BASE.multiply(n).toAffine()
  return uint(x.c1) + uint(x.c0) + uint(y.c1) + uint(y.c0)
}

function blsG1(n: bigint): Code {
  const { x, y } = bls.G1.Point.BASE.multiply(n).toAffine()
  return wide(x) + wide(y)
}

function blsG2(n: bigint): Code {
  const { x, y } = bls.G2.Point.BASE.multiply(n).toAffine()
  return wide(x.c0) + wide(x.c1) + wide(y.c0) + wide(y.c1)
}

/** go-ethereum's test vector of the point evaluation. */
const POINT_EVALUATION: Code =
  '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b' +
  '564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d36306' +
  '24d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a1' +
  '8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7' +
  '873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a'

/** Valid inputs by precompile, computed at their first use. */
const VALID: Readonly<Record<PrecompileName, () => readonly Code[]>> = {
  ecrecover: () => [ecrecoverInput()],
  sha256: () => ['', '616263', '61'.repeat(70)],
  ripemd160: () => ['', '616263', '61'.repeat(70)],
  identity: () => ['', '616263', '61'.repeat(70)],
  modexp: () => [
    modexpInput('03', '02', '05'),
    modexpInput('ff'.repeat(40), '1234', `${'ff'.repeat(39)}fe`),
    modexpInput('02', 'ff'.repeat(33), '03'),
    modexpInput('', '', '02'),
    modexpInput('02', '', ''),
    modexpInput('02', '00', '0000'),
  ],
  bn254Add: () => [bnG1(1n) + bnG1(2n), bnG1(1n) + uint(0).repeat(2), ''],
  bn254Mul: () => [bnG1(3n) + uint(2n ** 256n - 1n), bnG1(1n) + uint(0)],
  bn254Pairing: () => [
    '',
    uint(0).repeat(6),
    bnG1(1n) + bnG2(1n) + bnG1(bn254.fields.Fr.ORDER - 1n) + bnG2(1n),
  ],
  blake2f: () => ['00000000', '00000001', '0000000c', '00001000'].map(blake2fInput),
  pointEvaluation: () => [POINT_EVALUATION],
  bls12381G1Add: () => [blsG1(1n) + blsG1(2n), blsG1(1n) + wide(0n).repeat(2)],
  bls12381G1Msm: () => [blsG1(1n) + uint(5) + blsG1(2n) + uint(2n ** 256n - 1n)],
  bls12381G2Add: () => [blsG2(1n) + blsG2(2n), blsG2(1n) + wide(0n).repeat(4)],
  bls12381G2Msm: () => [blsG2(1n) + uint(5)],
  bls12381Pairing: () => [blsG1(1n) + blsG2(1n), wide(0n).repeat(6)],
  bls12381MapFpToG1: () => [wide(1n), wide(bls.fields.Fp.ORDER)],
  bls12381MapFp2ToG2: () => [wide(1n) + wide(2n)],
  p256Verify: () => [p256Input()],
}

/** Those that take milliseconds. */
const SLOW: ReadonlySet<PrecompileName> = new Set<PrecompileName>([
  'bn254Pairing',
  'pointEvaluation',
  'bls12381G1Msm',
  'bls12381G2Msm',
  'bls12381Pairing',
  'bls12381MapFpToG1',
  'bls12381MapFp2ToG2',
  'p256Verify',
])

const inputs = new Map<PrecompileName, readonly Code[]>()

/** Valid inputs of a precompile. */
export function validInputs(name: PrecompileName): readonly Code[] {
  let valid = inputs.get(name)
  if (valid === undefined) {
    valid = VALID[name]()
    inputs.set(name, valid)
  }
  return valid
}

/** The address of a precompile of the fork as a number, and an input. */
export function precompileInputs({ fork, isLimited }: Scope): fc.Arbitrary<readonly [number, Code]> {
  const precompiles = activePrecompiles(fork).map(([name, address]) => ({
    weight: SLOW.has(name) ? 1 : 20,
    arbitrary: fc.nat(5).map((n): readonly [number, Code] => {
      const valid = validInputs(name)
      return [address, valid[n % valid.length]!]
    }),
  }))
  const change = fc.record({
    kind: fc.constantFrom('none', 'none', 'none', 'none', 'byte', 'cut', 'longer'),
    at: fc.nat(500),
    byte: fc.nat(255).map(byteOf),
  })
  return fc.tuple(fc.oneof(...precompiles), change).map(([[address, input], { kind, at, byte }]) => {
    const bytes = input.length / 2
    const from = bytes === 0 ? 0 : 2 * (at % bytes)
    // The first bytes of some inputs are lengths, or numbers of rounds, which only gas limits.
    const isLength = !isLimited && from < 2 * 96
    if (kind === 'byte' && bytes > 0 && !isLength) {
      return [address, input.slice(0, from) + byte + input.slice(from + 2)] as const
    }
    if (kind === 'cut') return [address, input.slice(0, from)] as const
    return [address, kind === 'longer' ? input + byte : input] as const
  })
}
