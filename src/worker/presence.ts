/**
 * Whether the other side of a channel is still there. Browsers do not tell that a worker was terminated or a page was
 * left, but give the lock it held to the next who waits for it (Web Locks). Pages without HTTPS, but for those on
 * loopback, have none, and there only a `close` is noticed.
 */

/** That this side is there, as the other side can tell. */
export interface Presence {
  readonly lock: string
  /** This side is not there any more. */
  end(): void
}

/** Holds a lock from now on; resolves to undefined if there are no locks to be had. */
export function showPresence(lock: string): Promise<Presence | undefined> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  return new Promise((resolve) => {
    if (locks === undefined) return resolve(undefined)
    const hold = () => new Promise<void>((release) => resolve({ lock, end: release }))
    // Pages of an opaque origin are refused.
    locks.request(lock, hold).catch(() => resolve(undefined))
  })
}

/** Calls back once the side that holds the lock is there no more; not at all if it has none. */
export function awaitAbsence(lock: string | undefined, onAbsent: () => void): void {
  if (lock === undefined) return
  // Refused where the other side is not, as in a worker of an opaque origin: then only a `close` is noticed.
  navigator?.locks?.request(lock, () => {}).then(onAbsent, () => {})
}

declare const navigator:
  | { readonly locks?: { request(name: string, callback: () => unknown): Promise<unknown> } }
  | undefined
