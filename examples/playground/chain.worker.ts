/** The chain, in a worker, so that the page stays smooth under load. */
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'

exposeChain(createChain)
