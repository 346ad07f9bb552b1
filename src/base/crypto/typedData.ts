/** Signatures of typed data (EIP-712), in a chunk that is loaded when first used. */
import { signTyped } from 'micro-eth-signer'
import { toError } from '../emitter.ts'
import type { Hex } from '../types.ts'
import { InvalidTypedDataError } from './errors.ts'

/** Structs by name, as fields in order. */
type StructTypes = Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
type Values = Readonly<Record<string, unknown>>

/** Typed data to sign, as in a request. */
export interface TypedData {
  readonly types: StructTypes
  readonly primaryType: string
  readonly domain: Values
  /** Ignored when only the domain is signed. */
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
    const budget = { nodes: MAX_NODES }
    // A missing domain type is derived from the fields that are present.
    const derived = DOMAIN_FIELDS.filter(({ name }) => isPresent(domain, name))
    const types: StructTypes = { [DOMAIN_TYPE]: derived, ...data.types }
    const message = primaryType === DOMAIN_TYPE ? domain : data.message
    if (message === undefined) throw new Error('message is missing')
    const typed = {
      types,
      primaryType,
      domain: declared(domain, types[DOMAIN_TYPE]!, types, budget),
      message: declared(message, isStruct(primaryType, types) ? types[primaryType]! : [], types, budget),
    }
    return signTyped(typed as never, privateKey, false) as Hex
  } catch (error) {
    throw new InvalidTypedDataError(toError(error).message)
  }
}

/** Keeps the declared fields only, as wallets do. */
function declared(
  value: Values,
  fields: StructTypes[string],
  types: StructTypes,
  budget: Budget,
  depth = 0,
): Values {
  const present = fields.filter(({ name }) => isPresent(value, name))
  // A missing struct is encoded as zero; a missing value has no encoding.
  const missing = fields.find((field) => !present.includes(field) && !isStruct(field.type, types))
  if (missing !== undefined) throw new Error(`${missing.name} is missing`)
  return Object.fromEntries(
    present.map(({ name, type }) => [name, declaredIn(value[name], type, types, budget, depth + 1)]),
  )
}

interface Budget {
  nodes: number
}

function declaredIn(
  value: unknown,
  type: string,
  types: StructTypes,
  budget: Budget,
  depth: number,
): unknown {
  budget.nodes -= 1
  if (budget.nodes < 0) throw new Error(`more than ${MAX_NODES} values`)
  if (
    typeof value === 'string' &&
    /^u?int/.test(type) &&
    !isStruct(type, types) &&
    value.length > MAX_INTEGER_LENGTH
  ) {
    throw new Error(`a value of type ${type} is not an integer of up to 256 bits`)
  }
  // Left to the signer, which refuses this depth.
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) {
    const itemType = type.replace(/\[\d*\]$/, '')
    return value.map((item) => declaredIn(item, itemType, types, budget, depth + 1))
  }
  if (!isStruct(type, types) || typeof value !== 'object' || value === null) return value
  return declared(value as Values, types[type]!, types, budget, depth)
}

function isPresent(value: Values, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}

function isStruct(type: string, types: StructTypes): boolean {
  return Object.hasOwn(types, type)
}
