/** Clients over WebSockets to a Node server. */
import { WebSocket } from 'ws'
import type { PresealChain } from '../../src/index.ts'
import { serve } from '../../src/kits/server/index.ts'
import { type Connect, createTextLine } from './clients.ts'

/** The server of each chain that has clients on sockets; closes when the last of them leaves. */
const servers = new WeakMap<PresealChain, { readonly server: ReturnType<typeof serve>; clients: number }>()

/** Connects over a WebSocket, to a server that all such clients of the chain share. */
export const connectSocket: Connect = async (chain, view, notify) => {
  const shared = servers.get(chain) ?? { server: serve(chain, { port: 0, preconfPort: 0 }), clients: 0 }
  servers.set(chain, shared)
  shared.clients += 1
  const server = await shared.server
  const url = view === 'preconf' ? server.preconfUrl : server.url
  const socket = new WebSocket(url.replace('http', 'ws'))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  const line = createTextLine(notify, (text) => socket.send(text))
  socket.on('message', (data) => line.receive(String(data)))
  return {
    request: line.request,
    leave: async () => {
      const closed = new Promise((resolve) => {
        socket.on('close', resolve)
      })
      socket.close()
      await closed
      shared.clients -= 1
      if (shared.clients > 0) return
      servers.delete(chain)
      await server.close()
    },
  }
}
