/** Overrides of a call or a simulation: accounts, precompiles, and fields of its block. */
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { Withdrawal } from '../block.ts'
import type { ChainRules } from '../rules.ts'
import type { AccountPatch } from '../state/patch.ts'
import {
  NotPrecompileError,
  PrecompileMovedToItselfError,
  PrecompileMovedTwiceError,
  PrecompileTargetOverriddenError,
} from './errors.ts'
import type { BlockEnv } from './executor.ts'

/** Overrides of one account (spec.md §2.7; execution-apis, `AccountOverride`). */
interface AccountOverride extends AccountPatch {
  readonly movePrecompileToAddress?: Address
}

/** Overrides by account, in the order of the request. */
export type StateOverrides = ReadonlyMap<Address, AccountOverride>

/** Overrides of a block's fields (spec.md §2.7; execution-apis, `BlockOverrides`). */
export interface BlockOverrides {
  readonly number?: bigint
  /** Unix time in seconds. */
  readonly time?: bigint
  readonly gasLimit?: bigint
  readonly feeRecipient?: Address
  readonly prevRandao?: Hex
  /** Wei per gas. */
  readonly baseFeePerGas?: bigint
  /** Wei per blob gas; for the execution only, not in the header. */
  readonly blobBaseFee?: bigint
  /** Before the merge only; zero after it (EIP-3675). */
  readonly difficulty?: bigint
  readonly beaconRoot?: Hash
  readonly withdrawals?: readonly Withdrawal[]
}

/**
 * Moves precompiles: a moved one runs at its new address, and none runs at an overridden address.
 *
 * @param precompiles - the addresses of the hardfork's precompiles.
 * @param twice - whether two may move to one address; the one with the higher address then runs there.
 * @returns the precompile that runs at each changed address, null for none; undefined if nothing changes.
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError, PrecompileMovedTwiceError
 */
export function movePrecompiles(
  overrides: StateOverrides,
  precompiles: ReadonlySet<Address>,
  twice: boolean,
): ReadonlyMap<Address, Address | null> | undefined {
  const moved = new Map<Address, Address | null>()
  for (const [address, { movePrecompileToAddress: target }] of [...overrides].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const isPrecompile = precompiles.has(address)
    if (target !== undefined) {
      if (!isPrecompile) throw new NotPrecompileError(address)
      if (target === address) throw new PrecompileMovedToItselfError(address)
      if (overrides.has(target)) throw new PrecompileTargetOverriddenError(target)
      if (moved.has(target) && !twice) throw new PrecompileMovedTwiceError(target)
      moved.set(target, address)
    }
    if (isPrecompile) moved.set(address, null)
  }
  return moved.size === 0 ? undefined : moved
}

/** Returns the environment with overridden fields, and with the rules at its new number and time. */
export function overrideBlock(env: BlockEnv, overrides: BlockOverrides, chainRules: ChainRules): BlockEnv {
  const { number = env.number, time = env.timestamp } = overrides
  return {
    ...env,
    rules: chainRules.withChainId(env.rules.chainId).at(number, time, env.difficulty),
    number,
    timestamp: time,
    gasLimit: overrides.gasLimit ?? env.gasLimit,
    coinbase: overrides.feeRecipient ?? env.coinbase,
    prevRandao: overrides.prevRandao ?? env.prevRandao,
    baseFee: overrides.baseFeePerGas ?? env.baseFee,
    blobBaseFee: overrides.blobBaseFee ?? env.blobBaseFee,
    difficulty: overrides.difficulty ?? env.difficulty,
  }
}
