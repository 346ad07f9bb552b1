/**
 * When blocks are made without a request for one: after each send, by the clock, both, or neither.
 *
 * Owns: whether sends are sealed at once. Does not own the timer (the sequencer does), nor the order of sends.
 */

import type { MaybePromise } from '../../base/types.ts'
import type { Recorder } from '../ledger/storedChange.ts'
import type { MiningMode } from '../options.ts'
import type { SendTurn } from './order.ts'
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
  /** The run of {@link sealPending} that has not begun. */
  #sealing: { readonly before: number | undefined; readonly run: Promise<void> } | undefined

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
    if (this.#automine) await this.#seal()
  }

  /**
   * Resolves once a send can prepare a transaction on the newest state: in its turn, and if sends are sealed at once, on the
   * state that the transaction is executed on. Undefined if that is so now.
   *
   * @param seals - whether what waits is sealed first.
   * @throws DisconnectedError if the turn was given up meanwhile.
   */
  prepare(turn: SendTurn, seals = true): Promise<void> | undefined {
    const changes = turn.afterChanges()
    if (changes !== undefined) return changes.then(() => this.prepare(turn, seals))
    if (!this.#automine) return turn.begin()
    return this.#prepareOnSealed(turn, seals)
  }

  async #prepareOnSealed(turn: SendTurn, seals: boolean): Promise<void> {
    await turn.afterSeals()
    if (seals) await this.#seal(turn.place)
    turn.check()
  }

  /** Seals what a send has entered; undefined if it is not sealed at once. */
  sealEntered(turn: SendTurn): Promise<void> | undefined {
    return turn.isSealing ? this.#sealEntered(turn) : undefined
  }

  async #sealEntered(turn: SendTurn): Promise<void> {
    const earlier = turn.beforeSeal()
    if (earlier !== undefined) await earlier
    await this.#seal(turn.sealedBefore)
    turn.end()
  }

  /** Equal calls that arrive before it begins share one run. @param before - see `Sequencer.sealPending`. */
  #seal(before?: number): Promise<void> {
    const waiting = this.#sealing
    if (waiting !== undefined && waiting.before === before) return waiting.run
    const begin = (): void => {
      if (this.#sealing === sealing) this.#sealing = undefined
    }
    const sealing = { before, run: this.#sequencer.sealPending(before, begin) }
    this.#sealing = sealing
    return sealing.run
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
