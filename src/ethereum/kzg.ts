/**
 * KZG verification (EIP-4844, EIP-7594) for the point evaluation precompile and the sidecars of blob transactions.
 * Loaded when first used: most chains have no blobs.
 */
import { FpIsSquare } from '@noble/curves/abstract/modular.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { bytesToBigint, bytesToHex } from '../base/bytes.ts'
import type { Hex } from '../base/types.ts'
import { CELLS_PER_BLOB } from './transaction.ts'

const FIELD_ELEMENTS_PER_BLOB = 4096

/** Whether a polynomial has this value at a point, as the point evaluation precompile checks it (EIP-4844). */
export function verifyProof(commitment: Hex, point: Hex, value: Hex, proof: Hex): boolean {
  return blobVerifier().verifyProof(commitment, point, value, proof)
}

/** Whether each proof shows that its blob matches the commitment (EIP-4844); false for malformed input. */
export function verifyBlobProofs(
  blobs: readonly Hex[],
  commitments: readonly Hex[],
  proofs: readonly Hex[],
): boolean {
  return blobVerifier().verifyBlobProofBatch([...blobs], [...commitments], [...proofs])
}

/**
 * Whether the {@link CELLS_PER_BLOB} proofs per blob, in order, show that its cells match the commitment (EIP-7594);
 * false for malformed input.
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
    // The library throws for invalid points and field elements.
    return false
  }
}

let forBlobs: KZG | undefined
function blobVerifier(): KZG {
  forBlobs ??= new KZG(sparseSetup())
  return forBlobs
}

let forCells: KZG | undefined
/** Separate from {@link blobVerifier}, which needs no powers: checking them takes the library a tenth of a second. */
function cellVerifier(): KZG {
  forCells ??= new KZG({ ...sparseSetup(), g1_monomial: [...POWERS_G1] })
  return forCells
}

/** Verification reads two of the G2 points, and the length of the list of G1 points in Lagrange form. */
function sparseSetup(): { g1_lagrange: string[]; g2_monomial: string[] } {
  const g2: string[] = []
  g2[1] = TAU_G2
  g2[64] = TAU_64_G2
  return { g1_lagrange: new Array(FIELD_ELEMENTS_PER_BLOB), g2_monomial: g2 }
}

// The part of the trusted setup that verification needs (EIP-4844, EIP-7594): 66 of its 8257 points, compressed.

/** [τ]₂, which verifies a proof at one point. */
export const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d' +
  '2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2' +
  '3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

/** [τ⁶⁴]₂, which verifies the proof of a cell of 64 field elements. */
export const TAU_64_G2 =
  '92dcc5a1c8c3e1b28b1524e3dd6dbecd63017c9201da9dbe077f1b82adc08c50' +
  '169f56fc7b5a3b28ec6b89254de3e2fd12838a761053437883c3e01ba616670c' +
  'ea843754548ef84bcc397de2369adcca2ab54cd73c55dc68d87aec3fc2fe4f10'

/** [τⁱ]₁ for i from 0 to 63, which commit to the polynomial of a cell. */
export const POWERS_G1: readonly string[] = [
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  'ad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81',
  '8029c8ce0d2dce761a7f29c2df2290850c85bdfaec2955626d7acc8864aeb01fe16c9e156863dc63b6c22553910e27c1',
  'b1386c995d3101d10639e49b9e5d39b9a280dcf0f135c2e6c6928bb3ab8309a9da7178f33925768c324f11c3762cfdd5',
  '9596d929610e6d2ed3502b1bb0f1ea010f6b6605c95d4859f5e53e09fa68dc71dfd5874905447b5ec6cd156a76d6b6e8',
  '851e3c3d4b5b7cdbba25d72abf9812cf3d7c5a9dbdec42b6635e2add706cbeea18f985afe5247459f6c908620322f434',
  'b10f4cf8ec6e02491bbe6d9084d88c16306fdaf399fef3cd1453f58a4f7633f80dc60b100f9236c3103eaf727468374f',
  'ade11ec630127e04d17e70db0237d55f2ff2a2094881a483797e8cddb98b622245e1f608e5dcd1172b9870e733b4a32f',
  'af58c8a2f58f904ce20db81005331bf2d251e227e7d1bef575d691bdca842e6233eb2e26c2e116a61a78594772b38d25',
  'b3c1313c31ec82da5a7a09e9cf6656ca598c243345fe8d4828e520ade91787ffb8b9867db789b34ad67cef47b26ff86d',
  'a8ed8a235355948e0b04be080b7b3e145293accefb4704d1da9050796b2f6870516c1ebf77ae6a65359edcfd016c0f36',
  '80e792d5ba24b8058f6d7291a2ec5cb68aab1e16e96d793128e86815631baf42c56b6205c19e25ce9727bd1fd6f9defb',
  '816288c5d726b094e3fdf95cb8882f442c4d9d1101b92c7938a7dfd49bc50636d73ea1b05f75eb731c908c8fd8dee717',
  'ae009128d128ba2e1519bfa7a0c01ed494a7d461c3aba60f8a301701fed61fe4e31d6c79ce189542ae51df91e73ce1b3',
  '96a866d60a9007d05825c332476a83e869e15b11d7257172a67690ea9bd3efea44bf9c8d42191454eb04fcf110b16396',
  '8b250a2a06419adb9b611e89f7f8f2990aa301949b533ad3bf17c4a61ab5f5be0b1d5e2b571864d13f1bb75805c7795d',
  '8450f49facf2e620fa45ee90e1801178842d927a2a25fc6ed7ba99a4eec7ae40eebfee41028eaa84f107f4a777694976',
  '91049080cf659c0985a22d1366e59191bb89663f922e8168b9b7d85c8a73d74a6d9dceefd855d3d858b493670c750581',
  'a1e167aeb2008087f3195926f1985c0a459d6ec57237255b1473a96de4e2c1cf766127c862c7dc853a6909e67cb06cf7',
  'b667c0d4e26e20698b07567358625d5f003839c92de8088e12dbd74a6f6a3156b4ea8d252c9ad62af5f6c4fec1cf6cc7',
  '8e4b5e304c0b1b161ae3e4b68b5e3ac66c42acd7c1ee2458044f6527c508a93995e50894d72d57c1350f91afe72775ff',
  '8c642640aa7915421cdc21fd639f88a42052b1cfa358ff7702e60793a92b7b5926dae15a0c8f8f59cd3013f01c159ba3',
  'a356f35e713cfc283056bf539de54a21731e61efb4c47319f20de4a4b723d76a33b65f4a67d298b9ec5c2a1579418657',
  '93ce204146ce95f484dc79c27919a16c9e3fc14a9111c6c63d44491158d5838117d20851cc3227a5e8ba6ccf79e77f39',
  'b585664cbb9a84b52f89114e1cf0cf1171bea78a136dc1404ac88a11210b2debc3b7a55e702da93ff629095c134a295e',
  'b6dfd444ec7fdceb14c6328f26ca12c3f9fc4327d8d8c68948e92e7e61262b82d833a65a9e3af6353ffa832b6da25705',
  'b4d4b8eb9ecfffe3f0d48fb4149c7b31aec1da7041ec03bd0750c52a2a7cbc3a7cfbf09d5bfdc56e3860826a62d0bb91',
  'a4e248e3d61db52da9683fef188579c470d65e2df9064726847b1599fc774049ffdc6ef2ae578d5ed7874f1298ecdf69',
  'a68a0fffc2e37d3183feb01b42234c0f4e510f9dc29d09c571e6da00fecad9da224cd0f31550070148667e226c4ca413',
  '86adda2ffecb77236c18005051f31f9657a0d50fef2a1175dfda32e74d5d53df825c10f289eb0ad39df0c64fc9bc7729',
  '998266d5c9c3764ed97d66fa9ed176af043999652bae19f0657c8328629d30af453230e3681c5a38e2f01e389ed8d825',
  'a05261554d3c620af0c914cf27ab98f5d3593c33ab313c198e0c40d6c72022eb5943778cd4f73e9fe8383392a7004976',
  'ad243fb3631bf90fedb9d679fd71fc0cf06bda028591ded2bd4c634ea7b3c2bd22eca2ab318fcdaa6c2cda1e63e1c57b',
  '89b9859a04f903c95e97fb2951f01cc6418a2505eee0b5bc7266b4d33e01b69b9fe7dc56fa9ebb5856095be0925a422d',
  'a68d118343a5bbfbbab95ff9bfe53aeb7fdbaf16db983e6f4456366df2aa01fbdb6ee9901cb102fc7d2bd099be2f1f3e',
  'b49301f25d5a9dd2ec60ddb0b4b477291958487efea9e54dc0e4ef388f03b8bbadd13259d191f7a0b7513876767d8282',
  '8b93df7fb4513f67749905fd43db78f7026589b704ebb9ea3255d0ad6415437799f40f02e07efccda1e6fd5e8cd0a721',
  'ad88769ace96455da37c3c9019a9f523c694643be3f6b37b1e9dcc5053d1fe8e463abebdb1b3ef2f2fb801528a01c47c',
  '80f0eb5dcbfaaf421bf59a8b9bd5245c4823c94510093e23e0b0534647fb5525a25ea3aeea0a927a1ee20c057f2c9234',
  'b10ad82ea6a5aeabe345d00eb17910d6942b6862f7f3773c7d321194e67c9cced0b3310425662606634dcd7f8b976c04',
  '82f6fd91f87822f6cc977808eeac77889f4a32fb0d618e784b2331263d0ffa820b3f70b069d32e0319c9e033ab75d3b4',
  '9436d3dc6b5e25b1f695f8c6c1c553dab312ccace4dac3afddc141d3506467cd50cb04a49ea96ea7f5a8a7b0fc65ef37',
  '8e0a9491651d52be8ebf4315fbbb410272f9a74b965d33b79ff1b9e1be3be59e43d9566773560e43280549c348e48f01',
  '8809137e5d3a22400d6e645a9bd84e21c492371736c7e62c51cef50fee3aa7f2405724367a83fd051ff702d971167f67',
  'b536a24f31a346de7f9863fc351fa602158404d2f94747eebe43abf1f21bf8f95a64146c02a4bec27b503f546789a388',
  'b5cdf5a04fc12a0e0ef7545830061dff7fd8abea46e48fbe6235109e6c36ee6bffcb9529e2f3d0d701cf58bbfb6a4197',
  'ab15377525753467d042b7931f66f862cbbb77464212c9aa72d4e5c04375ef55f619b3a446091c1ba1a3b5d9f05e538f',
  '905a75b943ad017ff78ea6ddd1d28a45c7273ee1c2e5e3353685813793ead3370c09cabd903fcab9d8b1c6961372d486',
  '8147df4324faddc02fb0896367a7647b719b6499a361aecfdd3a34296fa6768ad31c34f9e873fd1e683386c44651883e',
  'ac91d08570dd91f89d2e01dca67cdc83b640e20f073ea9f0734759c92182bb66c5d645f15ebd91ed705b66486ed2088d',
  'ac6295ef2513bbea7ef4cdcf37d280300c34e63c4b9704663d55891a61bf5c91b04cc1d202a3a0a7c4520c30edc277c7',
  'b604be776a012095c0d4ebc77797dd8dec62a54c0559fb2185d7bac6b50d4e5fd471ac2d7f4523206d5d8178eabd9a87',
  '80ead68def272ce3f57951145e71ed6dc26da98e5825ef439af577c0c5de766d4e39207f205d5d21db903d89f37bbb02',
  '9950b4a830388c897158c7fe3921e2fe24beedc7c84e2024e8b92b9775f8f99593b54a86b8870ec5087734295ba06032',
  'b89ba714adabf94e658a7d14ac8fc197376a416841c2a80e1a6dde4f438d5f747d1fb90b39e8ea435c59d6ecda13dea1',
  'b0c78e7cc60bd05be46d48fbb0421a678c7f14b8d93730deb66fbe1647613b2c62b5075126d917047820c57fc3509cb9',
  'a860c4acc5444e9ae987e8c93cb9a5f17d954d63c060cc616f724e26bc73d2c54cd36e0492d1fde173847278e55942ba',
  '8fb8269c9d5c15428e8d45da1251e4c4a4b600d47da0caea29fef246854d8fb6acae86a8e6440d0c429d8dd9c2dfee0c',
  '96c5d8eb6fd5c525b348ee4335d200139e437e4be83690af0f35b7f336a7cda8c6d2958647988b84da9f2dd7bbb7710b',
  'a7f62141c4346cc14e9823dc38ac7d587b0427022afc1498d12ee2c43f6ac3a82167057e670dd524b74137f8c3ceb56d',
  '956aac50d06b46a3e94397f163f593f5010d366aa2d816c2205c7d0f47f90cf0f36c169e964f9bcf698d49182d47d91f',
  'b812899bcdc0e70d79ca729cb01104bf60e1357b9085a10f64f3ba9865d57e9abd0a505a502d4de07afb46f4d266be2f',
  'abce02c7e1372e25d40944dc9ece2904a8f59c8854c5f2875fe63ace8ce37d97881f4f9ab4f7bad070ec8e0daee58d3f',
  '8fb13c515b2d6abb4e14ed753fad5cc36c3631dfe21a23d0f603aad719423dd5423157eefcbd9a9c6074e155b79eb38d',
]

const G1 = bls12_381.G1.Point
const { Fp, Fr } = bls12_381.fields

/** The first three bits of a point's encoding. */
const UNCOMPRESSED = [0b000, 0b010]
const COMPRESSED = [0b100, 0b101]
const COMPRESSED_INFINITY = 0b110

/**
 * Why the proof that `commitment`'s polynomial has this value at this point is invalid, in the words of go-ethereum's
 * KZG library; undefined if it is valid. Commitment and proof are compressed points of G1.
 */
export function proofError(
  commitment: Uint8Array,
  point: Uint8Array,
  value: Uint8Array,
  proof: Uint8Array,
): string | undefined {
  if (verifyProof(bytesToHex(commitment), bytesToHex(point), bytesToHex(value), bytesToHex(proof)))
    return undefined
  if (bytesToBigint(point) >= Fr.ORDER || bytesToBigint(value) >= Fr.ORDER) {
    return 'scalar is not canonical when interpreted as a big integer in big-endian'
  }
  return pointError(commitment) ?? pointError(proof) ?? "can't verify opening proof"
}

/** Why 48 bytes are not a compressed point of G1's subgroup; undefined if they are. */
function pointError(bytes: Uint8Array): string | undefined {
  const flags = bytes[0]! >> 5
  if (UNCOMPRESSED.includes(flags)) return 'short buffer'
  const encoded = bytes.slice()
  encoded[0]! &= 0x1f
  const x = bytesToBigint(encoded)
  if (flags === COMPRESSED_INFINITY) return x === 0n ? undefined : 'invalid infinity point encoding'
  if (!COMPRESSED.includes(flags)) return 'invalid point encoding'
  if (x >= Fp.ORDER) return 'invalid fp.Element encoding'
  const square = Fp.add(Fp.pow(x, 3n), G1.CURVE().b)
  if (!FpIsSquare(Fp, square)) return "invalid compressed coordinate: square root doesn't exist"
  const isMember = G1.fromAffine({ x, y: Fp.sqrt(square) }).isTorsionFree()
  return isMember ? undefined : 'invalid point: subgroup check failed'
}
