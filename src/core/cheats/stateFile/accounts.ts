/** The accounts of a state file. */
import { hexToBytes, toWord } from '../../../base/bytes.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { Pause } from '../../../base/yielder.ts'
import type { AccountPatch } from '../../../ethereum/state/patch.ts'
import { InvalidStateFileError } from '../errors.ts'
import { readHex, readNumber, readObject, readOptionalObject } from './fields.ts'

/** The most accounts and slots of a state, as all of them are written in one step. */
export const MAX_STATE_ENTRIES = 100_000

/** A whole account, in the form of a patch. */
export type FileAccount = Required<Omit<AccountPatch, 'stateDiff'>>

/** The accounts of a state. */
export type FileAccounts = ReadonlyMap<Address, FileAccount>

/** Reads accounts. @param at - where they are in the file. @throws InvalidStateFileError */
export async function readAccounts(accounts: unknown, at: string, pause: Pause): Promise<FileAccounts> {
  const read = new Map<Address, FileAccount>()
  let entries = 0
  for (const [key, value] of Object.entries(readObject(accounts, at))) {
    const path = `${at}.${key}`
    const { nonce = 0, balance = '0x0', code = '0x', storage } = readObject(value, path)
    const account: FileAccount = {
      nonce: readNumber(nonce, `${path}.nonce`, 64),
      balance: readNumber(balance, `${path}.balance`, 256),
      code: hexToBytes(readHex(code, `${path}.code`)),
      state: await readSlots(storage, `${path}.storage`, path, pause),
    }
    read.set(readHex(key, path, 20), account)
    entries += 1 + account.state.size
    checkEntries(entries)
    const wait = pause()
    if (wait) await wait
  }
  return read
}

/** @throws InvalidStateFileError for more than {@link MAX_STATE_ENTRIES}. */
export function checkEntries(entries: number): void {
  if (entries > MAX_STATE_ENTRIES) {
    throw new InvalidStateFileError(`more than ${MAX_STATE_ENTRIES} accounts and slots`)
  }
}

/**
 * Reads the slots of an account.
 *
 * @param of - where the account is in the file.
 * @throws InvalidStateFileError
 */
export async function readSlots(
  storage: unknown,
  at: string,
  of: string,
  pause: Pause,
): Promise<Map<Hash, Hash>> {
  const slots = new Map<Hash, Hash>()
  const entries = Object.entries(readOptionalObject(storage, at))
  if (entries.length > MAX_STATE_ENTRIES) {
    throw new InvalidStateFileError(`${of} has more than ${MAX_STATE_ENTRIES} slots`)
  }
  for (const [slot, value] of entries) {
    slots.set(toWord(readNumber(slot, at, 256)), toWord(readNumber(value, `${at}.${slot}`, 256)))
    const wait = pause()
    if (wait) await wait
  }
  return slots
}
