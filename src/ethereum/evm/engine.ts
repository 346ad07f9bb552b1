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

/** A message to run, with gas that is already paid for. Without `to` it creates a contract from `data`. */
export interface Message {
  readonly caller: Address
  readonly to: Address | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** Wei per gas; the value of GASPRICE. */
  readonly gasPrice: bigint
  readonly blobVersionedHashes?: readonly Hash[] | undefined
  /** Warm besides the precompiles (EIP-2929, EIP-2930); if undefined, not even the precompiles are. */
  readonly warm?: WarmAtStart | undefined
}

/** The result of a message. Its effects are in the overlay, but destroyed accounts are not deleted yet. */
export interface MessageResult {
  /** Why it failed, in go-ethereum's words; undefined if it succeeded. */
  readonly error: string | undefined
  readonly output: Uint8Array
  readonly gasUsed: bigint
  readonly refund: bigint
  readonly logs: readonly Log[]
  readonly contractAddress: Address | undefined
  readonly destroyed: Iterable<Address>
  readonly created: ReadonlySet<string>
  /** Whether a different gas limit that covers the gas used may change the effects; undefined if unknown or failed. */
  readonly dependsOnGas?: boolean | undefined
}

/** An EVM. The option `engine` decides which one executes a chain's transactions. */
export interface Engine {
  /**
   * Runs a message on `overlay`, without raising the caller's nonce; suspends it when `pause` is due. If it throws, as
   * `Missing` does, the overlay must be discarded.
   *
   * @param hooks - the caller has called `onEnter` for the outermost frame; the engine calls `onExit`.
   */
  run(
    message: Message,
    env: BlockEnv,
    overlay: Overlay,
    hooks?: Hooks,
    pause?: Yielder,
  ): Resumable<MessageResult>
}
