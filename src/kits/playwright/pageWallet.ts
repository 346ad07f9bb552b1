/**
 * The script of the wallet in each document: providers that send requests to the test's process. The build embeds the
 * script as text. Owns the listeners of the page. Does not own the wallet's state. Evaluates no text, so it works under
 * any Content-Security-Policy. Has no timers, so it works while the page's clock stands still.
 */
import { announceProvider } from '../../chain/announceProvider.ts'
import type { Provider } from '../../rpc/provider.ts'
import { givesUp } from '../../rpc/services.ts'
import {
  DISCONNECTED,
  type FromDocument,
  LAST_ANSWER,
  type PageConfig,
  type PollAnswer,
  type RequestAnswer,
  type SentError,
  type WalletView,
} from './protocol.ts'

interface Listener {
  (value: unknown): void
  /** The argument of `once`, if this listener wraps it. */
  readonly of?: Listener
}
type Message = FromDocument extends infer M ? (M extends FromDocument ? Omit<M, 'document'> : never) : never
type Send = (message: Message) => Promise<unknown>

interface PageScope {
  readonly origin: string
  readonly [binding: string]: unknown
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  dispatchEvent(event: object): boolean
  readonly reportError?: (error: unknown) => void
}

/** The parameter of the function whose body this script becomes. */
declare const PRESEAL_CONFIG: PageConfig

const scope = globalThis as unknown as PageScope
/** Whether the wallet has announced its end. */
let hasEnded = false

/** Reports an error as uncaught, or throws it in a microtask. Bound at once: the page may replace `reportError`. */
const reportError = (
  scope.reportError ??
  ((error) =>
    queueMicrotask(() => {
      throw error
    }))
).bind(scope)

/** Whether an object has a property of this name, ignoring properties that a page adds to `Object.prototype`. */
const has = (value: object, name: string): boolean => Object.hasOwn(value, name)

function toError(sent: SentError, options?: { readonly cause: unknown }): Error {
  const { name, code, message } = sent
  return Object.assign(new Error(message, options), { name, code }, has(sent, 'data') && { data: sent.data })
}

/** Returns a function that sends messages. Serializes each at once: the page can change its objects after the call. */
function createSend(): Send {
  const call = scope[PRESEAL_CONFIG.binding] as (text: string) => Promise<string | undefined>
  const document = crypto.getRandomValues(new Uint32Array(4)).join('-')
  return async (message) => {
    const text = JSON.stringify({ ...message, document })
    let answer: string | undefined
    try {
      answer = await call(text)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : `${cause}`
      throw toError(hasEnded ? DISCONNECTED : { ...DISCONNECTED, message: `disconnected: ${reason}` }, {
        cause,
      })
    }
    // The document's test has ended.
    if (answer === undefined) throw toError(DISCONNECTED)
    return JSON.parse(answer)
  }
}

/** An EIP-1193 provider with the methods of Node's emitters, as in injected wallets. */
function createPageProvider(view: WalletView, send: Send) {
  const listeners = new Map<string, Listener[]>()
  let isConnected = false
  const add = (event: string, listener: Listener) => {
    listeners.set(event, [...(listeners.get(event) ?? []), listener])
    return provider
  }
  const remove = (event: string, listener: Listener) => {
    const added = listeners.get(event) ?? []
    const at = added.findLastIndex((one) => listener === one || listener === one.of)
    listeners.set(event, added.toSpliced(at, at < 0 ? 0 : 1))
    return provider
  }
  const provider = {
    isPreseal: true,
    async request(args: unknown): Promise<unknown> {
      let answer: RequestAnswer
      try {
        answer = (await send({ type: 'request', view, args })) as RequestAnswer
      } catch (error) {
        // Removing a filter or subscription succeeds: all ended with the test.
        if ((error as SentError).code === DISCONNECTED.code && givesUp(args)) return true
        if (!(error instanceof TypeError)) throw error
        const message = 'invalid request: expected values that JSON can represent'
        throw toError({ name: 'InvalidRequestError', code: -32600, message })
      }
      if (has(answer, 'error')) throw toError((answer as { readonly error: SentError }).error)
      return (answer as { readonly result: unknown }).result
    },
    isConnected: () => isConnected,
    on: add,
    addListener: add,
    once(event: string, listener: Listener) {
      const once = (value: unknown): void => {
        remove(event, once)
        listener(value)
      }
      return add(event, Object.assign(once, { of: listener }))
    },
    off: remove,
    removeListener: remove,
    removeAllListeners(event?: string) {
      if (event === undefined) listeners.clear()
      else listeners.delete(event)
      return provider
    },
    listenerCount: (event: string) => listeners.get(event)?.length ?? 0,
  }
  const emit = (event: string, value: unknown): void => {
    if (event === 'connect') isConnected = true
    if (event === 'disconnect') isConnected = false
    for (const listener of listeners.get(event) ?? []) {
      try {
        listener(value)
      } catch (error) {
        reportError(error)
      }
    }
  }
  return { view, provider, emit }
}

/** Emits the wallet's events until the wallet ends. Sends `hello` before any script of the page runs. */
async function follow(
  providers: readonly ReturnType<typeof createPageProvider>[],
  send: Send,
  hello: Message,
): Promise<void> {
  let polling = send(hello)
  for (;;) {
    const answer = (await polling.catch(() => LAST_ANSWER)) as PollAnswer | RequestAnswer
    // The wallet of a later test does not know this document, and may answer with an error.
    const { events, isLast } = has(answer, 'events') ? (answer as PollAnswer) : LAST_ANSWER
    hasEnded ||= isLast
    for (const one of events) {
      const { event, value } = one
      const sent = event === 'disconnect' ? toError(value as SentError) : value
      for (const { view, emit } of providers) if (!has(one, 'view') || one.view === view) emit(event, sent)
    }
    if (isLast) return
    polling = send({ type: 'poll' })
  }
}

// Documents without scripts, such as error pages, have no bindings.
if (typeof scope[PRESEAL_CONFIG.binding] === 'function') {
  const send = createSend()
  const endings: (() => void)[] = []
  const created = PRESEAL_CONFIG.providers.map(({ view, info, flags }) => {
    const one = createPageProvider(view, send)
    Object.assign(one.provider, flags)
    // `announceProvider` ends on `disconnect`, unless the page has removed its listener.
    endings.push(announceProvider(one.provider as unknown as Provider, { window: scope, info }))
    return one
  })
  const { token } = PRESEAL_CONFIG
  const following = follow(created, send, { type: 'hello', token, origin: scope.origin })
  // Pages and competing wallets can replace `window.ethereum`, as for any injected wallet.
  const value = created[0]!.provider
  Object.defineProperty(scope, 'ethereum', { value, configurable: true, enumerable: true, writable: true })
  scope.dispatchEvent(new Event('ethereum#initialized'))
  void following.then(() => {
    for (const end of endings) end()
  })
}

declare function queueMicrotask(fn: () => void): void
declare const crypto: { getRandomValues(values: Uint32Array): Uint32Array }
declare const Event: new (type: string) => object
