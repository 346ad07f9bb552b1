import type { AbiEvent, Chain, Client, MaybeAbiEventName, Transport, WatchEventParameters } from 'viem'
import { watchEvent } from 'viem/actions'
import { explainRefusal, isolate, type PushTransport, pushTransportOf } from '../push.ts'

/** Parameters of {@link watchPendingLogs}: those of viem's `watchEvent`, except the ones for polling. */
export type WatchPendingLogsParameters<
  abiEvent extends AbiEvent | undefined = undefined,
  abiEvents extends readonly AbiEvent[] | readonly unknown[] | undefined = abiEvent extends AbiEvent
    ? [abiEvent]
    : undefined,
  strict extends boolean | undefined = undefined,
> = DistributiveOmit<
  WatchEventParameters<abiEvent, abiEvents, strict, Transport, MaybeAbiEventName<abiEvent>>,
  'batch' | 'fromBlock' | 'poll' | 'pollingInterval'
>

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never

/** Stops watching. */
export type WatchPendingLogsReturnType = () => void

/**
 * Watches the logs of transactions as they are pre-confirmed, and decodes them if events are given, as viem's
 * `watchEvent` does for sealed blocks.
 *
 * - Subscription: `pendingLogs`
 *
 * @param client - on the preconf view, with a transport that pushes; else `onError` gets a StandardViewError, or a
 *   PushUnsupportedError
 * @example
 * const unwatch = watchPendingLogs(client, {
 *   address: token,
 *   event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
 *   onLogs: ([log]) => console.log(log.args.value),
 * })
 */
export function watchPendingLogs<
  const abiEvent extends AbiEvent | undefined = undefined,
  const abiEvents extends readonly AbiEvent[] | readonly unknown[] | undefined = abiEvent extends AbiEvent
    ? [abiEvent]
    : undefined,
  strict extends boolean | undefined = undefined,
>(
  client: Client<Transport, Chain | undefined>,
  parameters: WatchPendingLogsParameters<abiEvent, abiEvents, strict>,
): WatchPendingLogsReturnType {
  const subscribePending: PushTransport['subscribe'] = async ({ params: [, filter], ...listener }) =>
    pushTransportOf(client as Client)
      .subscribe({ ...listener, onData: isolate(listener), params: ['pendingLogs', filter] })
      .catch(async (error) => {
        throw await explainRefusal(client as Client, error)
      })
  // viem's own watcher encodes, decodes and formats; it only uses the client's transport.
  const view = {
    ...client,
    transport: { ...client.transport, type: 'webSocket', subscribe: subscribePending },
  }
  return watchEvent(view as never, { ...parameters, poll: false } as never)
}
