/** How long other requests wait while a chain mines thousands of blocks. */
import { elapsed } from './measure.ts'

/** Milliseconds from one answer to the next request. */
const INTERVAL = 2

/** In milliseconds. */
export interface Waits {
  /** The duration of the call that mines. */
  readonly total: number
  /** The longest wait of another request, from when it was due. */
  readonly longest: number
}

type Request = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Mines in one call, and sends a request every 2 ms until it has ended. A request that is sent late counts as waiting.
 *
 * @param mine - by default with `hardhat_mine`.
 */
export async function mineUnderRequests(
  request: Request,
  blocks: number,
  mine: () => Promise<unknown> = () => request('hardhat_mine', [`0x${blocks.toString(16)}`]),
): Promise<Waits> {
  const number = async () => Number(await request('eth_blockNumber', []))
  const start = await number()
  let busy = true
  let longest = 0
  async function sendRequests(): Promise<void> {
    for (let turn = 0; busy; turn++) {
      const due = performance.now() + INTERVAL
      await new Promise((resolve) => setTimeout(resolve, INTERVAL))
      if (turn % 2 === 0) await number()
      else await request('eth_getBalance', [`0x${'00'.repeat(20)}`, 'latest'])
      longest = Math.max(longest, performance.now() - due)
    }
  }
  const requesting = sendRequests()
  const total = await elapsed(mine)
  busy = false
  await requesting
  const mined = (await number()) - start
  if (mined !== blocks) throw new Error(`${mined} blocks were mined, not ${blocks}`)
  return { total, longest }
}
