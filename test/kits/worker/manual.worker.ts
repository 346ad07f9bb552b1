/** A chain under a manual clock for each page. */
import { createChain, createManualClock } from '../../../src/index.ts'
import { exposeChain } from '../../../src/kits/worker/index.ts'

exposeChain((options) => createChain({ mining: 'manual', clock: createManualClock(), ...options }))
