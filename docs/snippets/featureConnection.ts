/** A connection with subscriptions over a channel of text, here two ports. */
// #region connection
import { once } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { createChain } from 'preseal'
import { createConnection } from 'preseal/server'

const chain = await createChain({ mining: 'manual' })

/** Serves a channel: anything that carries text both ways. */
function serveChannel(port: MessagePort): void {
  const provider = chain.provider('preconf')
  const connection = createConnection(provider, (text) =>
    port.postMessage(text),
  )
  port.on('message', (text) => void connection.receive(text))
  port.on('close', () => connection.close())
}

const { port1, port2 } = new MessageChannel()
serveChannel(port1)
port2.postMessage(
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_subscribe',
    params: ['newPreconfBlocks'],
  }),
)
const [answer] = await once(port2, 'message')
const notified = once(port2, 'message')
await chain.tick()
const { method, params } = JSON.parse((await notified)[0])
console.log(method) // => eth_subscription
console.log(params.subscription === JSON.parse(answer).result) // => true
// #endregion connection

const closed = once(port1, 'close')
port2.close()
await closed
await chain.close()
