/** Call objects and transaction requests (spec.md §2.2). */
import { SchemaError } from '../../base/errors.ts'
import { array, object, optional, refine, type Schema, type ValueOf } from '../../base/schema.ts'
import type { AccessListEntry } from '../../base/types.ts'
import { address, data, hash32, index, quantity, quantity64, word } from './scalars.ts'

const accessListEntry: Schema<AccessListEntry, AccessListEntry> = object({
  address,
  storageKeys: array(hash32),
})

const authorization = object({
  chainId: quantity,
  address,
  nonce: quantity64,
  yParity: index,
  r: word,
  s: word,
})

/** A call or an unsigned transaction (spec.md §2.2); `input` is an alias of `data`, unknown keys are ignored. */
export const callObject = refine(
  object(
    {
      from: optional(address),
      to: optional(address),
      gas: optional(quantity64),
      gasPrice: optional(quantity),
      maxFeePerGas: optional(quantity),
      maxPriorityFeePerGas: optional(quantity),
      maxFeePerBlobGas: optional(quantity),
      value: optional(quantity),
      data: optional(data),
      nonce: optional(quantity64),
      type: optional(index),
      chainId: optional(quantity),
      accessList: optional(array(accessListEntry)),
      authorizationList: optional(array(authorization)),
      blobVersionedHashes: optional(array(hash32)),
    },
    { data: 'input' },
  ),
  (call, position) => {
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      if (call.gasPrice === undefined || call[field] === undefined) continue
      throw new SchemaError(`${position}.${field}`, 'no value if gasPrice is given')
    }
    return call
  },
)

/** A parsed call object, without the absent fields. */
export type CallObject = ValueOf<typeof callObject>

/** A transaction to sign or send: a call object that names its sender. */
export const transactionRequest = refine(callObject, ({ from, ...rest }, position) => {
  if (from === undefined) throw new SchemaError(`${position}.from`, address.expected)
  return { ...rest, from }
})

/** A parsed transaction request. */
export type TransactionRequest = ValueOf<typeof transactionRequest>
