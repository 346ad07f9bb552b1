/**
 * When blocks are made without a request for one: after each send, by the clock, both, or neither.
 *
 * Owns: whether sends are sealed at once, and the order of the sends that run in turn. Does not own the timer (the
 * sequencer does).
 */
import type { MiningMode } from '../config/options.ts'
import type { Sequencer } from './sequencer.ts'

/** See the file's header. */
export class Mining {
  readonly #sequencer: Sequencer
  readonly #mode: MiningMode
  #automine: boolean
  /** Resolves once the last send that runs in turn has ended. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(sequencer: Sequencer, mode: MiningMode) {
    this.#sequencer = sequencer
    this.#mode = mode
    this.#automine = mode === 'auto'
  }

  /** Whether a send is sealed before it is answered. */
  get automine(): boolean {
    return this.#automine
  }

  /** Whether blocks are made without a request for one. */
  get isOn(): boolean {
    return this.#automine || this.#sequencer.isRunning
  }

  /** Milliseconds from block to block by the clock; undefined if none are made by it. */
  get blockTime(): number | undefined {
    return this.#sequencer.isRunning ? this.#sequencer.blockTime : undefined
  }

  /** Switches sealing at each send on or off; switching it on seals what waits. */
  async setAutomine(on: boolean): Promise<void> {
    this.#automine = on
    await this.sealPending()
  }

  /** Sets the milliseconds from block to block; with 0 none are made by the clock. */
  setBlockTime(ms: number): void {
    const sequencer = this.#sequencer
    if (ms === 0) {
      sequencer.stop()
      return
    }
    const before = sequencer.blockTime
    sequencer.blockTime = ms
    sequencer.start()
    if (ms !== before) sequencer.events.emit('blockTimeChanged', ms)
  }

  /** Mines as the chain was configured at creation; a chain created with `manual` mining seals at each send. */
  async resume(): Promise<void> {
    if (this.#mode === 'interval') this.#sequencer.start()
    else await this.setAutomine(true)
  }

  /** Makes blocks on request only. */
  pause(): void {
    this.#automine = false
    this.#sequencer.stop()
  }

  /** Seals what waits, if sends are sealed at once. */
  async sealPending(): Promise<void> {
    if (this.#automine) await this.#sequencer.sealPending()
  }

  /**
   * Runs `send`, which prepares a transaction on the newest state and sends it. If sends are sealed at once, it runs
   * after all earlier sends, so that it prepares on the state that it is executed on; else it runs at once.
   */
  inTurn<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#automine) return send()
    const turn = this.#turn.then(async () => {
      await this.sealPending()
      return send()
    })
    this.#turn = turn.catch(() => {})
    return turn
  }
}
