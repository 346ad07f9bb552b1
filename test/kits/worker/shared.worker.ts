/** One chain for all pages, created before the worker listens to messages. */
import { createChain } from '../../../src/index.ts'
import { exposeChain } from '../../../src/kits/worker/index.ts'

exposeChain(await createChain({ mining: 'manual' }))
