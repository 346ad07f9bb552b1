/**
 * Snapshots of a block as values: each has everything that the next one builds on. `blockBuilder.ts` makes them.
 *
 *   parent state ─ layer 0 ─ layer 1 ─ … ─ layer i ─ leaf i     snapshot i reads the leaf;
 *                                             └───── layer i+1   snapshot i+1 builds on the layer
 */

import type { Clock } from '../../base/clock.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash } from '../../base/types.ts'
import type { Block, Receipt } from '../../ethereum/block.ts'
import type { BlockEnv, Executor } from '../../ethereum/evm/executor.ts'
import type { ChainRules } from '../../ethereum/rules.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import { changesSince, isUnchanged, Layer } from '../../ethereum/state/layer.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { type PayloadAttributes, toBlockEnv } from './attributes.ts'
import { Commitment } from './commitment.ts'
import { NO_DEPOSITS } from './systemCalls.ts'

/** What all payloads of a chain are built with. */
export interface PayloadConfig {
  readonly executor: Executor
  readonly crypto: Crypto
  readonly rules: ChainRules
  readonly depositContract: Address
  /** Lets the event loop turn during long executions. */
  readonly clock: Pick<Clock, 'yield'>
  /** Whether receipts contain the revert data of transactions. */
  readonly revertReason: boolean
  /** What the state tries of a chain are built on if they are built anew; by default the empty trie. */
  readonly baseTrie?: StateTrie
}

/** The executed block that a payload is built on: sealed, about to be sealed, or simulated. */
export interface PayloadParent {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
  /** Hashes of the parent's ancestors. */
  hashAt(number: bigint): Hash | undefined
}

/** The starting point of a builder: an opened block, or a snapshot. */
export interface PayloadStart {
  readonly attributes: PayloadAttributes
  readonly env: BlockEnv
  readonly base: PayloadState
}

/** One snapshot of a block; see the file's header. */
export interface Payload extends PayloadStart {
  readonly index: number
  /** Index of the first transaction that was not in the snapshot before. */
  readonly added: number
  readonly block: Block
  /** The state after this snapshot of the block, including the calls at the end of the block. */
  readonly state: StateReader
  readonly commitment: Commitment
  /** Its requests (EIP-7685). */
  readonly requests: readonly Uint8Array[]
}

/** A block with the state after it, on layers over its parent's. */
export interface Executed {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
}

/** The part of a snapshot that the next one continues: everything except the end of the block. */
export interface PayloadState {
  readonly parent: PayloadParent
  readonly layer: StateReader
  readonly commitment: Commitment
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  readonly deposits: Uint8Array
  /** The size in bytes of the transactions' RLP within the block's body. */
  readonly bodySize: number
}

/** The block after `parent`, before anything of it is executed. */
export function openBlock(
  { rules, crypto }: Pick<PayloadConfig, 'rules' | 'crypto'>,
  parent: PayloadParent,
  attributes: PayloadAttributes,
  env = toBlockEnv(rules, parent, attributes),
): PayloadStart {
  const base: PayloadState = {
    parent,
    layer: parent.state,
    commitment: Commitment.of(parent.stateTrie, crypto),
    transactions: [],
    receipts: [],
    gasUsed: 0n,
    blobGasUsed: 0n,
    logCount: 0,
    deposits: NO_DEPOSITS,
    bodySize: 0,
  }
  return { attributes, env, base }
}

/** The next snapshot of a block if nothing was added to it. */
export function repeatPayload(payload: Payload, index: number): Payload {
  return { ...payload, index, added: payload.block.transactions.length }
}

/** The block that a payload becomes if it is sealed. */
export function toExecuted({ block, state, commitment }: Payload): Executed {
  return { block, state, stateTrie: commitment.stateTrie }
}

/** The same payload over an equal state: the version that its parent's layers were committed to. */
export function rebasePayload(payload: Payload, parent: PayloadParent): Payload {
  const { base } = payload
  const rebase = (top: StateReader, below: StateReader, onto: StateReader): StateReader => {
    const changes = changesSince(top, below)
    return isUnchanged(changes) ? onto : new Layer(onto, changes)
  }
  const layer = rebase(base.layer, base.parent.state, parent.state)
  const state = rebase(payload.state, base.layer, layer)
  return { ...payload, state, base: { ...base, parent, layer } }
}
