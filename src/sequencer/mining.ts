/**
 * When blocks are made without a request for one: after each send, by the clock, both, or neither.
 *
 * Owns: whether sends are sealed at once, and the order of the sends that run in turn. Does not own the timer (the
 * sequencer does).
 */
import type { MiningMode } from '../config/options.ts'
import type { Recorder } from '../ledger/journal.ts'
import type { MaybePromise } from '../primitives/types.ts'
import type { Sequencer } from './sequencer.ts'

/** When blocks are made, as requests have set it. */
export interface MiningModes {
  readonly automine: boolean
  /** Whether blocks are made by the clock. */
  readonly isRunning: boolean
  /** Milliseconds. */
  readonly blockTime: number
}

/** See the file's header. */
export class Mining {
  readonly #sequencer: Sequencer
  readonly #mode: MiningMode
  readonly #record: Recorder<MiningModes> | undefined
  /** Undefined until a request sets them: then those of the options apply. */
  #modes: MiningModes | undefined
  #automine: boolean
  /** Resolves once the last send that runs in turn has ended. */
  #turn: Promise<unknown> = Promise.resolve()

  /**
   * @param record - writes each change to the chain's database, if it has one.
   * @param modes - those of an earlier run, if a request has set them there.
   */
  constructor(sequencer: Sequencer, mode: MiningMode, record?: Recorder<MiningModes>, modes?: MiningModes) {
    this.#sequencer = sequencer
    this.#mode = mode
    this.#record = record
    this.#modes = modes
    this.#automine = modes?.automine ?? mode === 'auto'
  }

  /** What requests have set, in this run or in an earlier one; undefined if nothing. */
  get modes(): MiningModes | undefined {
    return this.#modes
  }

  /** Starts the timer if blocks are made by the clock. */
  begin(): void {
    const { isRunning = this.#mode === 'interval', blockTime = this.#sequencer.blockTime } = this.#modes ?? {}
    this.#sequencer.blockTime = blockTime
    if (isRunning) this.#sequencer.start()
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

  /** Switches sealing at each send on or off. @param seals - whether switching it on seals what waits. */
  async setAutomine(on: boolean, seals = true): Promise<void> {
    await this.#set({ automine: on })
    if (seals) await this.sealPending()
  }

  /** Sets the milliseconds from block to block; with 0 none are made by the clock. */
  setBlockTime(ms: number): MaybePromise<void> {
    return this.#set(ms === 0 ? { isRunning: false } : { isRunning: true, blockTime: ms })
  }

  /** Mines as the chain was configured at creation; a chain created with `manual` mining seals at each send. */
  async resume(): Promise<void> {
    if (this.#mode === 'interval') await this.#set({ isRunning: true })
    else await this.setAutomine(true)
  }

  /** Makes blocks on request only. */
  pause(): MaybePromise<void> {
    return this.#set({ automine: false, isRunning: false })
  }

  /** Seals what waits, if sends are sealed at once. */
  async sealPending(): Promise<void> {
    if (this.#automine) await this.#sequencer.sealPending()
  }

  /**
   * Runs `send`, which prepares a transaction on the newest state and sends it. If sends are sealed at once, it runs
   * after all earlier sends, so that it prepares on the state that it is executed on; else it runs at once.
   *
   * @param seals - whether what waits is sealed first.
   */
  inTurn<T>(send: () => Promise<T>, seals = true): Promise<T> {
    if (!this.#automine) return send()
    const turn = this.#turn.then(async () => {
      if (seals) await this.sealPending()
      return send()
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** @throws DatabaseWriteError if the change cannot be written; nothing has changed then. */
  #set(change: Partial<MiningModes>): MaybePromise<void> {
    const next = () => {
      const { isRunning, blockTime } = this.#sequencer
      return { automine: this.#automine, isRunning, blockTime, ...change }
    }
    if (this.#record === undefined) return this.#apply(next(), change)
    return this.#record(next, (modes) => this.#apply(modes, change))
  }

  #apply(modes: MiningModes, { automine, isRunning, blockTime }: Partial<MiningModes>): void {
    const sequencer = this.#sequencer
    this.#modes = modes
    if (automine !== undefined) this.#automine = automine
    const before = sequencer.blockTime
    if (blockTime !== undefined) sequencer.blockTime = blockTime
    if (isRunning === true) sequencer.start()
    if (isRunning === false) sequencer.stop()
    if (sequencer.blockTime !== before) sequencer.events.emit('blockTimeChanged', sequencer.blockTime)
  }
}
