/** The worker: a chain for each page that connects, with the page's options. */
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'

exposeChain(createChain)
