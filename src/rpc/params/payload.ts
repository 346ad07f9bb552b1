/** Parameters of methods that build blocks, under the names of the engine API. */

import { SchemaError } from '../../base/errors.ts'
import { array, object, optional, refine } from '../../base/schema.ts'
import { withdrawal } from './overrides.ts'
import { address, data, hash32, quantity64 } from './scalars.ts'

/** PayloadAttributesV4; the fields that chains of every fork have are required. */
export const payloadAttributes = object({
  timestamp: quantity64,
  prevRandao: hash32,
  suggestedFeeRecipient: address,
  withdrawals: optional(array(withdrawal)),
  parentBeaconBlockRoot: optional(hash32),
  targetGasLimit: optional(quantity64),
})

/** The extra data of a block: at most 32 bytes. */
export const extraData = refine(data, (bytes, path) => {
  if (bytes.length > 32) throw new SchemaError(path, 'at most 32 bytes')
  return bytes
})
