import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { any } from '../params/scalars.ts'

/** Makes blocks again as the chain was created to, or at each send. */
export const miner_start = method([optional(any)], async ({ control }) => {
  await control.cheats.mining.resume()
  return true
})
