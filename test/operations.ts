/** Random operations on a chain: sends, ticks and seals, cheats, reorgs, retractions and imports. */
import fc from 'fast-check'
import { privateKeyToAccount } from 'viem/accounts'
import { concatBytes, hexToBytes } from '../src/base/bytes.ts'
import { PresealRpcError } from '../src/base/errors.ts'
import { ImportError } from '../src/core/import/errors.ts'
import { WITHDRAWAL_REQUESTS } from '../src/ethereum/systemContracts.ts'
import type { ChainOptions, Hash, Hex } from '../src/index.ts'
import { LOGGING, type Plan, sign } from './core/sequencer/support.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'

/** A transaction of one of the first dev accounts. */
interface Draft {
  readonly from: number
  /** Added to the account's next nonce. */
  readonly gap: number
  /** A delegation (EIP-7702) uses a nonce of the next account; a request is a withdrawal request (EIP-7002). */
  readonly action: 'transfer' | 'log' | 'call' | 'delegate' | 'request'
  readonly cap: bigint
}

/** One operation as data, so that it can be repeated on another chain. */
export type Operation =
  | { readonly kind: 'send'; readonly draft: Draft }
  | { readonly kind: 'tick' | 'seal' | 'importAgain' }
  /** Imports blocks that another chain built on this head, with this chain's transactions ('same') or others. */
  | { readonly kind: 'importOther'; readonly blocks: readonly (readonly Draft[] | 'same')[] }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'ask'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly kind: 'reorg'; readonly depth: number; readonly replace: readonly (readonly Draft[])[] }
  /** Retracts the pre-confirmed transactions at these indices, modulo their count. */
  | { readonly kind: 'retract'; readonly places: readonly number[] }
  /** Drops one of the pre-confirmed, then waiting, transactions, by its index modulo their count. */
  | { readonly kind: 'drop'; readonly method: string; readonly place: number }
  | { readonly kind: 'retractPreconfBlocks'; readonly count: number }

/** Starts a chain that {@link perform} needs besides its own. */
export type StartOther = typeof startChain

const START = 1_700_000_000
export const CONTRACT = '0x00000000000000000000000000000000000c0de5'
const UNKNOWN_HASH: Hash = `0x${'77'.repeat(32)}`
/** An account without a known key. */
export const STRANGER = '0x00000000000000000000000000000000000abcde'
/** A withdrawal request: the key of a validator, and an amount. */
const REQUEST: Hex = `0x${'11'.repeat(48)}0000000000000001`
const CALLS = [{ to: CONTRACT }, { to: STRANGER, value: '0x1' }]

/** The first dev accounts, which also send. */
const account = fc.constantFrom(
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
)

const draft: fc.Arbitrary<Draft> = fc.record({
  from: fc.nat(2),
  gap: fc.constantFrom(0, 0, 0, 0, 1, -1),
  action: fc.constantFrom('transfer', 'transfer', 'log', 'log', 'call', 'delegate', 'request'),
  cap: fc.constantFrom(10n ** 11n, 2n * 10n ** 11n, 10n ** 8n),
})

const cheat = (method: string, ...params: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<Operation> =>
  fc.tuple(...params).map((values) => ({ kind: 'ask', method, params: values }))

const timestamp = fc.integer({ min: START, max: START + 10_000 })
/** Code: none, a push, a log, an increment of slot 1, a selfdestruct. */
const code = fc.constantFrom('0x', '0x6001', '0x60ff60006000a100', '0x600154600101600155', '0x33ff')
const slot = fc.constantFrom('0x0', '0x1')

const state = fc
  .dictionary(
    fc.constantFrom(CONTRACT, STRANGER),
    fc.record({
      balance: fc.constantFrom('0x0', `0x${(10n ** 18n).toString(16)}`),
      nonce: fc.nat(2),
      code,
      storage: fc.dictionary(slot, fc.constantFrom('0x0', '0x3'), { noNullPrototype: true }),
    }),
    { noNullPrototype: true },
  )
  .map((accounts) => ({ accounts }))

const cheats: readonly fc.Arbitrary<Operation>[] = [
  cheat('evm_increaseTime', fc.nat(10_000)),
  cheat('evm_setTime', timestamp),
  cheat('evm_setNextBlockTimestamp', timestamp),
  // With 0, stock @ethereumjs refuses the blocks; see test/core/cheats/timeTable.test.ts.
  cheat('anvil_setBlockTimestampInterval', fc.integer({ min: 1, max: 20 })),
  cheat('anvil_removeBlockTimestampInterval'),
  cheat('anvil_setBalance', account, fc.constantFrom('0', '1', `${10n ** 15n}`, `${10n ** 20n}`)),
  cheat('anvil_addBalance', account, fc.constantFrom('1', `${10n ** 20n}`)),
  cheat('anvil_setNonce', account, fc.nat(3)),
  cheat('anvil_setCode', fc.constant(CONTRACT), code),
  cheat('anvil_setStorageAt', fc.constant(CONTRACT), slot, fc.constantFrom('0x0', '0x2')),
  cheat('anvil_loadState', state),
  cheat('anvil_setCoinbase', account),
  cheat('anvil_setNextBlockBaseFeePerGas', fc.constantFrom(1, 10 ** 9, 10 ** 11)),
  cheat('anvil_setPrevRandao', fc.constantFrom('0x1', '0x2')),
  cheat('anvil_setBlockGasLimit', fc.constantFrom(30_000, 30_000_000)),
  cheat('anvil_setMinGasPrice', fc.constantFrom('0', `${10n ** 11n}`)),
  cheat('anvil_setChainId', fc.constantFrom(31_337, 5)),
  cheat('anvil_mine', fc.nat(3), fc.nat(10)),
  cheat('hardhat_mine', fc.nat(3), fc.nat(10)),
  cheat('anvil_removePoolTransactions', account),
  cheat('anvil_dropAllTransactions'),
  cheat('anvil_impersonateAccount', fc.constant(STRANGER)),
  cheat('anvil_stopImpersonatingAccount', fc.constant(STRANGER)),
  cheat('anvil_autoImpersonateAccount', fc.boolean()),
  cheat('eth_sendTransaction', fc.constant({ from: STRANGER, to: CONTRACT, gas: '0x186a0' })),
  account.chain((from) =>
    cheat(
      'wallet_sendCalls',
      fc.constant({ version: '2.0.0', from, chainId: '0x7a69', atomicRequired: true, calls: CALLS }),
    ),
  ),
]

const disruptive: readonly fc.Arbitrary<Operation>[] = [
  fc.array(fc.array(draft, { maxLength: 3 }), { maxLength: 3 }).chain((replace) =>
    fc.record({
      kind: fc.constant('reorg' as const),
      depth: fc.integer({ min: Math.max(1, replace.length), max: 4 }),
      replace: fc.constant(replace),
    }),
  ),
  cheat('anvil_rollback', fc.integer({ min: 1, max: 3 })),
  fc.record({
    kind: fc.constant('retract' as const),
    places: fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('retractPreconfBlocks' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.constant({ kind: 'importAgain' }),
  fc.record({
    kind: fc.constant('importOther' as const),
    blocks: fc.array(fc.oneof(fc.constant('same' as const), fc.array(draft, { maxLength: 3 })), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  fc.record({
    kind: fc.constant('drop' as const),
    method: fc.constantFrom('anvil_dropTransaction', 'hardhat_dropTransaction'),
    place: fc.nat(5),
  }),
]

/**
 * Any operation; mostly sends, ticks and seals. Each run has only a few of the cheats, so that these interact.
 *
 * @param toSteps - builds the steps from the arbitrary operation.
 */
export function operations<T>(
  toSteps: (operation: fc.Arbitrary<Operation>) => fc.Arbitrary<T>,
): fc.Arbitrary<T> {
  return fc
    .subarray([...cheats], { minLength: 1, maxLength: 6 })
    .chain((known) =>
      toSteps(
        fc.oneof(
          { weight: 6, arbitrary: draft.map((one): Operation => ({ kind: 'send', draft: one })) },
          { weight: 6, arbitrary: fc.constantFrom<Operation>({ kind: 'tick' }, { kind: 'seal' }) },
          { weight: 1, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5000) }) },
          { weight: 4, arbitrary: fc.oneof(...disruptive) },
          { weight: 5, arbitrary: fc.oneof(...known) },
        ),
      ),
    )
}

const reverts = fc.constantFrom<Operation>(
  { kind: 'ask', method: 'evm_snapshot', params: [] },
  { kind: 'ask', method: 'evm_revert', params: ['0x1'] },
  { kind: 'ask', method: 'anvil_reset', params: [{ forking: {} }] },
)

/** An operation, or in a fifth of all cases a snapshot, a revert to the first one, or a reset. */
export function orRevert(operation: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> {
  return fc.oneof({ weight: 8, arbitrary: operation }, { weight: 2, arbitrary: reverts })
}

/** Resets of a fork to a chain of its own, to blocks of the node that is forked, and to one that it does not have. */
const forkings: fc.Arbitrary<Operation> = fc
  .constantFrom<readonly unknown[]>(
    [],
    ...[1, 2, 3, 4, 99].map((blockNumber) => [{ forking: { blockNumber } }]),
  )
  .map((params) => ({ kind: 'ask', method: 'anvil_reset', params }))

/** {@link orRevert} on a fork: in one of 40 cases a reset to another fork. */
export function orForking(operation: fc.Arbitrary<Operation>): fc.Arbitrary<Operation> {
  return fc.oneof({ weight: 39, arbitrary: orRevert(operation) }, { weight: 1, arbitrary: forkings })
}

/**
 * Performs an operation.
 *
 * @param options - the options that the chain was started with.
 * @param start - starts the chain that builds blocks to import.
 * @returns its answer, or the error as text; the same on every chain in the same state.
 */
export async function perform(
  chain: TestChain,
  operation: Operation,
  options: ChainOptions = {},
  start: StartOther = startChain,
): Promise<unknown> {
  switch (operation.kind) {
    case 'send': {
      const next = await nonceOf(chain, operation.draft.from, 'pending')
      return ask(chain.preconf, 'eth_sendRawTransaction', [await signed(chain, operation.draft, next)])
    }
    case 'tick':
      return chain.tick()
    case 'seal':
      return chain.seal()
    case 'advance':
      return chain.clock.advance(operation.ms)
    case 'ask': {
      const answer = await ask(chain.preconf, operation.method, operation.params)
      const isError = typeof answer === 'string' && answer.startsWith('error ')
      // Any other answer depends on the clock, whose time is never reverted.
      return ['evm_increaseTime', 'evm_setTime'].includes(operation.method) && !isError ? undefined : answer
    }
    case 'drop': {
      const hashes = [...(await preconfirmed(chain)), ...(await waiting(chain))]
      return ask(chain.preconf, operation.method, [hashes[operation.place % hashes.length] ?? UNKNOWN_HASH])
    }
    case 'reorg': {
      const { depth } = operation
      const fork = Number(await chain.standard.request({ method: 'eth_blockNumber' })) - depth
      const tag: Hex = `0x${Math.max(0, fork).toString(16)}`
      const next = await Promise.all([0, 1, 2].map((from) => nonceOf(chain, from, tag)))
      const replace: Hex[][] = []
      for (const drafts of operation.replace) {
        const raws: Hex[] = []
        for (const one of drafts) {
          raws.push(await signed(chain, one, next[one.from]!))
          next[one.from]! += 1
        }
        replace.push(raws)
      }
      return orError(chain.reorg({ depth, replace }))
    }
    case 'retract': {
      const hashes = await preconfirmed(chain)
      if (hashes.length === 0) return undefined
      const transactions = operation.places.map((place) => hashes[place % hashes.length]!)
      return orError(chain.retract({ transactions }))
    }
    case 'retractPreconfBlocks':
      return orError(chain.retract({ preconfBlocks: operation.count }))
    case 'importOther':
      // Blocks that it reads may be withdrawn meanwhile.
      return orError(importOther(chain, operation.blocks, options, start))
    case 'importAgain': {
      const raw = await chain.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })
      const back = await ask(chain.standard, 'anvil_rollback', [1])
      return back === null ? orError(chain.importBlocks(hexToBytes(raw))) : back
    }
  }
}

/** How many sealed blocks an operation withdraws if it succeeds. */
export function depthOf(operation: Operation): number {
  if (operation.kind === 'reorg') return operation.depth
  if (operation.kind === 'importAgain') return 1
  return operation.kind === 'ask' && operation.method === 'anvil_rollback' ? Number(operation.params[0]) : 0
}

async function signed(chain: TestChain, draft: Draft, next: number): Promise<Hex> {
  const { from, gap, action, cap } = draft
  const chainId = Number(await chain.standard.request({ method: 'eth_chainId' }))
  const plan: Plan = { from, nonce: Math.max(0, next + gap), cap, chainId }
  switch (action) {
    case 'transfer':
      return sign(chain, plan)
    case 'log':
      return sign(chain, { ...plan, ...LOGGING })
    case 'call':
      return sign(chain, { ...plan, to: CONTRACT, gas: 100_000n, value: 0n })
    case 'request':
      return sign(chain, {
        ...plan,
        to: WITHDRAWAL_REQUESTS.address,
        gas: 500_000n,
        value: 100n,
        data: REQUEST,
      })
    case 'delegate': {
      const other = (from + 1) % 3
      const [account, authority] = [from, other].map((at) =>
        privateKeyToAccount(chain.accounts[at]!.privateKey),
      )
      const nonce = await nonceOf(chain, other, 'pending')
      return account!.signTransaction({
        type: 'eip7702',
        chainId,
        nonce: plan.nonce,
        to: CONTRACT,
        gas: 100_000n,
        maxFeePerGas: cap,
        maxPriorityFeePerGas: 1n,
        authorizationList: [
          await authority!.signAuthorization({ chainId, nonce, contractAddress: CONTRACT }),
        ],
      })
    }
  }
}

/** Builds blocks on a copy of this chain, and imports them here. */
async function importOther(
  chain: TestChain,
  blocks: readonly (readonly Draft[] | 'same')[],
  options: ChainOptions,
  start: StartOther,
): Promise<unknown> {
  const other = await start({ ...options, mining: 'manual' }, {}, { skipHeaderValidation: true })
  const head = Number(await chain.standard.request({ method: 'eth_blockNumber' }))
  const imported = await orError(other.importBlocks(await rawBlocks(chain, 1, head)))
  // Blocks that cheats have changed cannot be imported.
  if (typeof imported === 'string') return imported
  for (const block of blocks) {
    const raws =
      block === 'same'
        ? await Promise.all(
            [...(await preconfirmed(chain)), ...(await waiting(chain))].map((hash) => rawOf(chain, hash)),
          )
        : await signedAll(other, block)
    for (const raw of raws) if (raw !== null) await ask(other.standard, 'eth_sendRawTransaction', [raw])
    await other.seal()
  }
  return orError(chain.importBlocks(await rawBlocks(other, head + 1, head + blocks.length)))
}

async function signedAll(chain: TestChain, drafts: readonly Draft[]): Promise<readonly Hex[]> {
  const raws: Hex[] = []
  for (const one of drafts) raws.push(await signed(chain, one, await nonceOf(chain, one.from, 'pending')))
  return raws
}

async function rawOf(chain: TestChain, hash: Hash): Promise<Hex | null> {
  return chain.preconf.request({ method: 'eth_getRawTransactionByHash', params: [hash] })
}

async function rawBlocks(chain: TestChain, from: number, to: number): Promise<Uint8Array> {
  const blocks: Uint8Array[] = []
  for (let number = from; number <= to; number++) {
    const params = [`0x${number.toString(16)}`] as const
    blocks.push(hexToBytes(await chain.standard.request({ method: 'debug_getRawBlock', params })))
  }
  return concatBytes(...blocks)
}

/** The next nonce of an account; `pending` includes waiting transactions. 0 if the state is no longer available. */
async function nonceOf(chain: TestChain, from: number, tag: Hex | 'pending'): Promise<number> {
  const { address } = chain.accounts[from]!
  return Number(await ask(chain.standard, 'eth_getTransactionCount', [address, tag])) || 0
}

export async function preconfirmed(chain: TestChain): Promise<readonly Hash[]> {
  const block = await chain.preconf.request({ method: 'eth_getBlockByNumber', params: ['pending', false] })
  return block!.transactions as Hash[]
}

async function waiting(chain: TestChain): Promise<readonly Hash[]> {
  const { pending, queued } = await chain.standard.request({ method: 'txpool_content' })
  const senders = [...Object.values(pending), ...Object.values(queued)]
  return senders.flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash))
}

async function orError<T>(result: Promise<T>): Promise<T | string> {
  try {
    return await result
  } catch (error) {
    if (error instanceof PresealRpcError) return `error ${error.code} ${error.message}`
    // Blocks that cheats have changed cannot be imported.
    if (error instanceof ImportError) return `error ${error.message}`
    throw error
  }
}
