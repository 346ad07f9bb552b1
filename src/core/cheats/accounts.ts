/** Cheats that write accounts to the head's state. They take effect without a new block. */

import { bytesToBigint, concatBytes, hexToBytes, toWord } from '../../base/bytes.ts'
import type { Address, Hash } from '../../base/types.ts'
import { createYielder, whenLoaded } from '../../base/waiting.ts'
import { callToTxEnv, createAccessList, executeCall } from '../../ethereum/evm/call.ts'
import { type AccountRecord, EMPTY_ACCOUNT, MAX_BALANCE, readSlot } from '../../ethereum/state/account.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import type { AccountPatch, StatePatch } from '../../ethereum/state/patch.ts'
import type { CheatParts } from './blocks.ts'
import { SlotNotFoundError } from './errors.ts'

/** Writes to the head's state, and executes pre-confirmed transactions again on it. */
export function patchState({ sequencer }: Pick<CheatParts, 'sequencer'>, patch: StatePatch): Promise<void> {
  return sequencer.exclusive(({ rebuildPending }) => rebuildPending({ patch }, 'cheat'))
}

/** Writes one account. @param change - returns the patch for the current record. */
export function patchAccount(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  address: Address,
  change: (account: AccountRecord) => AccountPatch,
): Promise<void> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const account = (await whenLoaded(() => tip().head.state.account(address))) ?? EMPTY_ACCOUNT
    return rebuildPending({ patch: new Map([[address, change(account)]]) }, 'cheat')
  })
}

/** Adds wei to an account's balance, up to the maximum of 2^256 - 1. */
export function addBalance(parts: CheatParts, address: Address, amount: bigint): Promise<void> {
  return patchAccount(parts, address, ({ balance }) => {
    const sum = balance + amount
    return { balance: sum > MAX_BALANCE ? MAX_BALANCE : sum }
  })
}

// Cheats for ERC-20 balances and allowances. Probes find the bits of a slot that a getter returns.

const BALANCE_OF = hexToBytes('0x70a08231')
const ALLOWANCE = hexToBytes('0xdd62ed3e')

const GAS = 30_000_000n

/** Sets a token balance. @throws SlotNotFoundError if no single storage slot controls it. */
export function dealERC20(parts: CheatParts, owner: Address, token: Address, amount: bigint): Promise<void> {
  return setCallResult(parts, token, concatBytes(BALANCE_OF, padded(owner)), amount)
}

/** Sets an allowance. @throws SlotNotFoundError if no single storage slot controls it. */
export function setERC20Allowance(
  parts: CheatParts,
  owner: Address,
  spender: Address,
  token: Address,
  amount: bigint,
): Promise<void> {
  return setCallResult(parts, token, concatBytes(ALLOWANCE, padded(owner), padded(spender)), amount)
}

interface Field {
  readonly shift: bigint
  /** 2^n - 1 for a range of n bits, before the shift. */
  readonly mask: bigint
}

const WORD: Field = { shift: 0n, mask: 2n ** 256n - 1n }
const HALF = 2n ** 128n - 1n
/** The ranges that probes write. Bits outside a range may decide whether the value is read at all. */
const PROBED: readonly Field[] = [WORD, { shift: 0n, mask: HALF }, { shift: 128n, mask: HALF }]

/** Bits in which no part repeats, so that a part reveals its place in the slot. */
const PROBE = 0x9f3c_6a51_d07e_b482_1b95_e3c8_46fa_2d70_c5a8_17de_839b_604f_7e21_d6b3_58cc_f09an

/** Returns the result of the call with a different word in the slot; undefined if the result is not one word. */
type Probe = (word: bigint) => Promise<bigint | undefined>

/** Makes a call return `value`, by a write to the part of a storage slot that the call returns. */
async function setCallResult(parts: CheatParts, to: Address, data: Uint8Array, value: bigint): Promise<void> {
  const { base, head, preconf } = parts.sequencer.tip
  const { executor, crypto, clock } = base.config
  const pause = createYielder(clock)
  const env = { ...preconf.env, baseFee: 0n }
  const tx = callToTxEnv({ to, data }, { nonce: 0n, gasLimit: GAS, unpriced: 0 })
  const resultOn = async (state: Overlay): Promise<bigint | undefined> => {
    const { output } = await executeCall(executor, { tx, env, state }, pause)
    await pause()
    return output.length === 32 ? bytesToBigint(output) : undefined
  }
  const result = await resultOn(new Overlay(head.state))
  if (result === value) return
  const accessed = new Overlay(head.state)
  const { accessList } = await createAccessList(executor, { tx, env, state: accessed }, crypto, pause)
  for (const { address, storageKeys } of accessList) {
    for (const slot of storageKeys) {
      const before = await whenLoaded(() => readSlot(head.state, address, slot))
      const field = await findField(before, value, result, (word) => {
        const state = new Overlay(head.state)
        state.setSlot(address, slot, word)
        return resultOn(state)
      })
      if (field !== undefined) return writeField(parts, address, slot, field, value)
    }
  }
  throw new SlotNotFoundError(to)
}

/**
 * Finds the bits of a slot that a call returns.
 *
 * A result that equals the wanted value proves nothing: the slot may not matter. So the result must follow the probe,
 * the complements of the probe and of the wanted value, and the wanted value.
 *
 * @param result - the result of the call with `before` in the slot.
 * @returns undefined if the slot does not determine the result, or if the value does not fit.
 */
async function findField(
  before: bigint,
  value: bigint,
  result: bigint | undefined,
  probe: Probe,
): Promise<Field | undefined> {
  for (const probed of PROBED) {
    const bits = PROBE & probed.mask
    const one = await probe(withField(before, probed, bits))
    const other = await probe(withField(before, probed, bits ^ probed.mask))
    if (one === result && other === result) return undefined
    if (one === undefined || other === undefined) continue
    const mask = one ^ other
    const isField = mask !== 0n && (mask & (mask + 1n)) === 0n && (one & other) === 0n
    if (!isField || value > mask) continue
    for (let shift = 0n; mask << shift <= probed.mask; shift++) {
      if (((bits >> shift) & mask) !== one) continue
      const field = { shift: probed.shift + shift, mask }
      const follows = async (wanted: bigint) => (await probe(withField(before, field, wanted))) === wanted
      if ((await follows(value ^ mask)) && (await follows(value))) return field
    }
  }
  return undefined
}

function withField(word: bigint, { shift, mask }: Field, value: bigint): bigint {
  return (word & ~(mask << shift)) | (value << shift)
}

/** Writes a part of a slot, and keeps the rest as it is when the write takes place. */
function writeField(
  { sequencer }: CheatParts,
  address: Address,
  slot: Hash,
  field: Field,
  value: bigint,
): Promise<void> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const before = await whenLoaded(() => readSlot(tip().head.state, address, slot))
    const word = toWord(withField(before, field, value))
    return rebuildPending({ patch: new Map([[address, { stateDiff: new Map([[slot, word]]) }]]) }, 'cheat')
  })
}

function padded(address: Address): Uint8Array {
  return concatBytes(new Uint8Array(12), hexToBytes(address))
}
