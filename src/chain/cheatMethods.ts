/**
 * The cheats that are methods of a chain, and how calls are forwarded to them. All other cheats are requests, such as
 * `chain.standard.request({ method: 'anvil_setNonce', … })`.
 */
import type { SealedBlock } from '../base/eventTypes.ts'
import type { Address, Hex } from '../base/types.ts'

/**
 * Changes of a chain without transactions. Changes of the state are visible at `latest` on every view as soon as the
 * promise resolves. Pre-confirmed transactions are executed again on the new state: a `retracted` event, then a
 * snapshot.
 *
 * Each throws PresealRpcError -32602 for an invalid argument and 4900 after `close`; nothing has changed then.
 */
export interface ChainCheats {
  /**
   * Seals blocks, one after the other; the first includes waiting transactions (`anvil_mine`). It does not move the
   * clock.
   *
   * @param blocks - how many, 1 by default; 0 seals none.
   * @returns the newest sealed block.
   * @throws PresealRpcError -32602 for more than 1,000,000. If the chain is closed meanwhile, the blocks sealed so far
   *   stay.
   * @example
   * const { block } = await chain.mine(3)
   */
  mine(blocks?: number): Promise<SealedBlock>
  /**
   * Moves the chain's time forward, but not its clock: the blocks to come have later timestamps (`evm_increaseTime`).
   * The next one comes `seconds` after the chain's time, or after the head's timestamp if that is later. Ticks, seals and
   * timers still follow the clock; see `advance`.
   *
   * @param seconds - an integer >= 0. The chain's time can be at most 2^52 ms ahead of the clock's.
   */
  increaseTime(seconds: number): Promise<void>
  /** Sets an account's balance (`anvil_setBalance`). @param wei - from 0 to 2^256 - 1. */
  setBalance(address: Address, wei: bigint): Promise<void>
  /** Sets an account's code (`anvil_setCode`). @param code - the runtime code; `0x` for none. */
  setCode(address: Address, code: Hex): Promise<void>
  /**
   * Sets a storage slot (`anvil_setStorageAt`).
   *
   * @param slot - up to 32 bytes of hex, with or without leading zeros, or the number of the slot.
   * @param value - in the same forms; 0 clears the slot.
   */
  setStorageAt(address: Address, slot: Hex | bigint, value: Hex | bigint): Promise<void>
  /**
   * Allows `eth_sendTransaction` from an account without its key (`anvil_impersonateAccount`), on every connection. The
   * account pays for gas like any other.
   */
  impersonateAccount(address: Address): Promise<void>
  /** Ends the impersonation (`anvil_stopImpersonatingAccount`); transactions that were already sent stay. */
  stopImpersonatingAccount(address: Address): Promise<void>
  /**
   * Sets an account's balance of an ERC-20 token (`anvil_dealERC20`), by writing to the storage slot that `balanceOf`
   * reads. The total supply does not change, nor do other values in that slot.
   *
   * @param amount - in the token's smallest unit, from 0 to 2^256 - 1.
   * @throws PresealRpcError -32000 if no single slot controls the value.
   */
  deal(token: Address, address: Address, amount: bigint): Promise<void>
}

const NAMES: Readonly<Record<keyof ChainCheats, true>> = {
  mine: true,
  increaseTime: true,
  setBalance: true,
  setCode: true,
  setStorageAt: true,
  impersonateAccount: true,
  stopImpersonatingAccount: true,
  deal: true,
}

/** Cheats whose calls are forwarded to `call`, with their name. */
export function forwardCheats(
  call: (name: keyof ChainCheats, args: readonly unknown[]) => Promise<unknown>,
): ChainCheats {
  const forwarded = Object.keys(NAMES).map((name) => [
    name,
    (...args: readonly unknown[]) => call(name as keyof ChainCheats, args),
  ])
  return Object.fromEntries(forwarded) as ChainCheats
}

/** Calls a cheat by its name; the cheat checks the arguments. */
export function callCheat(
  cheats: ChainCheats,
  name: keyof ChainCheats,
  args: readonly unknown[],
): Promise<unknown> {
  return (cheats[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
}
