import { changeMethod } from '../method.ts'

/** Stops automine and interval mining: blocks are sealed on request only. */
export const miner_stop = changeMethod([], async ({ control }) => {
  await control.cheats.mining.pause()
  return true
})
