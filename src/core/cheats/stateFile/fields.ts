/** Reads the fields of a state file. An InvalidStateFileError names the path of a malformed field. */

import { hexToBytes, toWord } from '../../../base/bytes.ts'
import { isAbsent, isObject } from '../../../base/schema.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { Block } from '../../../ethereum/block.ts'
import type { AccountPatch } from '../../../ethereum/state/patch.ts'
import { InvalidStateFileError } from '../errors.ts'

/** Returns the value if it is an object. @param at - its path in the file. @throws InvalidStateFileError */
export function readObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new InvalidStateFileError(`${at} is not an object`)
  return value
}

/** Returns the value if it is an object, or an empty object if it is absent. @throws InvalidStateFileError */
export function readOptionalObject(value: unknown, at: string): Readonly<Record<string, unknown>> {
  return isAbsent(value) ? {} : readObject(value, at)
}

/** Returns the value as a list, empty if absent. @param read - converts each item. @throws InvalidStateFileError */
export function readList<Item = unknown>(
  value: unknown,
  at: string,
  read: (item: unknown, at: string) => Item = (item) => item as Item,
): Item[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw new InvalidStateFileError(`${at} is not a list`)
  return value.map((item, i) => read(item, `${at}[${i}]`))
}

/** Reads an integer in hex, in decimal digits or as a JSON number. @throws InvalidStateFileError */
export function readNumber(value: unknown, at: string, bits: number): bigint {
  const text = String(value)
  const number = /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(text) ? BigInt(text) : -1n
  if (number < 0n || number >= 1n << BigInt(bits))
    throw new InvalidStateFileError(`${at} is not an integer >= 0 of up to ${bits} bits`)
  return number
}

/** Reads bytes as hex, in lower case. @param length - the expected number of bytes. @throws InvalidStateFileError */
export function readHex(value: unknown, at: string, length?: number): Hex {
  const isHex = typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
  if (isHex && (length === undefined || value.length === 2 + 2 * length)) return value.toLowerCase() as Hex
  throw new InvalidStateFileError(
    `${at} is not a hex string${length === undefined ? '' : ` of ${length} bytes`}`,
  )
}

/** The fields of an object in a file. */
export class Fields {
  readonly at: string
  readonly values: Readonly<Record<string, unknown>>

  constructor(value: unknown, at: string) {
    this.at = at
    this.values = readObject(value, at)
  }

  has(name: string): boolean {
    return !isAbsent(this.values[name])
  }

  object(name: string): Fields {
    return new Fields(this.values[name], `${this.at}.${name}`)
  }

  list<Item>(name: string, read: (item: unknown, at: string) => Item): Item[] {
    return readList(this.values[name], `${this.at}.${name}`, read)
  }

  number(name: string, bits = 64): bigint {
    return readNumber(this.values[name], `${this.at}.${name}`, bits)
  }

  optionalNumber(name: string, bits = 64): bigint | undefined {
    return this.has(name) ? this.number(name, bits) : undefined
  }

  hex(name: string, length?: number): Hex {
    return readHex(this.values[name], `${this.at}.${name}`, length)
  }

  optionalHex(name: string, length?: number): Hex | undefined {
    return this.has(name) ? this.hex(name, length) : undefined
  }
}

/** How many accounts and slots a state may have. They are written in one step. */
export const MAX_STATE_ENTRIES = 100_000

/** A whole account as a patch. */
export type FileAccount = Required<Omit<AccountPatch, 'stateDiff'>>

/** The accounts of a state, by lower-case address; an absent account does not exist. */
export type FileAccounts = ReadonlyMap<Address, FileAccount>

/** Reads accounts. @param at - their path in the file. @throws InvalidStateFileError */
export function readAccounts(accounts: unknown, at: string, pause: Pause): Promise<FileAccounts> {
  return readEachAccount(readObject(accounts, at), at, pause, async (given, path) => {
    const { nonce = 0, balance = '0x0', code = '0x', storage } = readObject(given, path)
    return {
      nonce: readNumber(nonce, `${path}.nonce`, 64),
      balance: readNumber(balance, `${path}.balance`, 256),
      code: hexToBytes(readHex(code, `${path}.code`)),
      state: await readSlots(storage, `${path}.storage`, path, pause),
    }
  })
}

/** Reads each account with `read`. @throws InvalidStateFileError, also for more than {@link MAX_STATE_ENTRIES}. */
export async function readEachAccount(
  accounts: Readonly<Record<string, unknown>>,
  at: string,
  pause: Pause,
  read: (account: unknown, path: string, key: string) => Promise<FileAccount>,
): Promise<FileAccounts> {
  const all = new Map<Address, FileAccount>()
  let entries = 0
  for (const [key, value] of Object.entries(accounts)) {
    const path = `${at}.${key}`
    const account = await read(value, path, key)
    all.set(readHex(key, path, 20), account)
    entries += 1 + account.state.size
    if (entries > MAX_STATE_ENTRIES) {
      throw new InvalidStateFileError(`more than ${MAX_STATE_ENTRIES} accounts and slots`)
    }
    await pause()
  }
  return all
}

/** Reads the slots of an account. @param of - the path of the account in the file. @throws InvalidStateFileError */
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
    await pause()
  }
  return slots
}

/** The contents of a state file that has blocks, read and checked. */
export interface ChainFile {
  /** From genesis to the head. */
  readonly blocks: readonly Block[]
  readonly accounts: FileAccounts
  /** States after earlier blocks, by hash, read when needed. @throws InvalidStateFileError */
  readonly states: ReadonlyMap<Hash, () => Promise<FileAccounts>>
}
