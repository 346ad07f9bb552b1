/** Signatures of typed data (EIP-712), in a chunk that is loaded when first used. */
import { signTyped } from 'micro-eth-signer'
import { toError } from '../emitter.ts'
import type { Hex } from '../types.ts'
import { InvalidTypedDataError } from './errors.ts'

type StructTypes = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
type Values = Readonly<Record<string, unknown>>

/** Typed data to sign (EIP-712). `message` may be absent only if the domain is the primary type. */
export interface TypedData {
  readonly types: StructTypes
  readonly primaryType: string
  readonly domain: Values
  readonly message?: Values | undefined
}

/** The type of the domain. If it is the primary type, only the domain is signed. */
const DOMAIN_TYPE = 'EIP712Domain'

const DOMAIN_FIELDS: StructTypes[string] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/** The maximum nesting of structs and arrays, as in micro-eth-signer. */
const MAX_DEPTH = 64
/** The maximum number of values, structs and arrays in a message, as in micro-eth-signer. */
const MAX_NODES = 4096
/** The maximum number of structs: resolving references takes cubic time. */
const MAX_TYPES = 64
/** The maximum length of an integer's text, enough for 256 bits and a sign: parsing takes quadratic time. */
const MAX_INTEGER_LENGTH = 79

/** Signs typed data deterministically. @throws InvalidTypedDataError if it is malformed, too large or ill-typed. */
export function signTypedData(data: TypedData, privateKey: Hex): Hex {
  const { primaryType, domain } = data
  try {
    if (Object.keys(data.types).length > MAX_TYPES) throw new Error(`more than ${MAX_TYPES} types`)
    // A missing domain type is derived from the fields that are present.
    const derived = DOMAIN_FIELDS.filter(({ name }) => isPresent(domain, name))
    const types: StructTypes = { [DOMAIN_TYPE]: derived, ...data.types }
    const message = primaryType === DOMAIN_TYPE ? domain : data.message
    if (message === undefined) throw new Error('message is missing')
    const declared = createFilter(types)
    const typed = {
      types,
      primaryType,
      domain: declared(domain, types[DOMAIN_TYPE]!),
      message: declared(message, Object.hasOwn(types, primaryType) ? types[primaryType]! : []),
    }
    return signTyped(typed as never, privateKey, false) as Hex
  } catch (error) {
    throw new InvalidTypedDataError(toError(error).message)
  }
}

/** Creates a function that keeps the declared fields only, as wallets do, and limits the size of all values. */
function createFilter(types: StructTypes) {
  let left = MAX_NODES
  const isStruct = (type: string): boolean => Object.hasOwn(types, type)

  const declared = (value: Values, fields: StructTypes[string], depth = 0): Values => {
    const present = fields.filter(({ name }) => isPresent(value, name))
    // A missing struct is encoded as zero; a missing value has no encoding.
    const missing = fields.find((field) => !present.includes(field) && !isStruct(field.type))
    if (missing !== undefined) throw new Error(`${missing.name} is missing`)
    return Object.fromEntries(
      present.map(({ name, type }) => [name, declaredIn(value[name], type, depth + 1)]),
    )
  }

  const declaredIn = (value: unknown, type: string, depth: number): unknown => {
    left -= 1
    if (left < 0) throw new Error(`more than ${MAX_NODES} values`)
    const isInteger = /^u?int/.test(type) && !isStruct(type)
    if (isInteger && typeof value === 'string' && value.length > MAX_INTEGER_LENGTH) {
      throw new Error(`a value of type ${type} is not an integer of up to 256 bits`)
    }
    // Left to the signer, which refuses this depth.
    if (depth > MAX_DEPTH) return value
    if (Array.isArray(value)) {
      const itemType = type.replace(/\[\d*\]$/, '')
      return value.map((item) => declaredIn(item, itemType, depth + 1))
    }
    if (!isStruct(type) || typeof value !== 'object' || value === null) return value
    return declared(value as Values, types[type]!, depth)
  }

  return declared
}

function isPresent(value: Values, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}
