/** Calls and transactions to be sent (spec.md §2.2). */
import { InvalidParamsError } from '../../primitives/errors.ts'
import { array, object, optional, type Param, type ParamValue, refine } from '../../primitives/schema.ts'
import type { AccessListEntry } from '../../primitives/types.ts'
import { address, data, hash32, index, quantity, quantity64, word } from './scalars.ts'

const accessListEntry: Param<AccessListEntry, AccessListEntry> = object({
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

/** A call or an unsigned transaction (spec.md §2.2); `input` is another name of `data`, unknown keys are tolerated. */
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
      throw new InvalidParamsError(`${position}.${field}`, 'no such field beside gasPrice')
    }
    return call
  },
)

/** A parsed call object; what was absent is left out. */
export type CallObject = ParamValue<typeof callObject>

/** A transaction to be sent by its sender's account. */
export const transactionRequest = refine(callObject, ({ from, ...rest }, position) => {
  if (from === undefined) throw new InvalidParamsError(`${position}.from`, address.expected)
  return { ...rest, from }
})

/** A parsed transaction request; its sender is known. */
export type TransactionRequest = ParamValue<typeof transactionRequest>
