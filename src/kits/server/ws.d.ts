/** Declares the parts of `ws` that are used, after its documentation; the package has no types. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  export class WebSocket {
    constructor(address: string, options?: { readonly headers?: Readonly<Record<string, string>> })
    /** 1 (open) while messages may be sent. */
    readonly readyState: number
    /** Bytes passed to `send` that the system does not have yet. */
    readonly bufferedAmount: number
    on(event: 'open', listener: () => void): this
    on(event: 'message', listener: (data: Buffer) => void): this
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): this
    on(event: 'ping' | 'pong', listener: (data: Buffer) => void): this
    /**
     * @param options - `fin`: whether this frame ends the message; by default true.
     * @param onWritten - called when the system has the message, or the socket has failed.
     */
    send(
      data: string | Uint8Array,
      options?: { readonly fin?: boolean },
      onWritten?: (error?: Error) => void,
    ): void
    ping(data?: Uint8Array): void
    /** @param mask - whether to mask the frame; clients must. */
    pong(data: Uint8Array, mask: boolean, onWritten: (error?: Error) => void): void
    /** Begins the closing handshake; `reason` may have up to 123 bytes. */
    close(code?: number, reason?: string): void
    terminate(): void
    /** Reads nothing until `resume`. */
    pause(): void
    resume(): void
  }

  export class WebSocketServer {
    constructor(options: {
      readonly noServer: true
      /** Whether `ws` itself answers pings. */
      readonly autoPong: boolean
      /** The maximum length of a message in bytes; a longer one closes the connection with 1009. */
      readonly maxPayload: number
      readonly perMessageDeflate: boolean
      readonly clientTracking: boolean
    })
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      callback: (socket: WebSocket) => void,
    ): void
  }
}
