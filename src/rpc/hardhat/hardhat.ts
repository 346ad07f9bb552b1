/** The `hardhat` dialect: the answers that Hardhat's clients expect, as Hardhat 3 gives them. */
import { isObject, type Schema } from '../../base/schema.ts'
import type { DialectExtension } from '../dialectExtension.ts'
import { adapt } from './adapt.ts'
import { estimateOn } from './estimateOn.ts'
import { send, sendRaw } from './sends.ts'
import { word } from './wording.ts'

/** The extension of the dialect. */
export const hardhat: DialectExtension = {
  readParams(params, specs) {
    if (!Array.isArray(params)) return params
    return params.map((value: unknown, i) => (isAccepted(value, specs[i]) ? value : toQuantities(value)))
  },
  complete(request, { pending: { env } }) {
    if (request.gas !== undefined) return request
    const { maxTransactionGas: cap = env.gasLimit } = env.rules
    return { ...request, gas: cap < env.gasLimit ? cap : env.gasLimit }
  },
  estimateOn,
  adapt,
  send,
  sendRaw,
  word,
}

function isAccepted(value: unknown, spec: Schema<unknown> | undefined): boolean {
  try {
    spec?.parse(value, '')
    return true
  } catch {
    return false
  }
}

/** A JSON number, or the numbers of an object's fields, as quantities. */
function toQuantities(value: unknown): unknown {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return `0x${(value as number).toString(16)}`
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, isObject(field) ? field : toQuantities(field)]),
  )
}
