/**
 * What the clients of one port have not read yet: the answers, notifications and pongs that wait in this process.
 *
 * Owns: which connections it is summed over. Does not own the connections.
 */

/** A connection as the sum sees it. */
export interface Receiver {
  /** The bytes that wait to be read, with {@link MESSAGE_BYTES} for each message. */
  readonly unread: number
  /** Ends the connection at once, with all that waits. */
  cutOff(): void
}

/** What a message that waits takes beside its own bytes, at least. */
export const MESSAGE_BYTES = 256

/** See the file's header. */
export class UnreadOutput {
  readonly #limit: number
  readonly #receivers = new Set<Receiver>()
  /** No less than what waits: what was read since the last sum is not subtracted. */
  #atMost = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(receiver: Receiver): void {
    this.#receivers.add(receiver)
  }

  delete(receiver: Receiver): void {
    this.#receivers.delete(receiver)
  }

  /** Notes that a message of so many bytes waits. */
  note(bytes: number): void {
    this.#atMost += bytes + MESSAGE_BYTES
  }

  /** Called before a message is written: while more than the limit waits, cuts off the connection with most of it. */
  makeRoom(): void {
    if (this.#atMost <= this.#limit) return
    const all = [...this.#receivers].map((receiver) => ({ receiver, unread: receiver.unread }))
    this.#atMost = all.reduce((sum, { unread }) => sum + unread, 0)
    all.sort((a, b) => b.unread - a.unread)
    for (const { receiver, unread } of all) {
      if (this.#atMost <= this.#limit) return
      this.#atMost -= unread
      receiver.cutOff()
    }
  }
}
