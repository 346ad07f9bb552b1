/** Errors of servers, and of the messages that they read. */
import { PresealError, PresealRpcError } from '../../base/errors.ts'

/** The port to listen on is in use. */
export class PortInUseError extends PresealError {
  override name = 'PortInUseError'
  readonly port: number
  constructor(host: string, port: number) {
    super(`port ${port} of ${host} is in use`)
    this.port = port
  }
}

/** A message is not JSON (JSON-RPC 2.0). */
export class ParseError extends PresealRpcError {
  override name = 'ParseError'
  constructor() {
    super(-32700, 'parse error')
  }
}

/** A batch contains no request (JSON-RPC 2.0). */
export class EmptyBatchError extends PresealRpcError {
  override name = 'EmptyBatchError'
  constructor() {
    super(-32600, 'empty batch')
  }
}

/** The answers of a batch so far exceed the server's limit (go-ethereum, code -32003). */
export class ResponseTooLargeError extends PresealRpcError {
  override name = 'ResponseTooLargeError'
  constructor(limit: number) {
    super(-32003, `response too large: limit ${limit} bytes`)
  }
}

/** A batch has more requests than the server's limit. */
export class BatchTooLargeError extends PresealRpcError {
  override name = 'BatchTooLargeError'
  constructor(length: number, limit: number) {
    super(-32600, `batch too large: ${length} requests, limit ${limit}`)
  }
}

/** The body of an HTTP request is longer than the server's limit; sent with status 413. */
export class BodyTooLargeError extends PresealRpcError {
  override name = 'BodyTooLargeError'
  constructor(limit: number) {
    super(-32600, `request too large: limit ${limit} bytes`)
  }
}

/** The content type of an HTTP request is not JSON; sent with status 415. */
export class ContentTypeError extends PresealRpcError {
  override name = 'ContentTypeError'
  constructor() {
    super(-32600, 'invalid content type, only application/json is supported')
  }
}

/** The method of an HTTP request is not POST; sent with status 405. */
export class HttpMethodError extends PresealRpcError {
  override name = 'HttpMethodError'
  constructor() {
    super(-32600, 'method not allowed: requests are sent by POST')
  }
}

/** The path of an HTTP request is not the root; sent with status 404. */
export class HttpPathError extends PresealRpcError {
  override name = 'HttpPathError'
  constructor() {
    super(-32600, 'not found: requests are sent to the path /')
  }
}

/** The `Host` of a request is not one of the server's `hosts`; sent with status 403. */
export class HostRefusedError extends PresealRpcError {
  override name = 'HostRefusedError'
  constructor() {
    super(-32600, 'host not allowed: see the option hosts')
  }
}

/** The `Origin` of a request is not one of the server's `origins`; sent with status 403. */
export class OriginRefusedError extends PresealRpcError {
  override name = 'OriginRefusedError'
  constructor() {
    super(-32600, 'origin not allowed: see the option origins')
  }
}

/** A subscription was requested over HTTP, which has no notifications. */
export class SubscriptionsUnsupportedError extends PresealRpcError {
  override name = 'SubscriptionsUnsupportedError'
  constructor() {
    super(-32601, 'notifications not supported')
  }
}

/** A connection has reached the server's limit of subscriptions (EIP-1474, code -32005). */
export class SubscriptionLimitError extends PresealRpcError {
  override name = 'SubscriptionLimitError'
  constructor(limit: number) {
    super(-32005, `too many subscriptions: limit ${limit}`)
  }
}

/** A connection has reached the server's limit of requests in flight (EIP-1474, code -32005). */
export class InFlightLimitError extends PresealRpcError {
  override name = 'InFlightLimitError'
  constructor(limit: number) {
    super(-32005, `too many requests in flight: limit ${limit}`)
  }
}

/** A caller has sent more requests than `requestsPerSecond` (EIP-1474, code -32005); over HTTP with status 429. */
export class RateLimitError extends PresealRpcError {
  override name = 'RateLimitError'
  /** How many seconds to wait before the message is sent again, rounded up. */
  readonly retryAfter: number
  constructor(limit: number, retryAfter: number) {
    super(-32005, `too many requests: limit ${limit} per second`)
    this.retryAfter = retryAfter
  }
}

/** The function `access` has refused a request (EIP-1193, code 4100). */
export class AccessRefusedError extends PresealRpcError {
  override name = 'AccessRefusedError'
  constructor() {
    super(4100, 'access refused')
  }
}

/** The function `access` or `rateKey` has failed, so that a request is refused (EIP-1193, code 4100). */
export class AccessFailedError extends PresealRpcError {
  override name = 'AccessFailedError'
  constructor() {
    super(4100, 'access refused: the server could not decide it')
  }
}

/** A request names the URL of a node to fork, and the server does not accept such requests; see its option `forkUrls`. */
export class ForkUrlRefusedError extends PresealRpcError {
  override name = 'ForkUrlRefusedError'
  constructor() {
    super(
      -32602,
      'this server accepts no URL of a node to fork: it must listen on loopback, or set the option forkUrls',
    )
  }
}
