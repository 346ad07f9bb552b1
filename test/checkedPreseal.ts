/** `preseal` as the examples import it in tests: the oracle checks each chain when it is closed. */
import type { ChainOptions, PresealChain } from '../src/index.ts'
import { watchChain } from './harness.ts'

export { createManualClock } from '../src/index.ts'

/** `createChain`; `close` also has every sealed block checked. */
export async function createChain(options: ChainOptions = {}): Promise<PresealChain> {
  const { chain, finish } = await watchChain(options)
  return Object.assign(chain, { close: finish })
}
