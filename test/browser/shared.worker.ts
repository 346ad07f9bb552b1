/** One chain for all pages, made before anything is listened to. */
import { createChain } from '../../src/index.ts'
import { exposeChain } from '../../src/worker/index.ts'

exposeChain(await createChain({ mining: 'manual' }))
