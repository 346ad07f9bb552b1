/**
 * Mining modes: a block after each send, by the clock, both, or neither. Owns: the next run of seals, which sends
 * share. Does not own the modes (the settings do), nor the timer (the sequencer does).
 */
import type { MiningModes } from '../block/settings.ts'
import type { SendTurn } from './order.ts'
import type { Sequencer } from './sequencer.ts'
import type { Tip } from './tip.ts'

/** Returns the mining modes that requests have set; by default the modes of the options. */
export function modesOf({ base, settings }: Pick<Tip, 'base' | 'settings'>): MiningModes {
  const { mining, blockTime } = base.options
  return settings.modes ?? { automine: mining === 'auto', isRunning: mining === 'interval', blockTime }
}

/** See the file's header. */
export class Mining {
  readonly #sequencer: Sequencer
  /** The run of `Sequencer.sealPending` that has not begun. */
  #sealing: { readonly before: number | undefined; readonly run: Promise<void> } | undefined

  constructor(sequencer: Sequencer) {
    this.#sequencer = sequencer
  }

  /**
   * Starts the timer if blocks are made by the clock.
   *
   * @param slotStart - when the stored slot started, in milliseconds; default: a new slot starts now.
   * @param ticks - see `SlotTimer.start`.
   */
  begin(slotStart?: number, ticks?: number): void {
    const { isRunning, blockTime } = modesOf(this.#sequencer.tip)
    this.#sequencer.timer.blockTime = blockTime
    if (isRunning) this.#sequencer.timer.start(slotStart, ticks)
  }

  /** Whether sends are sealed before they are answered. */
  get automine(): boolean {
    const { base, settings } = this.#sequencer.tip
    return settings.modes?.automine ?? base.options.mining === 'auto'
  }

  /** Whether blocks are made without a request for one. */
  get isOn(): boolean {
    return this.automine || this.#sequencer.timer.isRunning
  }

  /** Milliseconds between blocks; undefined if the clock makes none. */
  get blockTime(): number | undefined {
    return this.#sequencer.timer.isRunning ? this.#sequencer.timer.blockTime : undefined
  }

  /** Switches automine. @param seals - whether switching it on seals waiting transactions. */
  async setAutomine(on: boolean, seals = true): Promise<void> {
    await this.#set({ automine: on })
    if (seals) await this.sealPending()
  }

  /** Sets the milliseconds between blocks; 0 stops the timer. */
  setBlockTime(ms: number): Promise<void> {
    return this.#set(ms === 0 ? { isRunning: false } : { isRunning: true, blockTime: ms })
  }

  /** Starts the timer if the option `mining` is `interval`; otherwise switches automine on. */
  async resume(): Promise<void> {
    if (this.#sequencer.tip.base.options.mining === 'interval') await this.#set({ isRunning: true })
    else await this.setAutomine(true)
  }

  /** Switches automine and the timer off: blocks are made on request only. */
  pause(): Promise<void> {
    return this.#set({ automine: false, isRunning: false })
  }

  async sealPending(): Promise<void> {
    if (this.automine) await this.#seal()
  }

  /**
   * Resolves when a send may prepare its transaction, which is when its turn comes. In automine, all earlier sends are
   * sealed first and, with `seals`, all waiting transactions. Returns undefined if the send need not wait.
   *
   * @throws DisconnectedError if the turn was given up meanwhile.
   */
  prepare(turn: SendTurn, seals = true): Promise<void> | undefined {
    const changes = turn.afterChanges()
    if (changes !== undefined) return changes.then(() => this.prepare(turn, seals))
    if (!this.automine) return turn.begin()
    return this.#prepareOnSealed(turn, seals)
  }

  async #prepareOnSealed(turn: SendTurn, seals: boolean): Promise<void> {
    await turn.afterSeals()
    if (seals) await this.#seal(turn.place)
    turn.check()
  }

  /** Seals the transaction of a send in automine. Returns undefined if there is nothing to seal. */
  sealEntered(turn: SendTurn): Promise<void> | undefined {
    return turn.isSealing ? this.#sealEntered(turn) : undefined
  }

  async #sealEntered(turn: SendTurn): Promise<void> {
    const earlier = turn.beforeSeal()
    if (earlier !== undefined) await earlier
    await this.#seal(turn.sealedBefore)
    turn.end()
  }

  /** Seals in the run that has not begun, if its `before` is the same; otherwise in a new run. */
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
  #set(change: Partial<MiningModes>): Promise<void> {
    const { timer, events } = this.#sequencer
    return this.#sequencer.exclusive(async ({ set }) => {
      const { isRunning, blockTime: before } = timer
      const now = { automine: this.automine, isRunning, blockTime: before }
      await set((settings) => ({ ...settings, modes: { ...now, ...change } }))
      if (change.blockTime !== undefined) timer.blockTime = change.blockTime
      if (change.isRunning === true) timer.start()
      if (change.isRunning === false) timer.stop()
      if (timer.blockTime !== before) events.emit('blockTimeChanged', timer.blockTime)
    })
  }
}
