/** The alloc of a geth genesis, and how its fields are read. */

import { bytesToHex, hexToBytes, knownHexToBytes, toWord } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import type { Address, GethGenesis, Hash, Hex } from '../../base/types.ts'
import { type AccountRecord, EMPTY_CODE_HASH, type StateChanges } from '../../ethereum/state/account.ts'

/** The accounts of a genesis, by address. */
export type Alloc = GethGenesis['alloc']

/**
 * The state of an alloc.
 *
 * @param lastStorageId - the last id in use; the new storages get the ids after it.
 * @throws InvalidOptionError naming the field that cannot be read.
 */
export function allocToChanges(alloc: Alloc, lastStorageId: number, crypto: Crypto): StateChanges {
  let lastId = lastStorageId
  const accounts = new Map<Address, AccountRecord>()
  const slots = new Map<number, Map<Hex, bigint>>()
  const codes = new Map<Hash, Uint8Array>()
  for (const [key, account] of Object.entries(alloc)) {
    const at = `alloc.${key}`
    const address = bytesToHex(readBytes(key, at, 20))
    const code = readBytes(account.code ?? '0x', `${at}.code`)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : crypto.keccak256Hex(code)
    if (code.length > 0) codes.set(codeHash, code)
    const storage = new Map<Hex, bigint>()
    for (const [slot, value] of Object.entries(account.storage ?? {})) {
      const word = readWord(value, `${at}.storage.${slot}`)
      if (word !== 0n) storage.set(toWord(readWord(slot, `${at}.storage`)), word)
    }
    const storageId = storage.size === 0 ? 0 : ++lastId
    if (storageId !== 0) slots.set(storageId, storage)
    const nonce = readNumber(account.nonce ?? 0, `${at}.nonce`)
    const balance = readNumber(account.balance ?? 0, `${at}.balance`, 256)
    accounts.set(address, { nonce, balance, codeHash, storageId, slotCount: storage.size })
  }
  return { accounts, slots, codes, lastStorageId: lastId }
}

/** Reads a number as geth does: hex with `0x` or decimal, as a string or a JSON number. @throws InvalidOptionError */
export function readNumber(value: unknown, field: string, bits = 64): bigint {
  const text = String(value)
  const number = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : -1n
  if (number >= 0n && number < 1n << BigInt(bits)) return number
  throw new InvalidOptionError(`genesis.${field}`, `an integer >= 0 of up to ${bits} bits`)
}

/** Reads a slot's key or value as geth does: hex, with or without `0x` and leading zeros. */
function readWord(value: unknown, field: string): bigint {
  const digits = readDigits(value, field, 'a hex string')
  if (digits.length <= 64) return BigInt(`0x0${digits}`)
  throw new InvalidOptionError(`genesis.${field}`, 'a hex string of up to 32 bytes')
}

/** The number of digits from which {@link knownHexToBytes} is worth its call. */
const LONG = 256

/** Reads hex, with or without `0x`. @param length - how many bytes it has to have. @throws InvalidOptionError */
export function readBytes(value: unknown, field: string, length?: number): Uint8Array {
  const expected = length === undefined ? 'a hex string' : `a hex string of ${length} bytes`
  const digits = readDigits(value, field, expected)
  const toBytes = digits.length >= LONG && digits.length % 2 === 0 ? knownHexToBytes : hexToBytes
  const bytes = toBytes(`0x${digits}`)
  if (bytes.length === (length ?? bytes.length)) return bytes
  throw new InvalidOptionError(`genesis.${field}`, expected)
}

/** The digits of hex, with or without `0x`. @throws InvalidOptionError */
function readDigits(value: unknown, field: string, expected: string): string {
  const digits = String(value).replace(/^0x/i, '')
  if (/^[0-9a-f]*$/i.test(digits)) return digits
  throw new InvalidOptionError(`genesis.${field}`, expected)
}
