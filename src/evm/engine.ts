/** What an engine is: it runs messages. Fees, nonces, refunds and checks are the state transition's. */
import type { AccessListEntry, Address, Hash, MaybePromise } from '../primitives/types.ts'
import type { Log } from '../protocol/block.ts'
import type { Overlay } from '../state/overlay.ts'
import type { BlockEnv, Missing } from './executor.ts'
import type { Watch } from './watch.ts'

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
  /** Calldata, or the code that creates. */
  readonly data: Uint8Array
  /** What it may use. */
  readonly gasLimit: bigint
  /** Wei per unit of gas, as GASPRICE answers. */
  readonly gasPrice: bigint
  readonly blobVersionedHashes?: readonly Hash[] | undefined
  /** What is warm from the start, beside the precompiles (EIP-2929, EIP-2930); undefined: nothing at all. */
  readonly warm?: WarmAtStart | undefined
}

/** What a message came to; its effects stand in the overlay, but for accounts that destroyed themselves. */
export interface MessageResult {
  readonly kind: 'done'
  /** Why it failed, as go-ethereum names it; undefined if it succeeded. */
  readonly error: string | undefined
  /** Return or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Gas that may be given back, before it is capped. */
  readonly refund: bigint
  readonly logs: readonly Log[]
  /** The contract a creation made. */
  readonly contractAddress: Address | undefined
  /** Accounts that destroyed themselves. */
  readonly destroyed: Iterable<Address>
  /** Contracts that were created. */
  readonly created: ReadonlySet<string>
}

/** An engine; see the file's header. */
export interface Engine {
  /**
   * Runs a message on `overlay`, raising no nonce of the caller's. If it throws or answers `missing`, the overlay holds
   * debris and must be discarded.
   *
   * @param watch - its tracer was told that the outermost frame begins; the engine tells it how that ends.
   */
  run(message: Message, env: BlockEnv, overlay: Overlay, watch?: Watch): MaybePromise<MessageResult | Missing>
}
