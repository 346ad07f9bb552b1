/** The states of earlier blocks in the form of a state file: all accounts of each, with their codes as anvil has them in memory. */

import { bytesToHex, quantity } from '../../../base/bytes.ts'
import { whenLoaded } from '../../../base/missing.ts'
import type { Pause } from '../../../base/yielder.ts'
import { NO_CODE, type StateChanges } from '../../../ethereum/state/account.ts'
import type { SealedEntry } from '../../ledger/ledger.ts'
import { toJson } from './writeBlocks.ts'

/** Writes the states before the last block, as far as they are available. */
export async function* writeStates(entries: readonly SealedEntry[], pause: Pause): AsyncGenerator<string> {
  let before = '['
  for (const { block, state } of entries.slice(0, -1)) {
    if (!state.isRetained) continue
    const changes = await whenLoaded(() => state.everything())
    yield `${before}["${block.hash}",{"accounts":{`
    yield* writeAccounts(changes, pause)
    yield '},"storage":{'
    yield* writeStorage(changes, pause)
    yield '},"block_hashes":{}}]'
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

async function* writeAccounts({ accounts, codes }: StateChanges, pause: Pause): AsyncGenerator<string> {
  let before = ''
  for (const [address, account] of accounts) {
    if (account === null) continue
    const { nonce, balance, codeHash } = account
    const code = toFileCode(codes.get(codeHash) ?? NO_CODE)
    yield `${before}"${address}":${toJson({ balance: quantity(balance), nonce, code_hash: codeHash, code })}`
    before = ','
    const wait = pause()
    if (wait) await wait
  }
}

async function* writeStorage({ accounts, slots }: StateChanges, pause: Pause): AsyncGenerator<string> {
  let before = ''
  for (const [address, account] of accounts) {
    const written = account === null ? undefined : slots.get(account.storageId)
    if (written === undefined) continue
    const storage: Record<string, string> = {}
    for (const [key, value] of written) {
      if (value !== 0n) storage[quantity(BigInt(key))] = quantity(value)
      const wait = pause()
      if (wait) await wait
    }
    // Slots that were cleared leave the account without an entry, as if they had never been written.
    if (Object.keys(storage).length === 0) continue
    yield `${before}"${address}":${JSON.stringify(storage)}`
    before = ','
  }
}

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
/** What the code of a delegated account begins with (EIP-7702). */
const DELEGATION = '0xef0100'

/** A code as anvil has it in memory. */
function toFileCode(code: Uint8Array): object {
  const raw = bytesToHex(code)
  if (code.length === 23 && raw.startsWith(DELEGATION)) {
    return { Eip7702: { delegated_address: `0x${raw.slice(DELEGATION.length)}` } }
  }
  const jumps = new Uint8Array(Math.ceil(code.length / 8))
  let last = 0
  let at = 0
  while (at < code.length) {
    last = code[at]!
    if (last === JUMPDEST) jumps[at >> 3]! |= 1 << (at & 7)
    at += last >= PUSH1 && last <= PUSH32 ? last - PUSH1 + 2 : 1
  }
  // The bytes that its last push lacks, and a STOP.
  const padding = at - code.length + (code.length > 0 && last === 0 ? 0 : 1)
  return {
    LegacyAnalyzed: {
      bytecode: `${raw}${'00'.repeat(padding)}`,
      original_len: code.length,
      jump_table: {
        order: 'bitvec::order::Lsb0',
        head: { width: 8, index: 0 },
        bits: code.length,
        data: [...jumps],
      },
    },
  }
}
