/**
 * The service worker: it answers the page's requests to `/rpc` from a chain of its own, and keeps the page's files.
 *
 * A browser ends a service worker that has nothing to do, and starts it again with the next request. The chain is in
 * IndexedDB, so that it continues from its last block.
 */
import { createChain } from 'preseal'
import { createHandler } from 'preseal/server'
import { connectChain, exposeChain } from 'preseal/worker'

declare const self: ServiceWorkerGlobalScope

type Answer = (request: Request) => Promise<Response>
let started: Promise<Answer> | undefined

async function start(): Promise<Answer> {
  // As a page and its worker do it, so that the database is opened under a lock.
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
    // It did not start, since a service worker before this one still has the database: the next request tries again.
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

/** The network's answer, which is kept; without a network, the one that was kept. */
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
