/** A chain for the page behind the port that is sent here; posts a message when it is closed. */
import { createChain } from '../../../src/index.ts'
import { type Endpoint, exposeChain } from '../../../src/kits/worker/index.ts'

self.addEventListener('message', ({ data }: { readonly data: Endpoint }) => {
  const make = async () => {
    const chain = await createChain({ mining: 'manual' })
    const { close } = chain
    return Object.assign(chain, { close: () => close().then(() => self.postMessage('closed', [])) })
  }
  exposeChain(make, data)
})

declare const self: Endpoint
