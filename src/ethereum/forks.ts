/**
 * The hardforks of Ethereum, one row each. The values of the option `hardfork`, the forks in a genesis, and each
 * hardfork's opcodes, precompiles and header fields derive from these rows.
 */
import { ZERO_HASH } from '../base/bytes.ts'
import type { Address, Hex } from '../base/types.ts'
import { BEACON_ROOTS, BLOCK_HASHES, CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from './systemContracts.ts'
import type { TransactionType } from './transaction.ts'

/** A hardfork after Frontier. */
export interface Fork {
  readonly name: string
  /** The field of a geth genesis that sets the fork's start: a block number, or Unix time in seconds if `timed`. */
  readonly field: string
  readonly timed?: true
  /**
   * True for a fork that only moves balances, delays the difficulty bomb or sets blob parameters. No rule depends on
   * its name, and a genesis with later forks can omit it.
   */
  readonly minor?: true
  /**
   * When it began, in Unix seconds, by chain id: mainnet (1), Sepolia (11155111), Hoodi (560048), OP Mainnet (10), Base
   * (8453) and Arbitrum One (42161).
   */
  readonly times?: Readonly<Record<number, number>>
  /**
   * The blob parameters on mainnet. A genesis can replace them for each fork from Cancun on, and must set them for each
   * minor fork after Cancun that it schedules: the rows of these forks have none.
   */
  readonly blobs?: BlobParameters
  readonly limits?: Partial<Limits>
  /** The fields appended to headers. */
  readonly header?: Readonly<Record<string, HeaderField>>
  /** The transaction type that the fork adds (EIP-2718). */
  readonly transactionType?: TransactionType
  readonly opcodes?: readonly OpcodeRow[]
  readonly precompiles?: Readonly<Record<string, PrecompileRow>>
  /** The addresses of added system contracts, by EIP-7910 name. */
  readonly systemContracts?: Readonly<Record<string, Address>>
}

/** The blob parameters of a fork (EIP-7840). */
export interface BlobParameters {
  /** The number of blobs in a block at which their price stays the same. */
  readonly target: number
  readonly max: number
  /** `BLOB_BASE_FEE_UPDATE_FRACTION`: the higher, the slower the price changes. */
  readonly updateFraction: number
}

/** The limits that forks set; each holds until a later fork changes it. */
export interface Limits {
  /** The maximum size of initcode in bytes (EIP-3860). */
  readonly initCodeSize: number
  /** The maximum gas limit of a transaction (EIP-7825). */
  readonly transactionGas: bigint
  /** The maximum size of a block's RLP in bytes (EIP-7934). */
  readonly blockSize: number
}

/** A field of headers: its format, and its default. */
export interface HeaderField {
  /** Exactly this many bytes, a number of at most this many bits, or any bytes. */
  readonly format: { readonly bytes: number } | { readonly bits: number } | 'bytes'
  /** The default: the value in an empty block without a parent. */
  readonly empty: Hex | bigint
}

/** The static gas of an opcode: a constant, or prices by the name of the fork from which each applies. */
export type Price = number | Readonly<Record<string, number>>

/**
 * The effects of an instruction. `moves`: it charges no more than its static gas, and the next instruction follows.
 * `charges`: it charges gas on top of its static gas. `ends`: it charges no more than its static gas, but ends the
 * basic block, as a jump does.
 */
export type Effect = 'moves' | 'charges' | 'ends'

/** An opcode and the words that it pops and pushes; the default effect is `moves`. */
export type OpcodeRow = readonly [
  code: number,
  name: string,
  pops: number,
  pushes: number,
  gas: Price,
  effect?: Effect,
]

/** A precompile: its address as a number, and its EIP-7910 name. */
export type PrecompileRow = readonly [address: number, title: string]

/** The format of hashes in headers. */
export const HASH = { bytes: 32 }
/** The format of most numbers in headers. */
export const UINT64 = { bits: 64 }
const UINT256 = { bits: 256 }

/** The root of an empty trie. */
export const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** The beacon chain's deposit contract on mainnet (EIP-6110). */
export const DEPOSIT_ADDRESS: Address = '0x00000000219ab540356cbb839cbe05303d7705fa'

/** The static gas of accessing an account or a slot since Berlin. If it is cold, the instruction charges the rest. */
export const WARM = 100
/** The static gas of calls (EIP-150, EIP-2929). */
export const CALL: Price = { frontier: 40, tangerineWhistle: 700, berlin: WARM }

const ROWS = [
  {
    name: 'homestead',
    opcodes: [[0xf4, 'DELEGATECALL', 6, 1, CALL, 'charges']],
  },
  { name: 'dao', field: 'daoForkBlock', minor: true },
  { name: 'tangerineWhistle', field: 'eip150Block' },
  { name: 'spuriousDragon', field: 'eip158Block' },
  {
    name: 'byzantium',
    opcodes: [
      [0x3d, 'RETURNDATASIZE', 0, 1, 2],
      [0x3e, 'RETURNDATACOPY', 3, 0, 3, 'charges'],
      [0xfa, 'STATICCALL', 6, 1, CALL, 'charges'],
      [0xfd, 'REVERT', 2, 0, 0, 'charges'],
    ],
    precompiles: {
      modexp: [0x05, 'MODEXP'],
      bn254Add: [0x06, 'BN254_ADD'],
      bn254Mul: [0x07, 'BN254_MUL'],
      bn254Pairing: [0x08, 'BN254_PAIRING'],
    },
  },
  {
    name: 'constantinople',
    opcodes: [
      [0x1b, 'SHL', 2, 1, 3],
      [0x1c, 'SHR', 2, 1, 3],
      [0x1d, 'SAR', 2, 1, 3],
      [0x3f, 'EXTCODEHASH', 1, 1, { frontier: 400, istanbul: 700, berlin: WARM }, 'charges'],
      [0xf5, 'CREATE2', 4, 1, 32_000, 'charges'],
    ],
  },
  { name: 'petersburg' },
  {
    name: 'istanbul',
    opcodes: [
      [0x46, 'CHAINID', 0, 1, 2],
      [0x47, 'SELFBALANCE', 0, 1, 5],
    ],
    precompiles: { blake2f: [0x09, 'BLAKE2F'] },
  },
  { name: 'muirGlacier', minor: true },
  { name: 'berlin', transactionType: 1 },
  {
    name: 'london',
    // Wei per gas.
    header: { baseFeePerGas: { format: UINT256, empty: 0n } },
    transactionType: 2,
    opcodes: [[0x48, 'BASEFEE', 0, 1, 2]],
  },
  { name: 'arrowGlacier', minor: true },
  { name: 'grayGlacier', minor: true },
  { name: 'paris', field: 'mergeForkBlock' },
  {
    name: 'shanghai',
    timed: true,
    times: {
      1: 1_681_338_455,
      11155111: 1_677_557_088,
      10: 1_704_992_401,
      8453: 1_704_992_401,
    },
    limits: { initCodeSize: 49_152 },
    header: { withdrawalsRoot: { format: HASH, empty: EMPTY_ROOT } },
    opcodes: [[0x5f, 'PUSH0', 0, 1, 2]],
  },
  {
    name: 'cancun',
    timed: true,
    times: {
      1: 1_710_338_135,
      11155111: 1_706_655_072,
      560048: 0,
      10: 1_710_374_401,
      8453: 1_710_374_401,
      // Arbitrum One. Without this entry a fork would take it for Paris: its headers lack the fields of later forks.
      42161: 1_710_424_089,
    },
    blobs: { target: 3, max: 6, updateFraction: 3_338_477 },
    header: {
      blobGasUsed: { format: UINT64, empty: 0n },
      excessBlobGas: { format: UINT64, empty: 0n },
      parentBeaconBlockRoot: { format: HASH, empty: ZERO_HASH },
    },
    transactionType: 3,
    opcodes: [
      [0x49, 'BLOBHASH', 1, 1, 3],
      [0x4a, 'BLOBBASEFEE', 0, 1, 2],
      [0x5c, 'TLOAD', 1, 1, 100],
      [0x5d, 'TSTORE', 2, 0, 100, 'ends'],
      [0x5e, 'MCOPY', 3, 0, 3, 'charges'],
    ],
    precompiles: { pointEvaluation: [0x0a, 'KZG_POINT_EVALUATION'] },
    systemContracts: { BEACON_ROOTS_ADDRESS: BEACON_ROOTS.address },
  },
  {
    name: 'prague',
    timed: true,
    times: {
      1: 1_746_612_311,
      11155111: 1_741_159_776,
      560048: 1_742_999_832,
      10: 1_746_806_401,
      8453: 1_746_806_401,
    },
    blobs: { target: 6, max: 9, updateFraction: 5_007_716 },
    // SHA-256 of no bytes (EIP-7685).
    header: {
      requestsHash: {
        format: HASH,
        empty: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      },
    },
    transactionType: 4,
    precompiles: {
      bls12381G1Add: [0x0b, 'BLS12_G1ADD'],
      bls12381G1Msm: [0x0c, 'BLS12_G1MSM'],
      bls12381G2Add: [0x0d, 'BLS12_G2ADD'],
      bls12381G2Msm: [0x0e, 'BLS12_G2MSM'],
      bls12381Pairing: [0x0f, 'BLS12_PAIRING_CHECK'],
      bls12381MapFpToG1: [0x10, 'BLS12_MAP_FP_TO_G1'],
      bls12381MapFp2ToG2: [0x11, 'BLS12_MAP_FP2_TO_G2'],
    },
    systemContracts: {
      CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: CONSOLIDATION_REQUESTS.address,
      DEPOSIT_CONTRACT_ADDRESS: DEPOSIT_ADDRESS,
      HISTORY_STORAGE_ADDRESS: BLOCK_HASHES.address,
      WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: WITHDRAWAL_REQUESTS.address,
    },
  },
  {
    name: 'osaka',
    timed: true,
    times: { 1: 1_764_798_551, 11155111: 1_760_427_360, 560048: 1_761_677_592 },
    limits: { transactionGas: 16_777_216n, blockSize: 8 * 1024 * 1024 },
    opcodes: [[0x1e, 'CLZ', 1, 1, 5]],
    precompiles: { p256Verify: [0x100, 'P256VERIFY'] },
  },
  { name: 'bpo1', timed: true, minor: true },
  { name: 'bpo2', timed: true, minor: true },
  { name: 'bpo3', timed: true, minor: true },
  { name: 'bpo4', timed: true, minor: true },
  { name: 'bpo5', timed: true, minor: true },
] as const satisfies readonly (Omit<Fork, 'field'> & Partial<Fork>)[]

type Row = (typeof ROWS)[number]

/** The name of a fork that is not minor. */
export type ForkName = Exclude<Row, { readonly minor: true }>['name']

/** The names of the forks that a chain can start with: Paris and later, without the minor ones. */
export type StartName = Extract<Row, { readonly name: 'paris' } | { readonly timed: true }>['name'] & ForkName

/** The hardforks a chain can start with. */
export type Hardfork = 'paris' | 'shanghai' | 'cancun' | 'prague' | 'osaka'

/** The intersection of the members of a union. */
type Merged<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The precompiles that forks add. */
export type AddedPrecompile = keyof Merged<Extract<Row, { readonly precompiles: unknown }>['precompiles']>

type Added = Merged<Extract<Row, { readonly header: unknown }>['header']>

/** The header fields that forks add; undefined before their fork. */
export type AddedFields = {
  readonly [Name in keyof Added]: (Added[Name] extends { readonly empty: bigint } ? bigint : Hex) | undefined
}

/** Every fork after Frontier, in order. The genesis field defaults to the name with `Block` or `Time`. */
export const FORKS: readonly Fork[] = ROWS.map((row: Omit<Fork, 'field'>) => ({
  field: row.name + (row.timed ? 'Time' : 'Block'),
  ...row,
}))

/** Whether each fork is active, by name; without the minor ones. */
export type ForkRules = Readonly<Record<ForkName, boolean>>

/** The genesis field of the first fork that is not supported. A genesis that sets it is refused. */
export const NEXT_FIELD = 'amsterdamTime'

/** Header fields that the first unsupported forks append. A state file with one of them is refused. */
export const NEXT_HEADER_FIELDS: readonly string[] = ['blockAccessListHash', 'slotNumber']
