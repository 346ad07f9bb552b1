/** The headers of a state file. */
import type { Hash, Hex } from '../../../base/types.ts'
import type { Header } from '../../../ethereum/header.ts'
import { InvalidStateFileError } from '../errors.ts'
import { readHex, readNumber, readObject, readOptionalHex, readOptionalNumber } from './fields.ts'

/** Fields of later forks that hashes would contain. */
const UNKNOWN_FIELDS = ['blockAccessListHash', 'slotNumber']

/** Reads a header. @param at - where it is in the file. @throws InvalidStateFileError */
export function readHeader(value: unknown, at: string): Header {
  const given = readObject(value, at)
  const unknown = UNKNOWN_FIELDS.find((name) => given[name] !== undefined && given[name] !== null)
  if (unknown !== undefined) {
    throw new InvalidStateFileError(`${at}.${unknown} is of a hardfork that is not supported`)
  }
  const hash = (name: string): Hash => readHex(given[name], `${at}.${name}`, 32)
  const number = (name: string, bits = 64): bigint => readNumber(given[name], `${at}.${name}`, bits)
  const hex = (name: string, length?: number): Hex => readHex(given[name], `${at}.${name}`, length)
  const optionalHash = (name: string) => readOptionalHex(given[name], `${at}.${name}`, 32)
  const optionalNumber = (name: string, bits = 64) => readOptionalNumber(given[name], `${at}.${name}`, bits)
  return {
    parentHash: hash('parentHash'),
    sha3Uncles: hash('sha3Uncles'),
    miner: hex('miner', 20),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: hex('logsBloom', 256),
    difficulty: number('difficulty', 256),
    number: number('number'),
    gasLimit: number('gasLimit'),
    gasUsed: number('gasUsed'),
    timestamp: number('timestamp', 42),
    extraData: hex('extraData'),
    mixHash: hash('mixHash'),
    nonce: hex('nonce', 8),
    baseFeePerGas: optionalNumber('baseFeePerGas', 256),
    withdrawalsRoot: optionalHash('withdrawalsRoot'),
    blobGasUsed: optionalNumber('blobGasUsed', 32),
    excessBlobGas: optionalNumber('excessBlobGas', 32),
    parentBeaconBlockRoot: optionalHash('parentBeaconBlockRoot'),
    requestsHash: optionalHash('requestsHash'),
  }
}
