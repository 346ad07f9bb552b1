/** The worker: a chain for each page that connects, with the options it brings. */
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'

exposeChain(createChain)
