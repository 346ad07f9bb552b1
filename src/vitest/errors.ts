/** Errors that fixtures report. */
import { PresealError } from '../primitives/errors.ts'

/** What a failed test of `preseal/vitest` left waiting; stands beside the error it failed with. */
export class TransactionsWaitingError extends PresealError {
  override name = 'TransactionsWaitingError'
  /**
   * @param elapsedMs - by how much the manual clock moved during the test; undefined for another clock.
   */
  constructor(count: number, what: 'a tick' | 'the seal', elapsedMs: number | undefined) {
    const subject = count === 1 ? '1 transaction waits' : `${count} transactions wait`
    const clock = elapsedMs === undefined ? '' : `; the manual clock stands at ${elapsedMs} ms`
    super(`when the test ended: ${subject} for ${what}${clock}`)
  }
}
