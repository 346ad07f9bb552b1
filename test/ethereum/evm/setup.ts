/** An executor on a small state, without a chain or blocks. */

import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { whenLoaded } from '../../../src/base/waiting.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import {
  ALL_CHECKS,
  type BlockEnv,
  type Checks,
  type Executor,
  type Hooks,
  type Included,
  type Rejected,
} from '../../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import type { Hardfork } from '../../../src/ethereum/forks.ts'
import { createChainRules, hardforkConfig } from '../../../src/ethereum/rules.ts'
import { EMPTY_CODE_HASH, EMPTY_STATE } from '../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'

export const SENDER: Address = `0x${'aa'.repeat(20)}`
export const TARGET: Address = `0x${'cc'.repeat(20)}`
export const COINBASE: Address = `0x${'cb'.repeat(20)}`
export const ETHER = 10n ** 18n

/** The initial state of an account. */
export interface StartingAccount {
  readonly nonce?: bigint
  readonly balance?: bigint
  readonly code?: Hex
  readonly storage?: Readonly<Record<number, bigint>>
}

export interface Bench {
  readonly crypto: Crypto
  readonly executor: Executor
  readonly env: BlockEnv
  /** The state; what is executed merges into it. */
  readonly state: Overlay
  /** Executes and, if it was included, keeps its changes. */
  run(tx?: Partial<TxEnv>, checks?: Checks, hooks?: Hooks): Promise<Included | Rejected>
  /** Like `run`, for a transaction that must be included. */
  include(tx?: Partial<TxEnv>, checks?: Checks, hooks?: Hooks): Promise<Included>
}

/** A call of {@link TARGET} without a fee. */
export const BASE_TX: TxEnv = {
  type: 2,
  from: SENDER,
  to: TARGET,
  nonce: 0n,
  gasLimit: 1_000_000n,
  value: 0n,
  data: new Uint8Array(0),
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
}

/** A sender with an ether, and the given accounts; the base fee defaults to zero. */
export async function createBench(
  hardfork: Hardfork,
  accounts: Readonly<Record<Address, StartingAccount>> = {},
  env: Partial<BlockEnv> = {},
  wrap: (crypto: Crypto) => Crypto = (crypto) => crypto,
): Promise<Bench> {
  const own = await loadCrypto()
  const crypto = wrap(own)
  const rules = createChainRules({
    config: hardforkConfig(31337, hardfork) as never,
    alloc: {},
    gasLimit: '0x1c9c380',
  } as never).at(1n, 1n)
  const state = createState({ [SENDER]: { balance: ETHER }, ...accounts }, own)
  const block: BlockEnv = {
    rules,
    number: 1n,
    timestamp: 1_700_000_001n,
    coinbase: COINBASE,
    gasLimit: 30_000_000n,
    baseFee: 0n,
    blobBaseFee: 1n,
    prevRandao: `0x${'11'.repeat(32)}`,
    difficulty: 0n,
    blockHash: (number) => slotKey(number + 1000n),
    ...env,
  }
  const executor = createExecutor(createPresealEngine(crypto), crypto)
  const run = async (
    tx: Partial<TxEnv> = {},
    checks: Checks = ALL_CHECKS,
    hooks?: Hooks,
  ): Promise<Included | Rejected> => {
    const nonce = state.account(tx.from ?? SENDER)?.nonce ?? 0n
    const full = { ...BASE_TX, nonce, ...tx }
    const execution = { tx: full, env: block, state, checks, hooks }
    const { outcome, overlay } = await whenLoaded(() => executor.execute(execution))
    if (outcome.kind === 'included') overlay.merge()
    return outcome
  }
  return {
    crypto,
    executor,
    env: block,
    state,
    run,
    async include(...args) {
      const outcome = await run(...args)
      if (outcome.kind === 'rejected') throw outcome.error
      return outcome
    },
  }
}

/** A state of these accounts. */
export function createState(accounts: Readonly<Record<Address, StartingAccount>>, crypto: Crypto): Overlay {
  const state = new Overlay(EMPTY_STATE)
  for (const [at, { nonce = 0n, balance = 0n, code, storage = {} }] of Object.entries(accounts)) {
    const address = at as Address
    state.setAccount(address, { nonce, balance, codeHash: EMPTY_CODE_HASH })
    if (code !== undefined && code !== '0x') {
      const bytes = hexToBytes(code)
      state.setCode(address, crypto.keccak256Hex(bytes), bytes)
    }
    for (const [slot, value] of Object.entries(storage)) state.setSlot(address, slotKey(BigInt(slot)), value)
  }
  return state
}

/** The key of a slot. */
export function slotKey(slot: bigint | number): Hash {
  return `0x${slot.toString(16).padStart(64, '0')}`
}

/** A slot's value. */
export function slotOf(state: Overlay, address: Address, slot: bigint | number): bigint {
  const account = state.account(address)
  return account === undefined ? 0n : state.slot(account.storageId, slotKey(slot))
}

/** The whole contents of an overlay as plain values, for comparison. */
export function dump(state: Overlay): unknown {
  const { accounts, slots, codes } = state.changes()
  return {
    accounts: [...accounts].sort(),
    slots: [...slots]
      .map(([id, entries]) => [id, [...entries].sort()] as const)
      .filter(([, e]) => e.length > 0),
    codes: [...codes].map(([hash, code]) => [hash, bytesToHex(code)]).sort(),
  }
}
