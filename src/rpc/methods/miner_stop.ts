import { method } from '../method.ts'

/** Makes no block any more unless it is asked for. */
export const miner_stop = method([], ({ control }) => {
  control.cheats.mining.pause()
  return true
})
