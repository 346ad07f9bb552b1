/** The text of a state file, in parts: what anvil 1.7 writes, so that it loads it. */

import { bytesToHex, quantity, toWord } from '../../../base/bytes.ts'
import { whenLoaded } from '../../../base/missing.ts'
import type { Hash, Hex } from '../../../base/types.ts'
import { createYielder, type Pause } from '../../../base/yielder.ts'
import { blobBaseFee } from '../../../ethereum/header.ts'
import {
  type AccountRecord,
  EMPTY_ACCOUNT,
  NO_CODE,
  type StateChanges,
} from '../../../ethereum/state/account.ts'
import type { SealedEntry } from '../../ledger/ledger.ts'
import type { CheatParts } from '../parts.ts'
import { toFileBlock, toFileTransaction, toJson } from './writeBlocks.ts'
import { writeStates } from './writeStates.ts'

/** The largest number of 64 bits, which those of anvil's block environment have. */
const MAX_UINT64 = 2n ** 64n - 1n

/**
 * The text of a file.
 *
 * @param withStates - whether it has the states of the blocks before the head, as far as they are available.
 */
export async function* writeStateFile(parts: CheatParts, withStates: boolean): AsyncGenerator<string> {
  const { sequencer, clock } = parts
  const pause = createYielder(clock)
  const { head } = sequencer.tip
  const { header, rules } = head.block
  const entries = await allEntries(parts)
  const env = {
    number: quantity(header.number),
    beneficiary: header.miner,
    timestamp: quantity(header.timestamp),
    gas_limit: toNumber(header.gasLimit),
    basefee: toNumber(header.baseFeePerGas ?? 0n),
    difficulty: quantity(header.difficulty),
    prevrandao: header.mixHash,
    blob_excess_gas_and_price: {
      excess_blob_gas: toNumber(header.excessBlobGas ?? 0n),
      blob_gasprice: toNumber(blobBaseFee(header, rules)),
    },
    slot_num: 0,
  }
  yield `{"block":${toJson(env)},"accounts":{`
  yield* writeAccounts(parts.world.everythingAt(head.state), parts.genesisAccounts, pause)
  yield `},"best_block_number":${header.number},"blocks":[`
  yield* writeList(entries, ({ block }) => toJson(toFileBlock(block)), pause)
  yield '],"transactions":['
  const places = entries.flatMap(({ block }) => block.transactions.map((_, index) => ({ block, index })))
  yield* writeList(places, ({ block, index }) => toJson(toFileTransaction(block, index)), pause)
  yield '],"historical_states":'
  if (withStates) yield* writeStates(entries, pause)
  else yield 'null'
  yield '}'
}

/**
 * The sealed blocks from genesis on. None if the history does not reach back to it, and none of a fork: a file with the
 * blocks of a part of the chain is a chain for no node.
 */
async function allEntries({ sequencer, ledger, config }: CheatParts): Promise<SealedEntry[]> {
  if (config.baseTrie !== undefined) return []
  const { head, canonical } = sequencer.tip
  const entries: SealedEntry[] = []
  for (let number = head.block.number; number >= 0n; number -= 1n) {
    // Most entries are in memory; then nothing changes meanwhile.
    const read = whenLoaded(() => ledger.get(canonical.at(number)!, number))
    const entry = read instanceof Promise ? await read : read
    if (entry === undefined) return []
    entries.push(number === head.block.number ? head : entry)
  }
  return entries.reverse()
}

async function* writeList<T>(
  items: readonly T[],
  toText: (item: T) => string,
  pause: Pause,
): AsyncGenerator<string> {
  for (const [i, item] of items.entries()) {
    yield `${i === 0 ? '' : ','}${toText(item)}`
    const wait = pause()
    if (wait) await wait
  }
}

/**
 * The accounts in the order of their addresses, so that equal states are equal files. Those of `genesis` that were deleted are
 * written as empty ones, since the chain that loads the file may have them.
 */
async function* writeAccounts(
  state: StateChanges,
  genesis: CheatParts['genesisAccounts'],
  pause: Pause,
): AsyncGenerator<string> {
  let before = ''
  for (const address of [...new Set([...state.accounts.keys(), ...genesis.keys()])].sort()) {
    const found = state.accounts.get(address)
    if (!found && !genesis.has(address)) continue
    const account = found ?? EMPTY_ACCOUNT
    const storage: Record<Hash, Hash> = {}
    const slots = state.slots.get(account.storageId)
    for (const key of slots ? [...slots.keys()].sort() : []) {
      const value = slots!.get(key)!
      if (value !== 0n) storage[key] = toWord(value)
      const wait = pause()
      if (wait) await wait
    }
    const { nonce, balance } = account
    const code = codeOf(state, account)
    yield `${before}"${address}":${toJson({ nonce: toNumber(nonce), balance: quantity(balance), code, storage })}`
    before = ','
    await pause()
  }
}

function codeOf(state: StateChanges, { codeHash }: AccountRecord): Hex {
  return bytesToHex(state.codes.get(codeHash) ?? NO_CODE)
}

/** An integer of 64 bits, at most. */
function toNumber(value: bigint): bigint {
  return value < MAX_UINT64 ? value : MAX_UINT64
}
