/** Events of the worker on the page: except for a few, only those with a listener on the page are sent. */
import { Emitter } from '../../base/emitter.ts'

/**
 * Creates an emitter of the worker's events.
 *
 * @param onError - receives errors thrown by listeners.
 * @param listen - starts or stops the sending of an event.
 * @param alwaysSent - the events that are sent in any case.
 */
export function createRemoteEvents<Events extends { [Event in keyof Events]: (...values: never[]) => void }>(
  onError: (error: Error, event: keyof Events & string) => void,
  listen: (event: string, on: boolean) => void,
  alwaysSent: readonly string[],
): Emitter<Events> {
  let before = new Set<string>()
  const events = new Emitter<Events>(onError, () => {
    const now = new Set(events.names().filter((event) => !alwaysSent.includes(event)))
    for (const event of before) if (!now.has(event)) listen(event, false)
    for (const event of now) if (!before.has(event)) listen(event, true)
    before = now
  })
  return events
}
