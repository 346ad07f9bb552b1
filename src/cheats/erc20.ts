/** Cheats for ERC-20 balances and allowances: the slot behind a getter is found by trial and error. */

import { callToTxEnv, executeCall } from '../evm/call.ts'
import { createAccessList } from '../evm/createAccessList.ts'
import { bigintToBytes32, bytesToBigint, bytesToHex, concatBytes, hexToBytes } from '../primitives/bytes.ts'
import type { Address, Hash } from '../primitives/types.ts'
import { createYielder } from '../primitives/yielder.ts'
import { Overlay } from '../state/overlay.ts'
import { patchState } from './accounts.ts'
import { SlotNotFoundError } from './errors.ts'
import type { CheatParts } from './parts.ts'

/** The selectors of `balanceOf(address)` and `allowance(address,address)` (ERC-20). */
const BALANCE_OF = hexToBytes('0x70a08231')
const ALLOWANCE = hexToBytes('0xdd62ed3e')

const GAS = 30_000_000n

/** Sets a token balance. @throws SlotNotFoundError if no single storage slot controls it. */
export function dealERC20(parts: CheatParts, owner: Address, token: Address, amount: bigint): Promise<void> {
  return setCallResult(parts, token, concatBytes(BALANCE_OF, toWord(owner)), amount)
}

/** Sets an allowance. @throws SlotNotFoundError if no single storage slot controls it. */
export function setERC20Allowance(
  parts: CheatParts,
  owner: Address,
  spender: Address,
  token: Address,
  amount: bigint,
): Promise<void> {
  return setCallResult(parts, token, concatBytes(ALLOWANCE, toWord(owner), toWord(spender)), amount)
}

/** Writes the storage slot that determines the result of a call. */
async function setCallResult(parts: CheatParts, to: Address, data: Uint8Array, value: bigint): Promise<void> {
  const { config, sequencer, clock } = parts
  const pause = createYielder(clock)
  const { executor, crypto } = config
  const { head, preconf } = sequencer.tip
  const env = { ...preconf.env, baseFee: 0n }
  const tx = callToTxEnv({ to, data }, { nonce: 0n, gasLimit: GAS, unpriced: 0 })
  const accessed = new Overlay(head.state)
  const { accessList } = await createAccessList(executor, { tx, env, state: accessed }, crypto, pause)
  for (const { address, storageKeys } of accessList) {
    for (const slot of storageKeys) {
      const state = new Overlay(head.state)
      state.setSlot(address, slot, value)
      const { output } = await executeCall(executor, { tx, env, state }, pause)
      await pause()
      if (output.length !== 32 || bytesToBigint(output) !== value) continue
      const word: Hash = bytesToHex(bigintToBytes32(value))
      return patchState(parts, new Map([[address, { stateDiff: new Map([[slot, word]]) }]]))
    }
  }
  throw new SlotNotFoundError(to)
}

function toWord(address: Address): Uint8Array {
  return concatBytes(new Uint8Array(12), hexToBytes(address))
}
