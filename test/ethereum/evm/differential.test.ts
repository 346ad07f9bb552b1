/**
 * Random transactions on every fork, spread over ticks and blocks; the oracle, stock @ethereumjs, has to compute the
 * same roots, receipts and gas from the bytes of the blocks alone.
 */
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { PresealRpcError } from '../../../src/base/errors.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import type { Hardfork } from '../../../src/ethereum/forks.ts'
import { Child, Delegate, Factory, Probe, Token } from '../../contracts/artifacts.ts'
import { forksUpTo } from '../../forks.ts'
import { FULL, runs } from '../../full.ts'
import { startChain } from '../../harness.ts'
import { address } from '../../words.ts'
import { type Code, hex } from './programs.ts'
import { creation } from './random/creations.ts'
import { program } from './random/programs.ts'

/** One hardfork for the whole chain, or all of them one after the other, from the second block on. */
type Era = Hardfork | 'all of them'
const ERAS: readonly Era[] = ['paris', 'shanghai', 'cancun', 'prague', 'osaka', 'all of them']
const START = 1_700_000_000
const TRANSITIONS = {
  shanghaiTime: START + 2,
  cancunTime: START + 3,
  pragueTime: START + 4,
  osakaTime: START + 5,
}
/** Whether EIP-7702 and EIP-7623 are in force at some point. */
const hasPrague = (era: Era): boolean => era !== 'paris' && era !== 'shanghai' && era !== 'cancun'
const RUNS = runs(2, 50)

const keys = [1, 2, 3, 4].map((n) => keccak256(`0x${n.toString(16).padStart(64, '0')}`))
const senders = keys.map((key) => privateKeyToAccount(key))
const senderAddresses = senders.map(({ address }) => address.toLowerCase() as Address)

const PRECOMPILES = [...Array.from({ length: 0x12 }, (_, i) => address(i + 1)), address(0x100)]
const ABSENT = [address(0xaa0000000), address(0xaa0000001)]
const EMPTY = address(0xbb0000000)
const POOR = address(0xbb0000001)
const STORAGE_ONLY = address(0xbb0000002)
const COMPILED = { Child, Delegate, Factory, Probe, Token }
const compiled = Object.values(COMPILED).map(
  ({ deployedBytecode }, i) => [address(0xcc0000000 + i), deployedBytecode] as const,
)
const RANDOM = [0, 1, 2].map((i) => address(0xdd0000000 + i))
const COINBASES: readonly Address[] = [address(0), address(0xee0000000), senderAddresses[0]!, RANDOM[0]!]
const TARGETS: readonly Address[] = [
  ...senderAddresses,
  ...PRECOMPILES.slice(0, 6),
  ...ABSENT,
  EMPTY,
  POOR,
  ...compiled.map(([at]) => at),
  ...RANDOM,
  ...RANDOM,
  COINBASES[1]!,
]

interface Authorization {
  readonly by: number
  readonly to: Address
  readonly fault: 'none' | 'chain' | 'anyChain' | 'nonce' | 'highS' | 'parity'
}

interface Tx {
  readonly by: number
  readonly type: 'legacy' | 'eip155' | 'eip2930' | 'eip1559' | 'eip7702'
  readonly to: Address | null
  readonly value: bigint
  readonly data: Code
  readonly create: Code
  readonly gas: bigint
  readonly tip: bigint
  readonly accessList: readonly { readonly address: Address; readonly slots: readonly number[] }[]
  readonly authorizations: readonly Authorization[]
}

interface Plan {
  readonly coinbase: Address
  readonly codes: readonly Code[]
  /** Blocks of ticks of transactions. */
  readonly blocks: readonly (readonly (readonly Tx[])[])[]
}

const target = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...RANDOM) },
  { weight: 3, arbitrary: fc.constantFrom(...compiled.map(([at]) => at)) },
  { weight: 2, arbitrary: fc.constantFrom(...PRECOMPILES) },
  { weight: 3, arbitrary: fc.constantFrom(...senderAddresses, ...ABSENT, EMPTY, POOR, STORAGE_ONLY) },
  { weight: 1, arbitrary: fc.constantFrom(...COINBASES) },
)

const uint = (n: number | bigint): Code => n.toString(16).padStart(64, '0')
const contractCalls: readonly Code[] = [
  // Every function of the contracts with word arguments, called with small ones.
  `a9059cbb${uint(BigInt(POOR))}${uint(5)}`,
  ...[Probe, Factory, Child, Token].flatMap(({ abi }) =>
    abi.flatMap((entry) => {
      if (entry.type !== 'function') return []
      const signature = `${entry.name}(${entry.inputs.map(({ type }) => type).join(',')})`
      const selector = keccak256(new TextEncoder().encode(signature)).slice(2, 10)
      return entry.inputs.some(({ type }) => type.endsWith('[]') || type === 'bytes') || entry.name === 'loop'
        ? []
        : [0, 1, 2].map((n) => selector + entry.inputs.map(() => uint(n)).join(''))
    }),
  ),
]

/** Code of an era; if it has all forks, with the opcodes of the last. */
function codeOf(era: Era): fc.Arbitrary<Code> {
  const fork = forksUpTo(era === 'all of them' ? 'osaka' : era)
  return program({ fork, targets: TARGETS, isLimited: true })
}

function txOf(era: Era): fc.Arbitrary<Tx> {
  const code = codeOf(era)
  const types: Tx['type'][] = ['legacy', 'eip155', 'eip2930', 'eip1559']
  if (hasPrague(era)) types.push('eip7702', 'eip7702')
  return fc.record({
    by: fc.nat(3),
    type: fc.constantFrom(...types),
    to: fc.oneof({ weight: 5, arbitrary: target }, { weight: 1, arbitrary: fc.constant(null) }),
    value: fc.oneof(fc.constantFrom(0n, 0n, 1n, 10n ** 18n), fc.bigInt(0n, 10n ** 20n)),
    data: fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      { weight: 4, arbitrary: fc.constantFrom(...contractCalls) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((b) => bytesToHex(b).slice(2)) },
      { weight: 1, arbitrary: fc.nat(4000).map((n) => 'ff'.repeat(n)) },
    ),
    create: fc.oneof(creation(code), code),
    gas: fc.oneof(
      { weight: 4, arbitrary: fc.constant(1_000_000n) },
      { weight: 1, arbitrary: fc.constant(0n) },
      { weight: 2, arbitrary: fc.bigInt(0n, 60_000n) },
    ),
    tip: fc.constantFrom(0n, 1n, 10n ** 9n),
    accessList: fc.array(
      fc.record({ address: fc.constantFrom(...TARGETS), slots: fc.array(fc.nat(3), { maxLength: 3 }) }),
      { maxLength: 2 },
    ),
    authorizations: fc.array(
      fc.record({
        by: fc.nat(3),
        to: fc.constantFrom(address(0), ...RANDOM, compiled[1]![0], senderAddresses[1]!, address(4)),
        fault: fc.constantFrom('none', 'none', 'none', 'chain', 'anyChain', 'nonce', 'highS', 'parity'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
}

function planOf(era: Era): fc.Arbitrary<Plan> {
  const tick = fc.array(txOf(era), { maxLength: 8 })
  const block = fc.array(tick, { minLength: 1, maxLength: 3 })
  return fc.record({
    coinbase: fc.constantFrom(...COINBASES),
    codes: fc.array(codeOf(era), { minLength: RANDOM.length, maxLength: RANDOM.length }),
    blocks: fc.array(
      block,
      era === 'all of them' ? { minLength: 5, maxLength: 6 } : { minLength: 1, maxLength: 3 },
    ),
  })
}

/** Counts over the runs of a property, which show that the generator still covers these cases. */
interface Census {
  included: number
  failed: number
  readonly types: Set<string>
}

describe('transition and @ethereumjs/vm', () => {
  test.each(ERAS)('give the same blocks for random transactions on %s', async (era) => {
    // Twice as many blocks, half as many chains.
    const numRuns = era === 'all of them' ? Math.ceil(RUNS.numRuns / 2) : RUNS.numRuns
    const census: Census = { included: 0, failed: 0, types: new Set() }
    await fc.assert(
      fc.asyncProperty(planOf(era), (plan) => execute(era, plan, census)),
      { ...RUNS, numRuns, endOnFailure: !FULL },
    )
    // A chain has about 12 and 6 of them; the sums vary by a third over few runs.
    expect(census.included).toBeGreaterThan(2 * numRuns)
    expect(census.failed).toBeGreaterThan(numRuns / 2)
    expect([...census.types].sort()).toEqual(
      hasPrague(era) ? ['0x0', '0x1', '0x2', '0x4'] : ['0x0', '0x1', '0x2'],
    )
  })
})

async function execute(era: Era, plan: Plan, census: Census): Promise<void> {
  const everyFork = era === 'all of them'
  const hardfork = everyFork ? 'osaka' : era
  const base = toGethGenesis(resolveOptions({ hardfork, coinbase: plan.coinbase }), [], BigInt(START))
  const config = everyFork ? { ...base.config, ...TRANSITIONS } : base.config
  const balance = `0x${(10n ** 22n).toString(16)}`
  const alloc: Record<string, (typeof base.alloc)[string]> = {
    ...base.alloc,
    [EMPTY]: { balance: '0x0' },
    [POOR]: { balance: '0x1' },
    [STORAGE_ONLY]: { balance: '0x0', storage: { [`0x${uint(1)}`]: '0x01' } },
  }
  for (const [at, code] of compiled) alloc[at] = { balance: '0x5', nonce: '0x1', code }
  for (const [i, code] of plan.codes.entries())
    alloc[RANDOM[i]!] = { balance: '0x3e8', nonce: '0x1', code: hex(code) }
  for (const at of senderAddresses) alloc[at] = { balance }
  const chain = await startChain({ genesis: { ...base, config, alloc }, coinbase: plan.coinbase })
  const errors: Error[] = []
  chain.on('error', (error) => errors.push(error))
  const provider = chain.provider('preconf', { pendingNonce: 'pool', defaultBlock: 'pending' })
  const nonceOf = async (by: number): Promise<number> =>
    Number(
      await provider.request({
        method: 'eth_getTransactionCount',
        params: [senderAddresses[by]!, 'pending'],
      }),
    )

  for (const ticks of plan.blocks) {
    for (const txs of ticks) {
      for (const tx of txs) {
        const raw = await sign(era, tx, nonceOf)
        try {
          await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
        } catch (error) {
          // Gas below the floor, no funds left, init code at another fork's limits: valid rejections.
          if (!(error instanceof PresealRpcError) || error.code !== -32000) throw error
        }
      }
      await chain.tick()
    }
    await chain.clock.advance(1000)
    const { receipts } = await chain.seal()
    for (const { status, type } of receipts) {
      census.included++
      if (status === '0x0') census.failed++
      census.types.add(type)
    }
  }
  await chain.finish()
  expect(errors).toEqual([])
}

async function sign(era: Era, tx: Tx, nonceOf: (by: number) => Promise<number>): Promise<Hex> {
  const account = senders[tx.by]!
  const to = tx.type === 'eip7702' ? (tx.to ?? RANDOM[0]!) : tx.to
  const data = hex(to === null ? tx.create : tx.data)
  const nonce = await nonceOf(tx.by)
  const accessList = tx.accessList.map(({ address, slots }) => ({
    address,
    storageKeys: slots.map((at): Hash => `0x${uint(at)}`),
  }))
  const intrinsic = intrinsicOf(era, tx, to, data)
  const common = {
    nonce,
    gas: intrinsic + tx.gas,
    value: tx.value,
    data,
    ...(to !== null && { to }),
  }
  const maxFeePerGas = 3n * 10n ** 9n
  switch (tx.type) {
    case 'legacy':
      return account.signTransaction({ ...common, type: 'legacy', gasPrice: maxFeePerGas })
    case 'eip155':
      return account.signTransaction({ ...common, type: 'legacy', gasPrice: maxFeePerGas, chainId: 31337 })
    case 'eip2930':
      return account.signTransaction({
        ...common,
        type: 'eip2930',
        accessList,
        gasPrice: maxFeePerGas,
        chainId: 31337,
      })
    case 'eip1559':
    case 'eip7702': {
      const fields = { ...common, accessList, maxFeePerGas, maxPriorityFeePerGas: tx.tip, chainId: 31337 }
      if (tx.type === 'eip1559') return account.signTransaction({ ...fields, type: 'eip1559' })
      const authorizationList = await Promise.all(
        tx.authorizations.map((authorization) => authorize(authorization, tx.by, nonceOf)),
      )
      return account.signTransaction({ ...fields, type: 'eip7702', authorizationList })
    }
  }
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

async function authorize(
  { by, to, fault }: Authorization,
  sender: number,
  nonceOf: (by: number) => Promise<number>,
) {
  const nonce = (await nonceOf(by)) + (by === sender ? 1 : 0) + (fault === 'nonce' ? 1 : 0)
  const chainId = fault === 'chain' ? 1 : fault === 'anyChain' ? 0 : 31337
  const signed = await senders[by]!.signAuthorization({ address: to, chainId, nonce })
  const yParity = signed.yParity!
  if (fault === 'highS') return { ...signed, s: hex(uint(ORDER - BigInt(signed.s))), yParity: 1 - yParity }
  return fault === 'parity' ? { ...signed, yParity: 2, v: 29n } : signed
}

/** The lowest valid gas limit, so that its code gets the gas above it. */
function intrinsicOf(era: Era, tx: Tx, to: Address | null, data: Hex): bigint {
  const bytes = hexToBytes(data)
  const zeros = bytes.filter((b) => b === 0).length
  const tokens = 4 * bytes.length - 3 * zeros
  let gas = 21_000 + 4 * tokens
  if (to === null) gas += 32_000 + (era === 'paris' ? 0 : 2 * Math.ceil(bytes.length / 32))
  if (tx.type !== 'legacy' && tx.type !== 'eip155') {
    for (const { slots } of tx.accessList) gas += 2400 + 1900 * slots.length
  }
  if (tx.type === 'eip7702') gas += 25_000 * tx.authorizations.length
  const floor = hasPrague(era) ? 21_000 + 10 * tokens : 0
  return BigInt(Math.max(gas, floor))
}
