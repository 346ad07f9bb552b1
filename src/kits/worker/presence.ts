/**
 * Whether the other side of a channel still exists. Browsers have no event for a terminated worker or a page that was
 * left, but release its lock, which then goes to the next in the queue (Web Locks). Pages without HTTPS, except those
 * on loopback, have no locks; there only a `close` is noticed.
 */

/** The presence of this side, visible to the other side. */
export interface Presence {
  readonly lock: string
  /** Ends the presence of this side. */
  end(): void
}

/** Holds a lock from now on; resolves to undefined if locks are not available. */
export function showPresence(lock: string): Promise<Presence | undefined> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  return new Promise((resolve) => {
    if (locks === undefined) return resolve(undefined)
    const hold = () => new Promise<void>((release) => resolve({ lock, end: release }))
    // Pages of an opaque origin are refused.
    locks.request(lock, hold).catch(() => resolve(undefined))
  })
}

/** Calls back once the side that holds the lock has gone; never if it has no lock. */
export function awaitAbsence(lock: string | undefined, onAbsent: () => void): void {
  if (lock === undefined) return
  // Refused, for example, in a worker of an opaque origin: then only a `close` is noticed.
  navigator?.locks?.request(lock, () => {}).then(onAbsent, () => {})
}

declare const navigator:
  | { readonly locks?: { request(name: string, callback: () => unknown): Promise<unknown> } }
  | undefined
