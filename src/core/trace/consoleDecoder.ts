/**
 * Decodes calls to the console of Hardhat and Foundry. Knows all functions of console.sol, also by the selectors of
 * Hardhat before 2.11, which hashed `uint` and `int` in place of `uint256` and `int256`.
 */

import { bytesToBigint, bytesToHex } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { ConsoleLog } from '../../base/eventTypes.ts'
import type { Hex } from '../../base/types.ts'
import type { ConsoleCall } from '../../ethereum/evm/hooks.ts'

type Decoded = Pick<ConsoleLog, 'message' | 'args'>
type Value = ConsoleLog['args'][number]

/** See the file's header. */
export class ConsoleDecoder {
  readonly #crypto: Crypto
  #signatures: ReadonlyMap<Hex, readonly string[]> | undefined

  constructor(crypto: Crypto) {
    this.#crypto = crypto
  }

  /** Decodes a call. Unknown calldata stays hex. */
  decode({ data }: ConsoleCall): Decoded {
    this.#signatures ??= this.#computeSignatures()
    const types = this.#signatures.get(bytesToHex(data.subarray(0, 4)))
    const args = types === undefined ? undefined : decodeAll(types, data.subarray(4))
    return args === undefined
      ? { message: bytesToHex(data), args: [bytesToHex(data)] }
      : { message: toMessage(args), args }
  }

  #computeSignatures(): Map<Hex, readonly string[]> {
    const signatures = new Map<Hex, readonly string[]>()
    const encoder = new TextEncoder()
    for (const [name, types] of functions()) {
      const list = types.join()
      for (const signature of [list, list.replaceAll('int256', 'int')]) {
        const hash = this.#crypto.keccak256(encoder.encode(`${name}(${signature})`))
        signatures.set(bytesToHex(hash.subarray(0, 4)), types)
      }
    }
    return signatures
  }
}

const LOGGED = ['uint256', 'string', 'bool', 'address']

function* functions(): Generator<readonly [name: string, types: readonly string[]]> {
  let lists: (readonly string[])[] = [[]]
  for (let length = 0; length <= 4; length++) {
    for (const list of lists) yield ['log', list]
    lists = lists.flatMap((list) => LOGGED.map((type) => [...list, type]))
  }
  for (const type of ['int256', 'bytes', 'bytes32']) yield ['log', [type]]
  yield ['log', ['string', 'int256']]
  for (const type of ['int256', 'uint256', 'string', 'bool', 'address', 'bytes']) {
    yield [`log${type[0]!.toUpperCase()}${type.slice(1).replace('256', '')}`, [type]]
  }
  for (let size = 1; size <= 32; size++) yield [`logBytes${size}`, [`bytes${size}`]]
}

/** Returns the arguments; undefined if the data ends before one of them does. */
function decodeAll(types: readonly string[], data: Uint8Array): Value[] | undefined {
  const values: Value[] = []
  for (const [i, type] of types.entries()) {
    const value = decodeOne(type, data, 32 * i)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function decodeOne(type: string, data: Uint8Array, at: number): Value | undefined {
  if (data.length < at + 32) return undefined
  const word = bytesToBigint(data.subarray(at, at + 32))
  if (type === 'uint256') return word
  if (type === 'int256') return BigInt.asIntN(256, word)
  if (type === 'bool') return word !== 0n
  if (type === 'address') return bytesToHex(data.subarray(at + 12, at + 32))
  if (type !== 'string' && type !== 'bytes') return bytesToHex(data.subarray(at, at + Number(type.slice(5))))
  if (word > BigInt(data.length - 32)) return undefined
  const start = Number(word) + 32
  const length = bytesToBigint(data.subarray(start - 32, start))
  if (length > BigInt(data.length - start)) return undefined
  const bytes = data.subarray(start, start + Number(length))
  return type === 'bytes' ? bytesToHex(bytes) : new TextDecoder().decode(bytes)
}

/** Joins the arguments. A format string takes later arguments for `%s`, `%d`, `%i`, `%o` and `%x`. */
function toMessage([first, ...rest]: readonly Value[]): string {
  if (first === undefined) return ''
  const left = [...rest]
  const formatted =
    typeof first !== 'string' || rest.length === 0
      ? String(first)
      : first.replace(/%[sdiox%]/g, (specifier) => {
          if (specifier === '%%') return '%'
          if (left.length === 0) return specifier
          const value = left.shift()!
          return specifier === '%x' && typeof value === 'bigint' ? `0x${value.toString(16)}` : String(value)
        })
  return [formatted, ...left.map(String)].join(' ')
}
