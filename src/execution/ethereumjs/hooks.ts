/** What an execution is watched for: the hooks as the EVM's frames see them, and the logs they capture. */

import type { Log } from '../../ledger/block.ts'
import type { Address, Hash } from '../../types.ts'
import { type CapturedLog, type Hooks, type Included, TRANSFERS_ADDRESS } from '../executor.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The hooks of the operation under way. */
export interface Watch extends Pick<Hooks, 'precompiles' | 'onAccess'> {
  readonly capture: LogCapture | undefined
}

/** What an execution with these hooks is watched for; undefined where there is nothing. */
export function createWatch(hooks: Hooks | undefined): Watch | undefined {
  if (hooks === undefined) return undefined
  const { captureLogs, traceTransfers = false } = hooks
  const capture = captureLogs || traceTransfers ? new LogCapture(traceTransfers) : undefined
  return { ...hooks, capture }
}

/**
 * The logs of one execution, frame by frame, as eth_simulateV1 counts them.
 *
 * A frame's transfer of ether comes before its logs, but who is paid is only known at the end where the frame creates
 * a contract; so a frame keeps a place on entering, and fills it on leaving.
 */
export class LogCapture {
  readonly #transfers: boolean
  readonly #logs: CapturedLog[] = []
  #count = 0

  constructor(transfers: boolean) {
    this.#transfers = transfers
  }

  /** A log of the frame under way. */
  log(log: Log): void {
    this.#logs.push({ ...log, index: this.#count++ })
  }

  /** Ether moves within the frame under way; nothing where it is none. */
  transfer(from: Address, to: Address, value: bigint): void {
    if (this.#transfers && value > 0n) this.log(transferLog(from, to, value))
  }

  /** A frame begins that is given `value`. @returns what `leave` and `drop` know it by. */
  enter(value: bigint): FrameLogs {
    const paid = this.#transfers && value > 0n
    const start = this.#logs.length
    if (paid) this.log(NO_LOG)
    return { start, value: paid ? value : 0n }
  }

  /** The frame ended well: its logs stand, as far as those around it do. */
  leave({ start, value }: FrameLogs, from: Address, to: Address): void {
    if (value > 0n) this.#logs[start] = { ...transferLog(from, to, value), index: this.#logs[start]!.index }
  }

  /** The frame failed: its logs fall away, but stay counted. */
  drop({ start }: FrameLogs): void {
    this.#logs.length = start
  }

  /** Everything captured; see {@link Included.captured}. */
  result(): NonNullable<Included['captured']> {
    return { logs: this.#logs, count: this.#count }
  }
}

/** A frame whose logs are being captured. */
export interface FrameLogs {
  readonly start: number
  /** The wei transferred; zero where that is not captured. */
  readonly value: bigint
}

const NO_LOG: Log = { address: TRANSFERS_ADDRESS, topics: [], data: '0x' }

function transferLog(from: Address, to: Address, value: bigint): Log {
  return {
    address: TRANSFERS_ADDRESS,
    topics: [TRANSFER_TOPIC, toWord(from), toWord(to)],
    data: `0x${value.toString(16).padStart(64, '0')}`,
  }
}

function toWord(address: Address): Hash {
  return `0x${address.slice(2).padStart(64, '0')}`
}
