/**
 * The accounts of a chain as a file in anvil's format: JSON, compressed with gzip.
 *
 * Blocks are not part of it: the accounts are written to the head's state.
 */
import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes, quantity } from '../primitives/bytes.ts'
import type { Address, Hash, Hex } from '../primitives/types.ts'
import { createYielder, type Pause } from '../primitives/yielder.ts'
import { NO_CODE } from '../state/account.ts'
import type { AccountPatch } from '../state/patch.ts'
import { patchState } from './accounts.ts'
import { InvalidStateFileError } from './errors.ts'
import type { CheatParts } from './parts.ts'

/** All accounts at the head, as JSON compressed with gzip. */
export async function dumpState({ sequencer, world, clock }: CheatParts): Promise<Hex> {
  const { head } = sequencer.tip
  const { accounts, slots, codes } = world.everythingAt(head.state)
  const pause = createYielder(clock)
  const records: string[] = []
  for (const [address, account] of accounts) {
    if (account === null) continue
    const storage: Record<Hash, Hash> = {}
    for (const [key, value] of slots.get(account.storageId) ?? []) {
      if (value !== 0n) storage[key] = toWord(value)
      const wait = pause()
      if (wait) await wait
    }
    const record = {
      nonce: Number(account.nonce),
      balance: quantity(account.balance),
      code: bytesToHex(codes.get(account.codeHash) ?? NO_CODE),
      storage,
    }
    records.push(`"${address}":${JSON.stringify(record)}`)
    await pause()
  }
  const others = {
    best_block_number: Number(head.block.number),
    blocks: [],
    transactions: [],
    historical_states: null,
  }
  const json = `{"block":null,"accounts":{${records.join(',')}},${JSON.stringify(others).slice(1)}`
  return bytesToHex(await pipe(new TextEncoder().encode(json), new CompressionStream('gzip')))
}

/** The most accounts and slots of a state file, as all of them are written in one step. */
export const MAX_STATE_ENTRIES = 100_000

/** The most bytes of a decompressed state file. */
const MAX_FILE_BYTES = 2 ** 26

/**
 * Writes the accounts of a file to the head's state; all others are unchanged.
 *
 * @param file - the bytes of the JSON, compressed or not, or the parsed object.
 * @throws InvalidStateFileError
 */
export async function loadState(parts: CheatParts, file: Uint8Array | object): Promise<void> {
  const content = file instanceof Uint8Array ? await parse(file) : file
  const accounts = (content as { accounts?: unknown } | null)?.accounts
  if (typeof accounts !== 'object' || accounts === null)
    throw new InvalidStateFileError('accounts is not an object')
  const patch = new Map<Address, AccountPatch>()
  const pause = createYielder(parts.clock)
  let entries = 0
  for (const [address, account] of Object.entries(accounts)) {
    const one = await toPatch(account, `accounts.${address}`, pause)
    patch.set(toHex(address, `accounts.${address}`, 20), one)
    entries += 1 + one.state!.size
    if (entries > MAX_STATE_ENTRIES) {
      throw new InvalidStateFileError(`more than ${MAX_STATE_ENTRIES} accounts and slots`)
    }
    await pause()
  }
  await patchState(parts, patch)
}

async function toPatch(account: unknown, at: string, pause: Pause): Promise<AccountPatch> {
  if (typeof account !== 'object' || account === null)
    throw new InvalidStateFileError(`${at} is not an object`)
  const { nonce = 0, balance = '0x0', code = '0x', storage = {} } = account as Record<string, unknown>
  const state = new Map<Hash, Hash>()
  const slots = Object.entries((storage ?? {}) as object)
  if (slots.length > MAX_STATE_ENTRIES) {
    throw new InvalidStateFileError(`${at} has more than ${MAX_STATE_ENTRIES} slots`)
  }
  for (const [slot, value] of slots) {
    state.set(
      toWord(toNumber(slot, `${at}.storage`, 256)),
      toWord(toNumber(value, `${at}.storage.${slot}`, 256)),
    )
    const wait = pause()
    if (wait) await wait
  }
  return {
    nonce: toNumber(nonce, `${at}.nonce`, 64),
    balance: toNumber(balance, `${at}.balance`, 256),
    code: hexToBytes(toHex(code, `${at}.code`)),
    state,
  }
}

function toNumber(value: unknown, at: string, bits: number): bigint {
  const text = String(value)
  const number = /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(text) ? BigInt(text) : -1n
  if (number < 0n || number >= 1n << BigInt(bits))
    throw new InvalidStateFileError(`${at} is not an integer >= 0 of up to ${bits} bits`)
  return number
}

function toHex(value: unknown, at: string, length?: number): Hex {
  const isHex = typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
  if (!isHex || (length !== undefined && value.length !== 2 + 2 * length)) {
    throw new InvalidStateFileError(
      `${at} is not a hex string${length === undefined ? '' : ` of ${length} bytes`}`,
    )
  }
  return value.toLowerCase() as Hex
}

function toWord(value: bigint): Hash {
  return bytesToHex(bigintToBytes32(value))
}

async function parse(bytes: Uint8Array): Promise<unknown> {
  try {
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
    const text = isCompressed ? await pipe(bytes, new DecompressionStream('gzip'), MAX_FILE_BYTES) : bytes
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch (error) {
    throw error instanceof InvalidStateFileError ? error : new InvalidStateFileError('not JSON')
  }
}

async function pipe(
  bytes: Uint8Array,
  through: CompressionStream | DecompressionStream,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const reader = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough<Uint8Array>(through as never)
    .getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value)
    size += read.value.length
    if (size <= maxBytes) continue
    await reader.cancel()
    throw new InvalidStateFileError(`longer than ${maxBytes} bytes`)
  }
  return concatBytes(...chunks)
}
