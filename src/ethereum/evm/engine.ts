/** The interface of engines, which run messages. Fees, nonces, refunds and checks belong to the state transition. */

import type { AccessListEntry, Address, Hash } from '../../base/types.ts'
import type { Resumable, Yielder } from '../../base/waiting.ts'
import type { Log } from '../block.ts'
import type { Overlay } from '../state/overlay.ts'
import type { BlockEnv, Hooks } from './executor.ts'

/** Accounts and slots that are warm before the first instruction. */
export interface WarmAtStart {
  readonly addresses: readonly Address[]
  readonly accessList: readonly AccessListEntry[]
}

/** A message call, or a creation. */
export interface Message {
  readonly caller: Address
  /** Undefined for a creation. */
  readonly to: Address | undefined
  /** Wei. */
  readonly value: bigint
  /** Calldata, or the initcode. */
  readonly data: Uint8Array
  /** The gas it may use. */
  readonly gasLimit: bigint
  /** Wei per unit of gas; the value of GASPRICE. */
  readonly gasPrice: bigint
  readonly blobVersionedHashes?: readonly Hash[] | undefined
  /** What is warm at the start, in addition to the precompiles (EIP-2929, EIP-2930); undefined: nothing at all. */
  readonly warm?: WarmAtStart | undefined
}

/** The result of a message; its effects are in the overlay, except that destroyed accounts are not deleted yet. */
export interface MessageResult {
  /** Why it failed, as go-ethereum names it; undefined if it succeeded. */
  readonly error: string | undefined
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** The gas to refund, before the cap. */
  readonly refund: bigint
  readonly logs: readonly Log[]
  /** The contract that the message created. */
  readonly contractAddress: Address | undefined
  /** Accounts that destroyed themselves. */
  readonly destroyed: Iterable<Address>
  /** Contracts that were created. */
  readonly created: ReadonlySet<string>
  /**
   * Whether the effects may differ with another gas limit that covers the gas used; undefined if that is unknown, or if
   * the message failed.
   */
  readonly dependsOnGas?: boolean | undefined
}

/** An engine; see the file's header. */
export interface Engine {
  /**
   * Runs a message on `overlay`, without raising the caller's nonce. If it throws, the overlay must be discarded.
   *
   * @param hooks - the caller has called their `onEnter` for the outermost frame; the engine calls `onExit`.
   * @param pause - the message is suspended if it is due.
   * @throws Missing if something it reads is not loaded.
   */
  run(
    message: Message,
    env: BlockEnv,
    overlay: Overlay,
    hooks?: Hooks,
    pause?: Yielder,
  ): Resumable<MessageResult>
}
