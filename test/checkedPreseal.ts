/** `preseal` for the examples when tests run them: the oracle checks each chain when it is closed. */
import { type ChainOptions, createChain as createUnchecked, type PresealChain } from '../src/index.ts'
import { ENGINE } from './full.ts'
import { watchChain } from './harness.ts'

export { announceProvider, createManualClock } from '../src/index.ts'

/** `createChain`, whose `close` also checks every sealed block. */
export async function createChain(options: ChainOptions = {}): Promise<PresealChain> {
  // The oracle would need the state of the forked chain.
  if (options.fork !== undefined) return createUnchecked({ engine: ENGINE, ...options })
  const { chain, finish } = await watchChain({ engine: ENGINE, ...options })
  return Object.assign(chain, { close: finish })
}
