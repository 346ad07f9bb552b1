/** Events that happen in the worker: only those with a listener on this side travel. */
import { Emitter } from '../primitives/emitter.ts'

/**
 * An emitter for what the worker tells of.
 *
 * @param onError - told what a listener threw.
 * @param ask - asks the worker for an event, or for none of it any more.
 * @param unasked - the events that come without being asked for.
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
