/** A page of the chain behind the port that is sent here. */
import { connectChain, type Endpoint } from '../../../src/kits/worker/index.ts'

self.addEventListener('message', async ({ data }: { readonly data: Endpoint }) => {
  await connectChain(data)
  self.postMessage('connected', [])
})

declare const self: Endpoint
