/** A thread with a chain, which exits at the requested moment of closing. */
import { type MessagePort, workerData } from 'node:worker_threads'
import { createChain } from '../../src/index.ts'
import { exposeChain } from '../../src/kits/worker/index.ts'
import { dieAt, type Moment } from './die.ts'

const { port, moment } = workerData as { readonly port: MessagePort; readonly moment: Moment }

exposeChain(async () => {
  const chain = await createChain({ blockTime: 40, preconfInterval: 10 })
  const { close } = chain
  chain.close = () => {
    void dieAt(moment, () => process.exit())
    return close()
  }
  return chain
}, port as never)
