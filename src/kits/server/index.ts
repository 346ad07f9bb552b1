/** preseal/server: a chain over HTTP and WebSocket. */

export type { Access, AccessRequest, Caller } from './access.ts'
export { type Connection, createConnection } from './connection.ts'
export type { Requester } from './envelope.ts'
export { PortInUseError } from './errors.ts'
export { createHandler } from './http.ts'
export type { ConnectionOptions, HandlerOptions, ServeOptions } from './options.ts'
export { type ChainServer, serve } from './serve.ts'
