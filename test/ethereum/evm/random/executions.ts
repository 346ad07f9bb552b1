/** Random transactions and calls on random accounts. */
import type { Hardfork } from '@ethereumjs/common'
import fc from 'fast-check'
import { hashAuthorization } from 'viem/utils'
import { hexToBytes } from '../../../../src/base/bytes.ts'
import type { Crypto } from '../../../../src/base/crypto/crypto.ts'
import type { AccessListEntry, Address, Hash } from '../../../../src/base/types.ts'
import { callChecks } from '../../../../src/ethereum/evm/call.ts'
import {
  ALL_CHECKS,
  type BlockEnv,
  type Checks,
  type Execution,
} from '../../../../src/ethereum/evm/executor.ts'
import { precompilesOf } from '../../../../src/ethereum/evm/precompiles.ts'
import type { ForkRules } from '../../../../src/ethereum/forks.ts'
import { upfrontGas } from '../../../../src/ethereum/gas.ts'
import type { Rules } from '../../../../src/ethereum/rules.ts'
import type { Authorization, TxEnv } from '../../../../src/ethereum/transaction.ts'
import { rulesOf } from '../../../forks.ts'
import { type Code, hex } from '../programs.ts'
import { createState, type StartingAccount, slotKey } from '../setup.ts'
import {
  ABSENT,
  AUTHORITIES,
  COINBASE,
  CONTRACTS,
  DELEGATORS,
  KEYS,
  longContract,
  SENDER,
  startingAccounts,
  targetsOf,
} from './accounts.ts'
import { creation } from './creations.ts'
import { program } from './programs.ts'
import { byteOf } from './scope.ts'
import { DEEP, LONG } from './tools.ts'

/** What an execution is made of, in a form that can be printed and shrunk. */
export interface Plan {
  readonly accounts: Readonly<Record<Address, StartingAccount>>
  readonly type: TxEnv['type']
  readonly from: Address
  readonly to: Address | null
  readonly value: bigint
  readonly data: Code
  readonly accessList: readonly AccessListEntry[]
  readonly authorizations: readonly SignedBy[]
  readonly gas: GasLimit
  readonly checks: keyof typeof CHECKS
  /** Wei per unit of gas. */
  readonly price: bigint
  readonly coinbase: Address
  /** Moved precompiles, as in `BlockEnv`. */
  readonly moved: readonly (readonly [Address, Address | null])[]
  /** What is compared in addition; most plans compare no more than what the execution does, which takes less time. */
  readonly addition: Addition
}

/**
 * What is compared in addition to outcome, accounts, accesses and captured logs: each instruction, with or without a pause
 * after it; the access list; the execution on a state that is loaded entry by entry.
 */
export type Addition = 'none' | 'instructions' | 'pauses' | 'accessList' | 'loading'

/** An authorisation by one of the keys. */
interface SignedBy {
  readonly by: number
  readonly to: Address
  readonly nonce: number
}

/** How the gas limit is chosen: what there is beyond the intrinsic gas, the limit itself, or a part of what is needed. */
type GasLimit =
  | { readonly room: bigint }
  | { readonly total: bigint }
  | { readonly share: number; readonly more: number }

/** Limits beyond what a number can hold, and around it. */
const HUGE_LIMITS = [53n, 60n, 63n, 64n].flatMap((n) => [2n ** n - 1n, 2n ** n, 2n ** n + 12_345n])

const CHECKS = {
  block: () => ALL_CHECKS,
  call: callChecks,
  none: (): Checks => ({
    nonce: false,
    senderCode: false,
    gasLimit: false,
    feeCap: false,
    blobFeeCap: false,
    funds: false,
    extraFees: true,
  }),
} as const

const BASE_FEE = 7n

/** A plan for an execution on a fork. */
export function plan(name: Hardfork, crypto: Crypto): fc.Arbitrary<Plan> {
  const { fork } = cachedRules(name)
  return fc.oneof(
    { weight: 30, arbitrary: planWith(fork, true, crypto) },
    { weight: 1, arbitrary: planWith(fork, false, crypto) },
  )
}

function planWith(fork: ForkRules, isLimited: boolean, crypto: Crypto): fc.Arbitrary<Plan> {
  const targets = targetsOf(fork, isLimited)
  const calldata = fc
    .array(fc.oneof(fc.nat(3), fc.nat(255)), { maxLength: 100 })
    .map((bytes) => bytes.map(byteOf).join(''))
  const types: TxEnv['type'][] = [0]
  if (fork.berlin) types.push(1)
  if (fork.london) types.push(2)
  if (fork.cancun) types.push(3)
  if (fork.prague) types.push(4, 4)
  return fc
    .record({
      accounts: startingAccounts(fork, isLimited, crypto),
      type: fc.constantFrom(...types),
      from: fc.oneof(
        { weight: 12, arbitrary: fc.constant(SENDER) },
        { weight: 1, arbitrary: fc.constantFrom(ABSENT, AUTHORITIES[0]!, CONTRACTS[1]!) },
      ),
      to: fc.oneof(
        { weight: 80, arbitrary: fc.constant<Address | null>(CONTRACTS[0]!) },
        { weight: 4, arbitrary: fc.constantFrom(...targets) },
        { weight: isLimited ? 1 : 12, arbitrary: fc.constantFrom(...(Object.keys(DEEP) as Address[]), LONG) },
        { weight: fork.prague ? 8 : 0, arbitrary: fc.constantFrom(...DELEGATORS, ...AUTHORITIES) },
        { weight: 12, arbitrary: fc.constant(null) },
      ),
      value: fc.constantFrom(0n, 0n, 1n, 1000n),
      calldata,
      init: creation(program({ fork, targets, isLimited }, 1)),
      accessList: fc.array(
        fc.record({
          address: fc.constantFrom(...targets),
          storageKeys: fc.array(fc.nat(3).map(slotKey), { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
      authorizations: fc.array(
        fc.record({
          by: fc.nat(KEYS.length - 1),
          to: fc.constantFrom(...CONTRACTS, ...targets),
          nonce: fc.nat(1),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      gas: isLimited ? limitedGas : fc.constantFrom(...HUGE_LIMITS).map((total) => ({ total })),
      checks: isLimited
        ? fc.constantFrom<keyof typeof CHECKS>('block', 'call', 'none')
        : fc.constant('call' as const),
      price: isLimited ? fc.constantFrom(0n, 11n) : fc.constant(0n),
      coinbase: fc.constantFrom(COINBASE, COINBASE, SENDER, CONTRACTS[2]!, ABSENT),
      moved: isLimited ? movedPrecompiles(fork) : fc.constant([]),
      addition: additions,
    })
    .map(({ calldata: input, init, to, type, from, checks, price, ...rest }): Plan => {
      // Only a call may have no price, and only one that needs no funds may come from any account.
      const isSender = from === SENDER
      const isCreation = to === null && type < 3
      return {
        ...rest,
        type,
        from,
        to: isCreation ? null : (to ?? CONTRACTS[0]!),
        data: isCreation ? init : input,
        checks: !isSender ? 'none' : price === 0n && checks === 'block' ? 'call' : checks,
        price,
      }
    })
}

const additions = fc.oneof(
  { weight: 16, arbitrary: fc.constant<Addition>('none') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Addition>('instructions', 'pauses', 'accessList', 'loading'),
  },
)

const limitedGas: fc.Arbitrary<GasLimit> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.integer({ min: 1_000_000, max: 8_000_000 }).map((room) => ({ room: BigInt(room) })),
  },
  { weight: 1, arbitrary: fc.nat(100_000).map((room) => ({ room: BigInt(room) })) },
  { weight: 1, arbitrary: fc.nat(100).map((percent) => ({ share: percent / 100, more: 0 })) },
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 2 }).map((more) => ({ share: 1, more })) },
)

/** Precompiles at other addresses, in one of six plans. Those with low addresses are called most. */
function movedPrecompiles(fork: ForkRules): fc.Arbitrary<Plan['moved']> {
  const places = [ABSENT, CONTRACTS[1]!, CONTRACTS[2]!, SENDER]
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...precompilesOf(fork)),
          fc.option(fc.constantFrom(...places), { nil: undefined }),
        )
        .map(([from, to]) =>
          to === undefined ? [[from, null] as const] : [[from, null] as const, [to, from] as const],
        ),
    },
  )
}

/** The execution of a plan, without hooks. */
export function toExecution(name: Hardfork, plan: Plan, crypto: Crypto, gasLimit: bigint): Execution {
  const { accounts, to } = plan
  const state = createState(to === LONG ? { ...accounts, [LONG]: longContract() } : accounts, crypto)
  const tx = toTx(plan, crypto, gasLimit)
  return {
    tx,
    env: {
      ...envOf(name, plan.coinbase),
      ...(plan.moved.length > 0 && { movedPrecompiles: new Map(plan.moved) }),
    },
    state,
    checks: CHECKS[plan.checks](tx),
  }
}

/**
 * The gas limit of a plan.
 *
 * @param peakGas - the gas that it needs if it has enough.
 */
export async function gasLimitOf(
  name: Hardfork,
  plan: Plan,
  crypto: Crypto,
  peakGas: (gasLimit: bigint) => Promise<bigint>,
): Promise<bigint> {
  const { gas } = plan
  if ('total' in gas) return gas.total
  const { intrinsic, floor } = upfrontGas(toTx(plan, crypto, 0n), cachedRules(name).fork)
  const least = intrinsic > floor ? intrinsic : floor
  if ('room' in gas) return least + gas.room
  const needed = (await peakGas(least + 4_000_000n)) - least
  const limit = least + (needed * BigInt(Math.round(100 * gas.share))) / 100n + BigInt(gas.more)
  return limit < least ? least : limit
}

function toTx(plan: Plan, crypto: Crypto, gasLimit: bigint): TxEnv {
  const { type, from, to, value, data, price, accounts } = plan
  return {
    type,
    from,
    to,
    nonce: accounts[from]?.nonce ?? 0n,
    gasLimit,
    value,
    data: hexToBytes(hex(data)),
    ...(type < 2 ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: price / 3n }),
    ...(type > 0 && { accessList: plan.accessList }),
    ...(type === 3 && { blobVersionedHashes: BLOBS, maxFeePerBlobGas: price }),
    ...(type === 4 && { authorizationList: plan.authorizations.map((one) => authorize(one, crypto)) }),
  }
}

const BLOBS: readonly Hash[] = [`0x01${'ab'.repeat(31)}`, `0x01${'00'.repeat(31)}`]

const authorizations = new Map<string, Authorization>()

function authorize({ by, to, nonce }: SignedBy, crypto: Crypto): Authorization {
  const name = `${by} ${to} ${nonce}`
  let authorization = authorizations.get(name)
  if (authorization === undefined) {
    const hash = hexToBytes(hashAuthorization({ address: to, chainId: CHAIN_ID, nonce }))
    const signature = crypto.sign(hash, hexToBytes(KEYS[by]!))
    authorization = { chainId: BigInt(CHAIN_ID), address: to, nonce: BigInt(nonce), ...signature }
    authorizations.set(name, authorization)
  }
  return authorization
}

const CHAIN_ID = 1
const rulesByName = new Map<Hardfork, Rules>()

/** The rules of a fork, always the same object: engines cache what follows from them. */
function cachedRules(name: Hardfork): Rules {
  let rules = rulesByName.get(name)
  if (rules === undefined) {
    rules = rulesOf(name, CHAIN_ID)
    rulesByName.set(name, rules)
  }
  return rules
}

const envs = new Map<string, BlockEnv>()

function envOf(name: Hardfork, coinbase: Address): BlockEnv {
  const key = `${name} ${coinbase}`
  let env = envs.get(key)
  if (env === undefined) {
    const rules = cachedRules(name)
    env = {
      rules,
      number: 1000n,
      timestamp: 1_700_000_000n,
      coinbase,
      gasLimit: 30_000_000n,
      baseFee: rules.fork.london ? BASE_FEE : 0n,
      blobBaseFee: 3n,
      prevRandao: `0x${'0123456789abcdef'.repeat(4)}`,
      difficulty: rules.fork.paris ? 0n : 131_072n,
      blockHash: (number) => (number % 7n === 0n ? undefined : slotKey(number + 2n ** 255n)),
    }
    envs.set(key, env)
  }
  return env
}
