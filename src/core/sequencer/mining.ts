/**
 * When blocks are made without a request for one: after each send, by the clock, both, or neither.
 *
 * Does not own the modes (the settings do), the timer (the sequencer does), nor the order of sends.
 */
import type { MiningModes } from '../block/settings.ts'
import type { SendTurn } from './order.ts'
import type { Sequencer } from './sequencer.ts'
import type { Tip } from './tip.ts'

/** When blocks are made: as requests have set it, or as the options say. */
export function modesOf({ base, settings }: Pick<Tip, 'base' | 'settings'>): MiningModes {
  const { mining, blockTime } = base.options
  return settings.modes ?? { automine: mining === 'auto', isRunning: mining === 'interval', blockTime }
}

/** See the file's header. */
export class Mining {
  readonly #sequencer: Sequencer
  /** The run of {@link sealPending} that has not begun. */
  #sealing: { readonly before: number | undefined; readonly run: Promise<void> } | undefined

  constructor(sequencer: Sequencer) {
    this.#sequencer = sequencer
  }

  /** Starts the timer if blocks are made by the clock. */
  begin(): void {
    const { isRunning, blockTime } = modesOf(this.#sequencer.tip)
    this.#sequencer.timer.blockTime = blockTime
    if (isRunning) this.#sequencer.timer.start()
  }

  /** Whether a send is sealed before it is answered. */
  get automine(): boolean {
    const { base, settings } = this.#sequencer.tip
    return settings.modes?.automine ?? base.options.mining === 'auto'
  }

  /** Whether blocks are made without a request for one. */
  get isOn(): boolean {
    return this.automine || this.#sequencer.timer.isRunning
  }

  /** Milliseconds from block to block by the clock; undefined if none are made by it. */
  get blockTime(): number | undefined {
    return this.#sequencer.timer.isRunning ? this.#sequencer.timer.blockTime : undefined
  }

  /** Switches sealing at each send on or off. @param seals - whether switching it on seals what waits. */
  async setAutomine(on: boolean, seals = true): Promise<void> {
    await this.#set({ automine: on })
    if (seals) await this.sealPending()
  }

  /** Sets the milliseconds from block to block; with 0 none are made by the clock. */
  setBlockTime(ms: number): Promise<void> {
    return this.#set(ms === 0 ? { isRunning: false } : { isRunning: true, blockTime: ms })
  }

  /** Mines as the chain was configured at creation; a chain created with `manual` mining seals at each send. */
  async resume(): Promise<void> {
    if (this.#sequencer.tip.base.options.mining === 'interval') await this.#set({ isRunning: true })
    else await this.setAutomine(true)
  }

  /** Makes blocks on request only. */
  pause(): Promise<void> {
    return this.#set({ automine: false, isRunning: false })
  }

  /** Seals what waits, if sends are sealed at once. */
  async sealPending(): Promise<void> {
    if (this.automine) await this.#seal()
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
    if (!this.automine) return turn.begin()
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
