/**
 * Subscriptions and methods under whichever name a node knows them by: preseal's own, or that of OP-Stack nodes.
 *
 * Owns: which clients' nodes turned out to speak the other names.
 */
import { type Client, RpcRequestError, zeroHash } from 'viem'
import { PushUnsupportedError, StandardViewError } from './errors.ts'
import type { InProcessAttributes } from './inProcess.ts'

/** preseal's names, each with the one OP-Stack nodes have for it, if that is another one. */
const ALIASES = {
  chain_transactionStatus: 'base_transactionStatus',
  newHeads: undefined,
  newPreconfBlocks: 'newFlashblocks',
  newPreconfTransactions: 'newFlashblockTransactions',
  pendingLogs: undefined,
} as const

/** What a node may know by another name. */
export type AliasedName = keyof typeof ALIASES

/** The part of a transport that pushes. */
export type PushTransport = Pick<InProcessAttributes, 'subscribe'> & Partial<InProcessAttributes>

/** Calls back with what a subscription sends, and where it failed or its connection ended. */
export interface PushListener<T> {
  onData(result: T): void
  onError?: ((error: Error) => void) | undefined
}

/** A {@link PushListener} that is told of errors, too. */
export interface Listener<T> {
  onData(result: T): void
  onError(error: Error): void
}

/** By transport, which all clients extended from one another share. */
const speaksAliases = new WeakMap<object, Set<AliasedName>>()

/**
 * The part of a client's transport that pushes; of a `fallback` the first that does, as in viem's own watchers.
 *
 * @throws PushUnsupportedError if there is none.
 */
export function pushTransportOf(client: Client): PushTransport {
  const { transport } = client
  const candidates = [transport, ...(transport.type === 'fallback' ? transport['transports'] : [])]
  for (const candidate of candidates) {
    const value = candidate.value ?? candidate
    if (typeof value.subscribe === 'function') return value
  }
  throw new PushUnsupportedError(transport.name)
}

/**
 * Starts a subscription under the name the node knows. An error that `onData` throws goes to `onError`.
 *
 * @param option - what goes with the kind; nothing if it is undefined.
 * @param aliasOption - what goes with the OP-Stack's name for the kind.
 * @returns what ends it.
 * @throws PushUnsupportedError, StandardViewError, and what the node answers if it knows no such kind.
 */
export async function subscribe<T>(
  client: Client,
  kind: AliasedName,
  option: unknown,
  listener: PushListener<T>,
  aliasOption = option,
): Promise<() => void> {
  const { onError } = listener
  const onData = isolate(listener)
  const transport = pushTransportOf(client)
  const { unsubscribe } = await callByName(client, kind, async (name) => {
    const own = name === kind ? option : aliasOption
    const params = own === undefined ? [name] : [name, own]
    // viem's transports tell of a failed start twice: by `onError`, and by rejecting.
    let early: Error | undefined
    let report = (error: Error): void => {
      early = error
    }
    const subscription = await transport
      .subscribe({ params, onData: ({ result }) => onData(result), onError: (error) => report(error) })
      .catch((error) => {
        throw error instanceof Error ? error : toRequestError(params, error)
      })
    report = (error) => onError?.(error)
    if (early !== undefined) report(early)
    return subscription
  }).catch(async (error) => {
    throw await explainRefusal(client, error)
  })
  return () => void unsubscribe().catch(() => {})
}

/**
 * A subscription as viem's watchers are: begun at once, ended by what is returned.
 *
 * @returns what ends it; nothing is called back after that.
 */
export function watch<T>(
  client: Client,
  kind: AliasedName,
  option: unknown,
  { onData, onError }: PushListener<T>,
): () => void {
  let active = true
  let end = () => {}
  const fail = (error: Error): void => {
    if (active) onError?.(error)
  }
  subscribe<T>(client, kind, option, {
    onData: (result) => {
      if (active) onData(result)
    },
    onError: onError && fail,
  }).then((unsubscribe) => {
    if (active) end = unsubscribe
    else unsubscribe()
  }, fail)
  return () => {
    active = false
    end()
  }
}

/**
 * Calls with preseal's name, and where the node does not know it with the OP-Stack's, which is then taken at once.
 *
 * @throws what the call does; where neither name is known, what the last one did.
 */
export async function callByName<T>(
  client: Client,
  name: AliasedName,
  call: (name: string) => Promise<T>,
): Promise<T> {
  const alias = ALIASES[name]
  if (alias === undefined) return call(name)
  const known = speaksAliases.get(client.transport)
  if (known?.has(name)) return call(alias)
  try {
    return await call(name)
  } catch (error) {
    if (!isUnknownName(error)) throw error
    const result = await call(alias)
    speaksAliases.set(client.transport, new Set(known).add(name))
    return result
  }
}

/**
 * A listener's `onData` that does not throw: over a socket of viem's an error of one listener ends the others. The error
 * goes to `onError`; without one it is an unhandled rejection.
 */
export function isolate<T>({ onData, onError }: PushListener<T>): (result: T) => void {
  return (result) => {
    try {
      onData(result)
    } catch (error) {
      if (onError !== undefined) onError(error as Error)
      else void Promise.reject(error)
    }
  }
}

/** What a refused subscription is told as: a StandardViewError if the node is preseal. */
export async function explainRefusal(client: Client, error: unknown): Promise<unknown> {
  if (!isUnknownName(error)) return error
  const status = { method: 'chain_transactionStatus', params: [zeroHash] }
  const isPreseal = await client.request(status as never).then(Boolean, () => false)
  return isPreseal ? new StandardViewError(error as Error) : error
}

/**
 * Whether a node does not know what it was asked for. go-ethereum answers an unknown kind of subscription with -32601,
 * reth, which reads it as a parameter, with -32602; a wallet answers an unknown method with 4200 (EIP-1193) as well.
 */
export function isUnknownName(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code
  return code === -32_601 || code === -32_602 || code === 4200
}

/** viem's own transports reject with what the node sent. */
function toRequestError(params: readonly unknown[], error: { code: number; message: string }): Error {
  return new RpcRequestError({ body: { method: 'eth_subscribe', params }, error, url: 'eth_subscribe' })
}
