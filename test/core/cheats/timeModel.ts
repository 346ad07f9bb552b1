/**
 * What the cheats of time do to the timestamps of blocks, as the table of docs/features/snapshots.md says it: a model of a
 * chain that has nothing but a clock, a time and timestamps.
 */

/** How the blocks of a chain are made. */
export interface TimeOptions {
  /** Milliseconds from seal to seal by the clock; undefined if none are made by it. */
  readonly blockTime?: number
  readonly allowBlocksWithSameTimestamp: boolean
}

/** A chain, by its times alone. All times are since the Unix epoch. */
export class TimeModel {
  readonly #options: TimeOptions
  /** Milliseconds of the clock. */
  #now: number
  /** When the slot began, in milliseconds of the clock; undefined if no blocks are made by it. */
  #slot: number | undefined
  /** Milliseconds by which the chain's time is ahead of the clock. */
  #offset = 0
  /** Seconds. */
  #interval: number | undefined
  /** The timestamp that was set for the next block in seconds; `time` if it follows the chain's time despite an interval. */
  #next: number | 'time' | undefined
  /** Seconds, of all sealed blocks. */
  #sealed: readonly number[]
  /** The timestamp of the block under construction, in seconds, if it has a transaction. */
  #shown: number | undefined

  /** @param start - the clock's time at genesis, in milliseconds. */
  constructor(start: number, options: TimeOptions) {
    this.#options = options
    this.#now = start
    this.#slot = options.blockTime === undefined ? undefined : start
    this.#sealed = [Math.floor(start / 1000)]
  }

  /** The timestamps of all blocks, in seconds. */
  get timestamps(): readonly number[] {
    return this.#sealed
  }

  /** See {@link TimeModel.#shown}. */
  get shown(): number | undefined {
    return this.#shown
  }

  /** The timestamp of the head, in seconds. */
  get head(): number {
    return this.#sealed.at(-1)!
  }

  /** The lowest timestamp that can be set for the next block, in seconds. */
  get least(): number {
    return this.head + (this.#options.allowBlocksWithSameTimestamp ? 0 : 1)
  }

  /** The clock's time, in milliseconds, by which the next block gets its timestamp. */
  get #ms(): number {
    return this.#slot === undefined ? this.#now : this.#slot + this.#options.blockTime!
  }

  /** What the next block's timestamp would be. */
  #timestamp(): number {
    if (this.#next === undefined && this.#interval !== undefined) return this.head + this.#interval
    const time = Math.floor((this.#ms + this.#offset) / 1000)
    return Math.max(typeof this.#next === 'number' ? this.#next : time, this.least)
  }

  #changed(): void {
    if (this.#shown !== undefined) this.#shown = this.#timestamp()
  }

  /** A transaction enters the block under construction. */
  include(): void {
    this.#shown ??= this.#timestamp()
  }

  seal(): void {
    const timestamp = this.#shown ?? this.#timestamp()
    if (typeof this.#next === 'number') this.#offset = 1000 * timestamp - this.#now
    if (this.#slot !== undefined) this.#slot = this.#now
    this.#next = undefined
    this.#shown = undefined
    this.#sealed = [...this.#sealed, timestamp]
  }

  /** The head is replaced by an empty block. */
  reorg(): void {
    this.#sealed = this.#sealed.slice(0, -1)
    this.#shown = undefined
    this.seal()
  }

  advance(ms: number): void {
    const end = this.#now + ms
    while (this.#slot !== undefined && this.#ms <= end) {
      this.#now = this.#ms
      this.seal()
    }
    this.#now = end
  }

  increaseTime(seconds: number): void {
    const ms = this.#ms
    this.#offset = Math.max(ms + this.#offset, 1000 * this.head) + 1000 * seconds - ms
    this.#next = 'time'
    this.#changed()
  }

  setTime(ms: number): void {
    this.#offset = ms - this.#now
    this.#next = 'time'
    this.#changed()
  }

  setNext(timestamp: number): void {
    this.#next = timestamp
    this.#changed()
  }

  setInterval(seconds: number | undefined): void {
    this.#interval = seconds
    this.#changed()
  }

  /** Blocks after a first one, each `spacing` seconds after the one before, or by the time. */
  mine(blocks: number, spacing = 0): void {
    for (let sealed = 0; sealed < blocks; sealed++) {
      if (sealed > 0 && spacing > 0) this.setNext(this.head + spacing)
      this.seal()
    }
  }

  /** Blocks before each of which the time is moved. */
  mineAfter(blocks: number, seconds: number): void {
    for (let sealed = 0; sealed < blocks; sealed++) {
      if (seconds > 0) this.increaseTime(seconds)
      this.seal()
    }
  }

  get hasInterval(): boolean {
    return this.#interval !== undefined
  }

  /** Captures the chain; the returned function reverts to it. The clock goes on. */
  snapshot(): () => void {
    const [now, offset, interval, next] = [this.#now, this.#offset, this.#interval, this.#next]
    const [sealed, shown] = [this.#sealed, this.#shown]
    return () => {
      this.#offset = offset + now - this.#now
      this.#interval = interval
      this.#next = next
      this.#sealed = sealed
      this.#shown = shown
    }
  }
}

/** A cheat with two numbers from 0 to 20. */
export interface TimeCheat {
  /** @param head - the head's timestamp, in seconds. */
  params(a: number, b: number, head: number): readonly unknown[]
  /** Applies it to the model. */
  apply(model: TimeModel, a: number, b: number): void
}

const increaseTime: TimeCheat = {
  params: (a, b) => [100 * a + b],
  apply: (model, a, b) => model.increaseTime(100 * a + b),
}
/** From ten seconds before the head on, in seconds or in milliseconds. */
const setTime: TimeCheat = {
  params: (a, b, head) => [b % 2 === 0 ? head + 5 * a - 10 : 1000 * (head + 5 * a - 10) + 50 * b],
  apply: (model, a, b) => model.setTime(1000 * (model.head + 5 * a - 10) + (b % 2 === 0 ? 0 : 50 * b)),
}
/** From two seconds before the head on. */
const setNextBlockTimestamp: TimeCheat = {
  params: (a, b, head) => [head + a * b - 2],
  apply: (model, a, b) => {
    const timestamp = model.head + a * b - 2
    if (timestamp >= model.least) model.setNext(timestamp)
  },
}
const setInterval: TimeCheat = { params: (a) => [a], apply: (model, a) => model.setInterval(a) }
const setIntervalInMs: TimeCheat = {
  params: (a, b) => [100 * a * b],
  apply: (model, a, b) => {
    const ms = 100 * a * b
    model.setInterval(ms === 0 ? 0 : Math.max(1, Math.floor(ms / 1000)))
  },
}
const removeInterval: TimeCheat = { params: () => [], apply: (model) => model.setInterval(undefined) }
const mineAfter: TimeCheat = {
  params: (a, b) => (b === 20 ? [a % 4] : [a % 4, b]),
  apply: (model, a, b) => model.mineAfter(a % 4, b === 20 ? 0 : b),
}
const mineSpaced: TimeCheat = {
  params: (a, b) => (b === 20 ? [a % 4] : [a % 4, b]),
  apply: (model, a, b) => model.mine(a % 4, b === 20 ? (model.hasInterval ? 0 : 1) : b),
}
const mineAt: TimeCheat = {
  params: (a, b, head) => [{ timestamp: head + b - 2, blocks: a % 4 }],
  apply: (model, a, b) => {
    const [blocks, timestamp] = [a % 4, model.head + b - 2]
    if (blocks === 0 || timestamp < model.least) return
    model.setNext(timestamp)
    model.mine(blocks)
  },
}

/** All cheats of time by the names of their requests. */
export const TIME_CHEATS: Readonly<Record<string, TimeCheat>> = {
  ...ofPrefixes('increaseTime', increaseTime),
  ...ofPrefixes('setTime', setTime),
  ...ofPrefixes('setNextBlockTimestamp', setNextBlockTimestamp),
  ...ofPrefixes('setBlockTimestampInterval', setInterval),
  ...ofPrefixes('removeBlockTimestampInterval', removeInterval),
  hardhat_setBlockTimestampInterval: setIntervalInMs,
  anvil_mine: mineAfter,
  ganache_mine: mineAfter,
  hardhat_mine: mineSpaced,
  evm_mine: mineAt,
}

function ofPrefixes(name: string, cheat: TimeCheat): Readonly<Record<string, TimeCheat>> {
  const names = ['anvil', 'evm', 'ganache', 'hardhat'].map((prefix) => `${prefix}_${name}`)
  return Object.fromEntries(names.map((full) => [full, cheat]))
}
