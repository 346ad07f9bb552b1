/**
 * The fields of a transaction in its bytes: the RLP is checked as a whole, and fields are read in place.
 *
 * Errors have the texts that every decoder of transactions gives them (`DecodeTransaction`).
 */
import { bytesToBigint, bytesToHex } from '../base/bytes.ts'
import { InvalidRlpError } from '../base/errors.ts'
import { isRlpWithin, RlpCursor } from '../base/rlp.ts'
import { TransactionDecodeError } from './errors.ts'
import type { TransactionType } from './transaction.ts'

/** The limits of items, above what any usual gas limit can pay for, and of the depth of lists. */
const [MAX_ITEMS, MAX_DEPTH] = [100_000, 8] as const

/** The fields of the signature, which are last in every type. */
const SIGNATURE = 3

/** A field: an integer without leading zeros, bytes, or a list. */
interface Field {
  readonly name: string
  readonly kind: 'integer' | 'bytes' | 'list'
}

/** The fields of a type of transactions, in their order. */
interface Layout {
  /** In the texts of errors. */
  readonly name: string
  readonly fields: readonly Field[]
}

const CALL = ['gasLimit', 'to', 'value', 'data']
const FEES = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas']
const LAYOUTS: Readonly<Record<TransactionType, Layout>> = {
  0: layoutOf('transaction', 'nonce', 'gasPrice', ...CALL),
  1: layoutOf('EIP-2930 transaction', 'chainId', 'nonce', 'gasPrice', ...CALL, 'accessList'),
  2: layoutOf('EIP-1559 transaction', ...FEES, ...CALL, 'accessList'),
  3: layoutOf(
    'EIP-4844 transaction',
    ...FEES,
    ...CALL,
    'accessList',
    'maxFeePerBlobGas',
    'blobVersionedHashes',
  ),
  4: layoutOf('EIP-7702 transaction', ...FEES, ...CALL, 'accessList', 'authorizationList'),
}

function layoutOf(name: string, ...names: readonly string[]): Layout {
  const kindOf = (field: string): Field['kind'] => {
    if (['accessList', 'blobVersionedHashes', 'authorizationList'].includes(field)) return 'list'
    // The chain id is compared with that of the chain, before its leading zeros are refused.
    return ['to', 'data', 'chainId'].includes(field) ? 'bytes' : 'integer'
  }
  return { name, fields: [...names, 'v', 'r', 's'].map((field) => ({ name: field, kind: kindOf(field) })) }
}

/**
 * Bounds the time it takes to decode a transaction or its wrapper.
 *
 * @param start - where the RLP starts, after the type.
 * @throws TransactionDecodeError
 */
export function checkRlp(bytes: Uint8Array, start: number): void {
  if (isRlpWithin(bytes, MAX_ITEMS, MAX_DEPTH, start)) return
  throw new TransactionDecodeError(`more than ${MAX_ITEMS} items, or lists nested deeper than ${MAX_DEPTH}`)
}

/** The fields of one transaction: where their contents lie. */
export class TransactionFields {
  readonly raw: Uint8Array
  readonly type: TransactionType
  /** Whether the fields of the signature exist; without them, their contents are empty. */
  readonly isSigned: boolean
  /** The index of the signature's first field. */
  readonly signature: number
  /** Where the content of each field starts. */
  readonly starts: number[] = []
  /** Where each field ends. */
  readonly ends: number[] = []
  /** Where the first field starts, with its prefix. */
  readonly start: number
  /** Reads nested items; their encoding was checked. */
  readonly cursor: RlpCursor
  readonly #lists: boolean[] = []
  readonly #layout: Layout

  /**
   * @throws TransactionDecodeError if the bytes are not the canonical RLP of as many fields as the type has,
   *   with or without a signature, if a string is a list, or if an integer but the chain id has leading
   *   zeros.
   */
  constructor(raw: Uint8Array, type: TransactionType) {
    this.raw = raw
    this.type = type
    this.cursor = new RlpCursor(raw)
    this.#layout = LAYOUTS[type]
    const { fields } = this.#layout
    this.signature = fields.length - SIGNATURE
    checkRlp(raw, type === 0 ? 0 : 1)
    try {
      this.start = this.#readAll()
    } catch (error) {
      if (!(error instanceof InvalidRlpError)) throw error
      // The texts of decoders have no details in brackets.
      const [problem] = error.message.split(' (')
      throw new TransactionDecodeError(problem!)
    }
    const count = this.ends.length
    this.isSigned = count === fields.length
    if (!this.isSigned) {
      if (count !== this.signature) {
        throw new TransactionDecodeError(
          `Invalid ${this.#layout.name}. Only expecting ${this.signature} values`,
        )
      }
      for (let i = count; i < fields.length; i++) this.#add(raw.length, raw.length, false)
    }
    this.#checkKinds()
  }

  /** Where the signature starts, with its prefix. */
  get end(): number {
    return this.ends[this.signature - 1]!
  }

  /** The length of a field's content, in bytes. */
  size(field: number): number {
    return this.ends[field]! - this.starts[field]!
  }

  isList(field: number): boolean {
    return this.#lists[field]!
  }

  /** A string as bytes; a copy. */
  bytes(field: number): Uint8Array {
    return this.raw.slice(this.starts[field], this.ends[field])
  }

  /** A string as an integer of any size. */
  integer(field: number): bigint {
    return bytesToBigint(this.raw, this.starts[field], this.ends[field])
  }

  /** @throws TransactionDecodeError above 2^256 - 1 */
  uint256(field: number): bigint {
    if (this.size(field) > 32) this.#refuse(field, 'cannot exceed MAX_INTEGER')
    return this.integer(field)
  }

  /** @throws TransactionDecodeError above 2^64 - 1 */
  uint64(field: number): bigint {
    if (this.size(field) > 8) this.#refuse(field, 'cannot exceed MAX_UINT64')
    return this.integer(field)
  }

  /**
   * Reads where all fields lie.
   *
   * @returns where the first one starts.
   * @throws InvalidRlpError, TransactionDecodeError
   */
  #readAll(): number {
    const { raw, cursor, type } = this
    const at = type === 0 ? 0 : 1
    if (at >= raw.length) return this.#refuseList()
    cursor.read(at, raw.length)
    const { isList, start, end } = cursor
    if (isList) {
      for (let next = start; next < end; next = cursor.end) {
        cursor.readWhole(next, end)
        this.#add(cursor.start, cursor.end, cursor.isList)
      }
    }
    if (end < raw.length) throw new InvalidRlpError('invalid RLP: remainder must be zero')
    return isList ? start : this.#refuseList()
  }

  #refuseList(): never {
    const must = this.type === 0 ? '. Must' : ': must'
    throw new TransactionDecodeError(`Invalid serialized tx input${must} be array`)
  }

  #add(start: number, end: number, isList: boolean): void {
    this.starts.push(start)
    this.ends.push(end)
    this.#lists.push(isList)
  }

  /** Strings must not be lists, and integers have no leading zeros. */
  #checkKinds(): void {
    const { raw, type, starts, ends } = this
    const lists = this.#lists
    const { fields } = this.#layout
    if (type !== 0) {
      for (const field of [0, this.signature]) if (lists[field]) this.#refuse(field, 'cannot be an array')
    }
    for (let i = 0; i < fields.length; i++) {
      if (fields[i]!.kind !== 'integer' || lists[i] || raw[starts[i]!] !== 0 || starts[i] === ends[i])
        continue
      this.#refuse(i, `cannot have leading zeroes, received: ${bytesToHex(this.bytes(i))}`)
    }
    for (let i = 0; i < fields.length; i++) {
      if (fields[i]!.kind !== 'list' && lists[i]) this.#refuse(i, 'cannot be an array')
    }
  }

  #refuse(field: number, problem: string): never {
    throw new TransactionDecodeError(`${this.#layout.fields[field]!.name} ${problem}`)
  }
}
