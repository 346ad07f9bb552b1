/** Errors of the fixtures. */
import { PresealError } from '../../base/errors.ts'

/** A failed test of `preseal/vitest` left transactions waiting; reported in addition to the test's own error. */
export class TransactionsWaitingError extends PresealError {
  override name = 'TransactionsWaitingError'
  /** @param elapsedMs - by how much the manual clock moved during the test; undefined for other clocks */
  constructor(count: number, what: 'a tick' | 'the seal', elapsedMs: number | undefined) {
    const subject = count === 1 ? '1 transaction was' : `${count} transactions were`
    const clock = elapsedMs === undefined ? '' : `; the manual clock was advanced by ${elapsedMs} ms`
    const remedy = what === 'a tick' ? 'preconfirm() or chain.tick() includes' : 'chain.seal() seals'
    const object = count === 1 ? 'it' : 'them'
    super(`${subject} waiting for ${what} when the test ended${clock}; ${remedy} ${object}`)
  }
}
