/** Parameters of wallet methods, including typed data. */
import { SchemaError } from '../../base/errors.ts'
import {
  array,
  createSchema,
  type InputOf,
  isAbsent,
  isObject,
  object,
  ofLimitedLength,
  oneOf,
  optional,
  readObject,
  refine,
  scalar,
  type ValueOf,
} from '../../base/schema.ts'
import { address, boolean, data, natural, quantity, text, word } from './params.ts'

function readJson(json: string, position: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new SchemaError(position, 'JSON')
  }
}

/** Requested permissions (EIP-2255): only `eth_accounts`, without caveats. */
export const permissionRequest = createSchema<
  null,
  { readonly eth_accounts: Readonly<Record<string, never>> }
>('an object', (value, position) => {
  const { eth_accounts: accounts, ...others } = readObject(value, position)
  const other = Object.keys(others).find((name) => !isAbsent(others[name]))
  if (other !== undefined) {
    throw new SchemaError(`${position}.${other}`, 'no value: eth_accounts is the only permission')
  }
  const [caveat] = Object.keys(readObject(accounts, `${position}.eth_accounts`))
  if (caveat !== undefined)
    throw new SchemaError(`${position}.eth_accounts.${caveat}`, 'no value: caveats are not supported')
  return null
})

/** The chain of wallet_addEthereumChain (EIP-3085). */
export const addedChain = object({
  chainId: quantity,
  chainName: optional(text),
  nativeCurrency: optional(object({ name: text, symbol: text, decimals: natural })),
  rpcUrls: optional(array(text)),
  blockExplorerUrls: optional(array(text)),
  iconUrls: optional(array(text)),
})

/** Names of the required capabilities: all that are not marked optional (EIP-5792). */
const requiredCapabilities = createSchema<
  readonly string[],
  { readonly [capability: string]: { readonly optional?: boolean; readonly [field: string]: unknown } }
>('an object', (value, position) =>
  Object.entries(readObject(value, position))
    .filter(([, one]) => !isAbsent(one) && !(isObject(one) && one['optional'] === true))
    .map(([name]) => name),
)

/** Id of a batch of calls: any text of up to 8194 characters, the length of 4096 bytes in hex (EIP-5792). */
export const batchId = scalar<string, string>('an id of up to 4096 bytes', (value) =>
  typeof value === 'string' && value.length > 0 && value.length <= 8194 ? value : undefined,
)

const batchedCall = refine(
  object({
    to: optional(address),
    value: optional(quantity),
    data: optional(data),
    capabilities: optional(requiredCapabilities),
  }),
  (call, position) => {
    if (call.to !== undefined || call.data?.length) return call
    throw new SchemaError(`${position}.to`, address.expected)
  },
)

/** A batch of calls to send (EIP-5792). */
export const callsRequest = refine(
  object({
    version: oneOf('2.0.0'),
    id: optional(batchId),
    from: optional(address),
    chainId: word,
    atomicRequired: boolean,
    calls: array(batchedCall),
    capabilities: optional(requiredCapabilities),
  }),
  (request, position) => {
    if (request.calls.length === 0) throw new SchemaError(`${position}.calls`, 'at least one call')
    return request
  },
)

/** A parsed request of wallet_sendCalls, without absent fields. */
export type CallsRequest = ValueOf<typeof callsRequest>

/** The chain ids that wallet_getCapabilities asks about, as integers. */
export const chainIds = array(word)

/** The token of wallet_watchAsset (EIP-747). */
export const watchedAsset = object({
  type: oneOf('ERC20', 'ERC721', 'ERC1155'),
  options: object({
    address,
    symbol: optional(text),
    decimals: optional(natural),
    image: optional(text),
    tokenId: optional(text),
    chainId: optional(natural),
  }),
})

const anyObject = createSchema<Readonly<Record<string, unknown>>, object>('an object', readObject)

/** Structs by name; any key is a valid name. */
const structTypes = createSchema<
  Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>,
  { readonly [name: string]: readonly { readonly name: string; readonly type: string }[] }
>('an object', (value, position) => {
  const fields = array(object({ name: text, type: text }))
  const entries = Object.entries(readObject(value, position))
  return Object.fromEntries(entries.map(([name, one]) => [name, fields.parse(one, `${position}.${name}`)]))
})

const typedDataObject = object({
  types: structTypes,
  primaryType: text,
  domain: anyObject,
  message: optional(anyObject),
})

/** Typed data (EIP-712), as an object or JSON text. */
export const typedData = ofLimitedLength(
  createSchema<ValueOf<typeof typedDataObject>, InputOf<typeof typedDataObject> | string>(
    'typed data',
    (value, position) =>
      typedDataObject.parse(typeof value === 'string' ? readJson(value, position) : value, position),
  ),
)
