/** Limits the requests of one connection that are in flight. Owns: their count. */

import type { Requester } from './envelope.ts'
import { InFlightLimitError } from './errors.ts'

/** Sees the requests of the clients of one port: gets what answers them, and returns what answers them in its place. */
export type Observe = (requester: Requester) => Requester

/** A requester that refuses a request while `limit` others are in flight, with -32005. */
export function limitInFlight(requester: Requester, limit: number): Requester {
  let inFlight = 0
  return {
    async request(args) {
      if (inFlight >= limit) throw new InFlightLimitError(limit)
      inFlight += 1
      try {
        return await requester.request(args)
      } finally {
        inFlight -= 1
      }
    },
  }
}
