/** A chain and a page that is connected to it through a message channel. */
import { onTestFinished } from 'vitest'
import type { ChainOptions } from '../../../src/index.ts'
import {
  type ConnectOptions,
  connectChain,
  type Endpoint,
  exposeChain,
  type RemoteChain,
} from '../../../src/kits/worker/index.ts'
import { startChain } from '../../harness.ts'

/** Connects a page through its own channel until the end of the test. */
export async function connectThrough(
  expose: (endpoint: Endpoint) => () => void,
  options: ConnectOptions = {},
): Promise<{ readonly remote: RemoteChain; readonly endpoint: Endpoint; readonly stop: () => void }> {
  const { port1, port2 } = new MessageChannel()
  const stop = expose(port2)
  onTestFinished(() => {
    stop()
    port1.close()
  })
  const remote = await connectChain(port1, options)
  onTestFinished(() => remote.close())
  return { remote, endpoint: port1, stop }
}

/** Starts a chain with a page connected to it. */
export async function startRemote(options: ChainOptions = {}) {
  const chain = await startChain(options)
  return { chain, ...(await connectThrough((endpoint) => exposeChain(chain, endpoint))) }
}

/** Resolves once earlier messages have arrived on the other side, and their effects on this one. */
export async function flush(remote: RemoteChain): Promise<void> {
  await remote.missedTicks()
}
