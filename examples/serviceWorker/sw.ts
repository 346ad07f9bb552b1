/**
 * The service worker: it runs a chain, which answers the page's requests to `/rpc`, and caches the page's files.
 *
 * A browser ends an idle service worker, and starts it again with the next request. The chain is in
 * IndexedDB, so that it continues from its last block.
 */
import { createChain } from 'preseal'
import { createHandler } from 'preseal/server'
import { connectChain, exposeChain } from 'preseal/worker'

declare const self: ServiceWorkerGlobalScope

type Answer = (request: Request) => Promise<Response>
let started: Promise<Answer> | undefined

async function start(): Promise<Answer> {
  // Connect as a page to its worker, so that the database is opened under a lock.
  const { port1, port2 } = new MessageChannel()
  exposeChain(createChain, port1)
  const chain = await connectChain(port2, { options: { database: 'chain' } })
  return createHandler(chain.live)
}

async function answer(request: Request): Promise<Response> {
  started ??= start()
  try {
    return await (await started)(request)
  } catch (error) {
    // It did not start, since the previous service worker still has the database open: the next request tries again.
    started = undefined
    throw error
  }
}

self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()))
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.url === new URL('./rpc', self.registration.scope).href) {
    event.respondWith(answer(request))
  } else if (request.method === 'GET') {
    event.respondWith(fetchOrFind(request))
  }
})

/** Returns the network's answer and caches it; without a network, returns the cached one. */
async function fetchOrFind(request: Request): Promise<Response> {
  const cache = await caches.open('page')
  try {
    const response = await fetch(request)
    await cache.put(request, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(request, { ignoreVary: true })
    if (kept === undefined) throw error
    return kept
  }
}
