/** The states of earlier blocks in a state file. */
import { hexToBytes } from '../../../base/bytes.ts'
import { isObject } from '../../../base/schema.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import { NO_CODE } from '../../../ethereum/state/account.ts'
import { InvalidStateFileError } from '../errors.ts'
import type { ChainFile } from './chainFile.ts'
import {
  checkEntries,
  type FileAccount,
  type FileAccounts,
  readHex,
  readList,
  readNumber,
  readObject,
  readSlots,
} from './fields.ts'

/**
 * The states of blocks, by hash. In files of newer versions of anvil they are in `states`, beside those that a block had before
 * a cheat wrote to it.
 *
 * @throws InvalidStateFileError
 */
export function readStates(value: unknown, pause: Pause): ChainFile['states'] {
  const at = isObject(value) ? 'historical_states.states' : 'historical_states'
  const states = new Map<Hash, () => Promise<FileAccounts>>()
  for (const [i, one] of readList(isObject(value) ? value['states'] : value, at).entries()) {
    const path = `${at}[${i}]`
    const pair = readList(one, path)
    if (pair.length !== 2) throw new InvalidStateFileError(`${path} is not a block's hash and its state`)
    states.set(readHex(pair[0], `${path}[0]`, 32), () => readState(pair[1], `${path}[1]`, pause))
  }
  return states
}

async function readState(value: unknown, at: string, pause: Pause): Promise<FileAccounts> {
  const { accounts, storage } = readObject(value, at)
  const slots = readObject(storage, `${at}.storage`)
  const read = new Map<Address, FileAccount>()
  let entries = 0
  for (const [key, one] of Object.entries(readObject(accounts, `${at}.accounts`))) {
    const path = `${at}.accounts.${key}`
    const { balance, nonce, code } = readObject(one, path)
    const state = await readSlots(slots[key], `${at}.storage.${key}`, path, pause)
    read.set(readHex(key, path, 20), {
      nonce: readNumber(nonce, `${path}.nonce`, 64),
      balance: readNumber(balance, `${path}.balance`, 256),
      code: readCode(code, `${path}.code`),
      state,
    })
    entries += 1 + state.size
    checkEntries(entries)
    const wait = pause()
    if (wait) await wait
  }
  return read
}

/** A code as anvil has it in memory: padded, with its jump destinations, or as the delegation of an account. */
function readCode(value: unknown, at: string): Uint8Array {
  if (value === undefined || value === null) return NO_CODE
  const given = readObject(value, at)
  const { LegacyAnalyzed: analyzed, Eip7702: delegation, LegacyRaw: raw } = given
  if (raw !== undefined) return hexToBytes(readHex(raw, `${at}.LegacyRaw`))
  if (delegation !== undefined) {
    const path = `${at}.Eip7702`
    const target = readHex(readObject(delegation, path)['delegated_address'], `${path}.delegated_address`, 20)
    return hexToBytes(`0xef0100${target.slice(2)}`)
  }
  const path = `${at}.LegacyAnalyzed`
  const { bytecode, original_len: length } = readObject(analyzed, path)
  const padded = hexToBytes(readHex(bytecode, `${path}.bytecode`))
  const size = Number(readNumber(length, `${path}.original_len`, 32))
  if (size > padded.length) {
    throw new InvalidStateFileError(
      `${path}.original_len is ${size}, but bytecode has ${padded.length} bytes`,
    )
  }
  return padded.subarray(0, size)
}
