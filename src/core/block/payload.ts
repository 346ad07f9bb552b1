/**
 * Preconf blocks as values: a payload has everything that the next one builds on. `blockBuilder.ts` makes payloads.
 *
 *   parent state ─ layer 0 ─ layer 1 ─ … ─ layer i ─ leaf i     preconf block i reads the leaf;
 *                                             └───── layer i+1   preconf block i+1 builds on the layer
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
import type { ResolvedOptions } from '../options.ts'
import { type PayloadAttributes, toBlockEnv } from './attributes.ts'
import { Commitment } from './commitment.ts'
import { NO_DEPOSITS } from './systemCalls.ts'

/** The configuration of all payloads of a chain. */
export interface PayloadConfig {
  readonly executor: Executor
  readonly crypto: Crypto
  readonly rules: ChainRules
  readonly depositContract: Address
  readonly clock: Pick<Clock, 'yield'>
  readonly options: ResolvedOptions
  /** The trie from which released state tries are built again; default: the empty trie. */
  readonly baseTrie?: StateTrie
}

/** The executed parent of a payload: sealed, about to be sealed, or simulated. */
export interface PayloadParent {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
  /** Returns the hash of an ancestor of the parent. */
  hashAt(number: bigint): Hash | undefined
}

/** The point from which a builder continues: an opened block or a preconf block. */
export interface PayloadStart {
  readonly attributes: PayloadAttributes
  readonly env: BlockEnv
  readonly base: PayloadState
}

/** See the file's header. */
export interface Payload extends PayloadStart {
  readonly index: number
  /** The index of the first transaction that the previous preconf block lacks. */
  readonly added: number
  readonly block: Block
  /** The state after this preconf block, with the effects of the block's end. */
  readonly state: StateReader
  readonly commitment: Commitment
  readonly requests: readonly Uint8Array[]
}

/** A block with the state after it, on layers over its parent's state. */
export interface Executed {
  readonly block: Block
  readonly state: StateReader
  readonly stateTrie: StateTrie
}

/** The part of a payload from which the next preconf block continues: everything but the end of the block. */
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
  /** The size in bytes of the transactions in the block's RLP. */
  readonly bodySize: number
}

/** Opens the block after `parent`, before anything is executed. */
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

/** Returns the next preconf block, without new transactions. */
export function repeatPayload(payload: Payload, index: number): Payload {
  return { ...payload, index, added: payload.block.transactions.length }
}

/** Returns the block that a payload becomes when it is sealed. */
export function toExecuted({ block, state, commitment }: Payload): Executed {
  return { block, state, stateTrie: commitment.stateTrie }
}

/** Moves a payload onto an equal parent state: the version to which the parent's layers were committed. */
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
