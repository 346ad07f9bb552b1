/** Events of the worker on the page: only those with a listener on the page are sent. */
import { Emitter } from '../primitives/emitter.ts'

/**
 * Creates an emitter of the worker's events.
 *
 * @param onError - receives errors thrown by listeners.
 * @param ask - subscribes to an event in the worker, or unsubscribes.
 * @param unasked - the events that are always sent.
 */
export function createRemoteEvents<Events extends { [Event in keyof Events]: (...values: never[]) => void }>(
  onError: (error: Error, event: keyof Events & string) => void,
  ask: (event: string, on: boolean) => void,
  unasked: readonly string[],
): Emitter<Events> {
  let asked = new Set<string>()
  const events = new Emitter<Events>(onError, () => {
    const wanted = new Set(events.names().filter((event) => !unasked.includes(event)))
    for (const event of asked) if (!wanted.has(event)) ask(event, false)
    for (const event of wanted) if (!asked.has(event)) ask(event, true)
    asked = wanted
  })
  return events
}
