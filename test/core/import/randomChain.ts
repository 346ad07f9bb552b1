/**
 * Random chains of stock @ethereumjs, from Frontier to Osaka with a fork every few blocks: random code and
 * transactions of every type, uncles, withdrawals, and requests of every kind.
 */
import type { Common } from '@ethereumjs/common'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hex } from '../../../src/base/types.ts'
import type { Withdrawal } from '../../../src/ethereum/block.ts'
import { daoAccounts } from '../../../src/ethereum/daoFork.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../src/ethereum/systemContracts.ts'
import type { GethGenesis } from '../../../src/index.ts'
import { type Code, hex, push, toMemory } from '../../ethereum/evm/programs.ts'
import { creation } from '../../ethereum/evm/random/creations.ts'
import { program } from '../../ethereum/evm/random/programs.ts'
import { slotKey } from '../../ethereum/evm/setup.ts'
import { forksUpTo } from '../../forks.ts'
import { address } from '../../words.ts'
import { StockChain } from './stockChain.ts'

await loadCrypto()

const CHAIN_ID = 4321
const ETHER = 10n ** 18n
/** Seconds between blocks. */
const INTERVAL = 10

const keys = [1, 2, 3, 4].map((n) => keccak256(`0x${n.toString(16).padStart(64, '0')}`))
const senders = keys.slice(0, 3)
/** It only signs authorisations, since code that it delegates to could spend its ether. */
const authority = privateKeyToAccount(keys[3]!)
const addressOf = (key: Hex) => privateKeyToAccount(key).address.toLowerCase() as Address

const CODES = [0, 1, 2].map((i) => address(0xdd0000000 + i))
const ABSENT = address(0xaa0000000)
const EMPTY = address(0xbb0000000)
const DEPOSITS = address(0xde0000000)
const UNCLE_MINER = address(0xc10000000)
const MINERS = [address(0xc00000000), ABSENT, EMPTY, CODES[0]!, addressOf(senders[0]!)]
const TARGETS: readonly Address[] = [
  ...CODES,
  ...CODES,
  ABSENT,
  EMPTY,
  MINERS[0]!,
  UNCLE_MINER,
  addressOf(keys[3]!),
  ...[1, 2, 3, 4, 5, 6, 9].map(address),
]

/** The forks of a genesis after Frontier: by number, and since Shanghai by timestamp. */
const FORKS = [
  ['homesteadBlock'],
  ['daoForkBlock'],
  ['eip150Block'],
  ['eip155Block', 'eip158Block'],
  ['byzantiumBlock'],
  ['constantinopleBlock'],
  ['petersburgBlock'],
  ['istanbulBlock', 'muirGlacierBlock'],
  ['berlinBlock'],
  ['londonBlock', 'arrowGlacierBlock'],
  ['grayGlacierBlock'],
  ['mergeForkBlock', 'mergeNetsplitBlock'],
  ['shanghaiTime'],
  ['cancunTime'],
  ['pragueTime'],
  ['osakaTime'],
] as const

interface PlannedTransaction {
  readonly by: number
  readonly type: 0 | 1 | 2 | 3 | 4
  readonly to: Address | null
  readonly value: bigint
  readonly data: Code
  readonly create: Code
  readonly gas: bigint
  readonly slots: readonly number[]
  readonly delegate: Address
}

/** What a call of a contract of requests asks for; an unknown length is refused by the contract. */
type Request = 'deposit' | 'withdrawal' | 'consolidation'

interface PlannedBlock {
  readonly miner: Address
  readonly transactions: readonly PlannedTransaction[]
  readonly requests: readonly Request[]
  readonly uncles: readonly number[]
  readonly withdrawals: readonly Pick<Withdrawal, 'address' | 'amount'>[]
}

/** A chain to build. */
export interface Plan {
  /** The number of blocks before each fork. */
  readonly steps: readonly number[]
  readonly codes: readonly Code[]
  /** Repeated if there are more blocks. */
  readonly blocks: readonly PlannedBlock[]
}

/** Code for the first fork, which all others execute too, or for the last. */
const code = fc.oneof(
  ...(['frontier', 'osaka'] as const).map((last) =>
    program({ fork: forksUpTo(last), targets: TARGETS, isLimited: true }),
  ),
)

const transaction: fc.Arbitrary<PlannedTransaction> = fc.record({
  by: fc.nat(2),
  type: fc.constantFrom(0, 0, 1, 2, 3, 4),
  to: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...TARGETS) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  value: fc.constantFrom(0n, 0n, 1n, ETHER),
  data: fc.uint8Array({ maxLength: 60 }).map((bytes) => bytesToHex(bytes).slice(2)),
  create: creation(code),
  gas: fc.oneof(fc.constant(300_000n), fc.bigInt(0n, 60_000n)),
  slots: fc.array(fc.nat(3), { maxLength: 2 }),
  delegate: fc.constantFrom(...CODES, address(0)),
})

const block: fc.Arbitrary<PlannedBlock> = fc.record({
  miner: fc.constantFrom(...MINERS),
  transactions: fc.array(transaction, { maxLength: 4 }),
  requests: fc.array(fc.constantFrom('deposit', 'withdrawal', 'consolidation'), { maxLength: 3 }),
  uncles: fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
  withdrawals: fc.array(
    fc.record({ address: fc.constantFrom(...TARGETS), amount: fc.constantFrom(0n, 0n, 1n, 10n ** 9n) }),
    { maxLength: 3 },
  ),
})

/** Plans of chains. */
export const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.constantFrom(0, 1, 1, 1, 2), { minLength: FORKS.length, maxLength: FORKS.length }),
  codes: fc.array(code, { minLength: CODES.length, maxLength: CODES.length }),
  blocks: fc.array(block, { minLength: 3, maxLength: 10 }),
})

/** A chain that was built, and its genesis. */
export interface RandomChain {
  readonly genesis: GethGenesis
  readonly chain: StockChain
}

/** Builds the chain of a plan; its last blocks are on Osaka. */
export async function buildChain({ steps, codes, blocks }: Plan): Promise<RandomChain> {
  const { config, dao, last } = toConfig(steps)
  const genesis = toGenesis(config, codes)
  const chain = await StockChain.create(genesis)
  const nonces = senders.map(() => 0n)
  const spent = new Set<number>()
  for (let number = 1; number <= last; number++) {
    const planned = blocks[number % blocks.length]!
    const timestamp = INTERVAL * number
    const common = chain.rulesAt(timestamp)
    const transactions: TypedTransaction[] = []
    for (const one of [...planned.transactions, ...planned.requests.map(toCall)]) {
      transactions.push(await sign(one, nonces, common))
    }
    const uncles = common.gteHardfork('paris')
      ? []
      : planned.uncles.map((generation) => number - generation).filter((at) => at > 0 && !spent.has(at))
    for (const at of uncles) spent.add(at)
    await chain.make({
      timestamp,
      coinbase: planned.miner,
      transactions,
      uncles: uncles.map((at) => chain.uncleAt(at, UNCLE_MINER)),
      withdrawals: planned.withdrawals.map((one, i) => ({ ...one, index: BigInt(i), validatorIndex: 7n })),
      ...(number >= dao && number < dao + 10 && { extraData: new TextEncoder().encode('dao-hard-fork') }),
    })
  }
  return { genesis, chain }
}

function toConfig(steps: readonly number[]): {
  readonly config: GethGenesis['config']
  readonly dao: number
  readonly last: number
} {
  const config: Record<string, number> = {}
  let number = 1
  for (const [i, fields] of FORKS.entries()) {
    // Stock @ethereumjs keeps the empty accounts of the DAO fork if EIP-161 starts in the same block.
    number += fields[0] === 'eip150Block' ? Math.max(1, steps[i]!) : steps[i]!
    for (const field of fields) config[field] = field.endsWith('Time') ? INTERVAL * number : number
  }
  return {
    config: { ...config, daoForkSupport: true, depositContractAddress: DEPOSITS, chainId: CHAIN_ID },
    dao: config['daoForkBlock']!,
    last: number + 1,
  }
}

function toGenesis(config: GethGenesis['config'], codes: readonly Code[]): GethGenesis {
  const alloc: Record<Address, GethGenesis['alloc'][string]> = {
    [EMPTY]: { balance: '0x0' },
    [DEPOSITS]: { balance: '0x0', nonce: '0x1', code: hex(LOG_DEPOSIT) },
  }
  for (const [i, code] of codes.entries()) {
    const storage = { [slotKey(0)]: slotKey(1) }
    alloc[CODES[i]!] = { balance: '0x3e8', nonce: '0x1', code: hex(code), storage }
  }
  for (const key of keys) alloc[addressOf(key)] = { balance: `0x${(10n ** 24n).toString(16)}` }
  // Every third does not exist.
  for (const [i, one] of daoAccounts().entries())
    if (i % 3 > 0) alloc[one] = { balance: `0x${i.toString(16)}` }
  for (const { address: at, code } of [
    BEACON_ROOTS,
    BLOCK_HASHES,
    CONSOLIDATION_REQUESTS,
    WITHDRAWAL_REQUESTS,
  ]) {
    alloc[at] = { balance: '0x0', nonce: '0x1', code }
  }
  return {
    config,
    alloc,
    gasLimit: '0x1312d00',
    difficulty: '0x20000',
    timestamp: '0x0',
    nonce: '0x0',
    extraData: '0x',
  }
}

/** keccak256 of `DepositEvent(bytes,bytes,bytes,bytes,bytes)`. */
const DEPOSIT_TOPIC = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
const word = (n: number): Code => n.toString(16).padStart(64, '0')
const field = (length: number): Code =>
  word(length) + 'ab'.repeat(length).padEnd(64 * Math.ceil(length / 32), '0')
const DEPOSIT = [160, 256, 320, 384, 512].map(word).join('') + [48, 32, 8, 96, 8].map(field).join('')
/** Logs a deposit as the deposit contract does (EIP-6110). */
const LOG_DEPOSIT = `${toMemory(DEPOSIT)}7f${DEPOSIT_TOPIC}${push(DEPOSIT.length / 2)}${push(0)}a1`

function toCall(request: Request, i: number): PlannedTransaction {
  const [to, length] = (
    {
      deposit: [DEPOSITS, 0],
      withdrawal: [WITHDRAWAL_REQUESTS.address, 56],
      consolidation: [CONSOLIDATION_REQUESTS.address, 96],
    } as const
  )[request]
  const data = i.toString(16).padStart(2, '0').repeat(length)
  const rest = { create: '', slots: [], delegate: ABSENT, gas: 300_000n }
  return { by: i, type: 0, to, value: length > 0 ? 100n : 0n, data, ...rest }
}

/** Signs a transaction; a type that the fork does not have becomes the newest that it has. */
async function sign(
  planned: PlannedTransaction,
  nonces: bigint[],
  common: Common,
): Promise<TypedTransaction> {
  const newest = [2930, 1559, 4844, 7702].filter((eip) => common.isActivatedEIP(eip)).length
  const type = Math.min(planned.type, newest)
  const to = type > 2 ? (planned.to ?? CODES[0]!) : planned.to
  const data = hex(to === null ? planned.create : planned.data)
  const accessList = planned.slots.map((slot, i) => ({ address: CODES[i]!, storageKeys: [slotKey(slot)] }))
  // Enough for the intrinsic gas of every fork.
  const least = 60_000n + 70n * BigInt(data.length / 2) + 5_000n * BigInt(accessList.length)
  const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n }
  const fields = {
    type,
    chainId: CHAIN_ID,
    nonce: nonces[planned.by]!,
    gasLimit: least + planned.gas,
    value: planned.value,
    data,
    ...(to !== null && { to }),
    ...(type > 0 && { accessList }),
    ...(type < 2 ? { gasPrice: 3_000_000_000n } : fees),
    ...(type === 3 && { maxFeePerBlobGas: 100n, blobVersionedHashes: [`0x01${'aa'.repeat(31)}`] }),
    ...(type === 4 && { authorizationList: [await authorize(planned.delegate, planned.value)] }),
  }
  nonces[planned.by]! += 1n
  return createTx(fields as never, { common: common.copy() }).sign(hexToBytes(senders[planned.by]!))
}

/** An authorisation, which is valid if the nonce happens to be. */
async function authorize(delegate: Address, nonce: bigint) {
  const signed = await authority.signAuthorization({
    address: delegate,
    chainId: CHAIN_ID,
    nonce: Number(nonce === 1n),
  })
  const quantity = (n: number): Hex => (n === 0 ? '0x' : `0x${n.toString(16).padStart(2, '0')}`)
  return {
    chainId: `0x${CHAIN_ID.toString(16)}`,
    address: signed.address,
    nonce: quantity(signed.nonce),
    yParity: quantity(signed.yParity!),
    r: signed.r,
    s: signed.s,
  }
}
