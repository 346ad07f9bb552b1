/**
 * The machines of an engine that wait to be used again.
 *
 * Owns: a few of them. More machines run only while many executions are suspended, and would keep the memory of that moment.
 */

/** The most that wait. */
const MOST_IDLE = 4

/** Machines that wait to be used again; see the file's header. */
export class Idle<Machine> {
  readonly #machines: Machine[] = []

  get size(): number {
    return this.#machines.length
  }

  /** One of them, which waits no longer; undefined if there is none. */
  take(): Machine | undefined {
    return this.#machines.pop()
  }

  /** Has a machine wait, unless enough do. */
  add(machine: Machine): void {
    if (this.#machines.length < MOST_IDLE) this.#machines.push(machine)
  }
}
