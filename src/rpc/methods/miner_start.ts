import { optional } from '../../base/schema.ts'
import { changeMethod } from '../method.ts'
import { any } from '../params/params.ts'

/** Resumes mining as configured at creation: interval mining, or else automine. */
export const miner_start = changeMethod([optional(any)], async ({ control }) => {
  await control.cheats.mining.resume()
  return true
})
