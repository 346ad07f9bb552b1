/** preseal/worker: a chain in a worker, with its providers and events on the page. */

export { ClockNotManualError } from '../../core/open/errors.ts'
export { type ConnectOptions, connectChain, type RemoteChain, type RemoteFaults } from './connectChain.ts'
export { WorkerFailedError } from './errors.ts'
export type { ChainFactory, RemoteChainOptions, RemoteForkOptions } from './exposeChain.ts'
export { exposeChain } from './exposeChain.ts'
export type { Endpoint } from './protocol.ts'
