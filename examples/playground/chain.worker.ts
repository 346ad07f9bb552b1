/** The chain, in a worker: the page stays smooth however much it executes. */
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'

exposeChain(createChain)
