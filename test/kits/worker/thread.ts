/** A chain in a thread of Node, served over the port that the thread is started with. */
import { workerData } from 'node:worker_threads'
import { createChain, createManualClock } from '../../../src/index.ts'
import { exposeChain } from '../../../src/kits/worker/index.ts'

exposeChain((options) => createChain({ clock: createManualClock(), ...options }), workerData)
