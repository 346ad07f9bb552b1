/** Exposes a chain that is never created, as if that took long. */
import type { PresealChain } from '../../../src/index.ts'
import { exposeChain } from '../../../src/kits/worker/index.ts'

exposeChain(() => new Promise<PresealChain>(() => {}))
