/**
 * The runs of one block of code.
 *
 * Owns: the run that goes on. What runs code is loaded with the first start, and may arrive after a stop or a further start.
 */
import type { Run, RunListener } from './protocol.ts'

/** See the file's header. */
export class Runner {
  readonly #load: () => Promise<{ readonly run: Run }>
  #last = 0
  #stopRun: (() => void) | undefined

  constructor(load: () => Promise<{ readonly run: Run }>) {
    this.#load = load
  }

  /** Starts a run, and stops the one before. */
  async start(source: string, listener: RunListener): Promise<void> {
    this.stop()
    const own = this.#last
    const { run } = await this.#load()
    if (own === this.#last) this.#stopRun = run(source, listener)
  }

  /** Stops the run, also one that is still being loaded. */
  stop(): void {
    this.#last += 1
    this.#stopRun?.()
    this.#stopRun = undefined
  }
}
