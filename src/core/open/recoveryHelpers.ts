/**
 * The recovery of senders by workers and this thread together.
 *
 * Owns: this chain's use of the pool, and how many of the queue are given out. Does not own the queue.
 *
 *   first ◄── in order ── queue ──────────────────────────────────── last
 *   enter │ given out to workers, or recovered here │ not given out
 *
 * This thread never waits for a worker: if nothing is left to give out, it recovers what workers have not answered yet,
 * the last first. So a worker that stops, or is slow, delays nothing and loses nothing.
 */

import { bigintToBytes32 } from '../../base/bytes.ts'
import { CURVE_ORDER, HALF_CURVE_ORDER } from '../../base/crypto/crypto.ts'
import { REQUEST_SIZE, readKey } from '../../base/crypto/recoveryMessages.ts'
import { type RecoveryPool, type RecoveryWorker, usePool } from '../../base/crypto/recoveryPool.ts'
import { createYielder } from '../../base/waiting.ts'
import { decodeFields, recoverSender } from '../../ethereum/decodeTransaction.ts'
import type { Arrival, ArrivalQueue, RecoveryParts } from './arrivalQueue.ts'

/** Requests that a worker has at once, so that it need not wait for the next one. */
const PER_WORKER = 2
/** The most signatures of a request: a few milliseconds of work. */
const MAX_REQUEST = 32
/** Milliseconds after which this thread looks for answers. */
const SLICE_MS = 1

/**
 * Loads what workers need, and starts them or joins those that run.
 *
 * @param isClosed - whether the chain was closed meanwhile; then none is started.
 */
export async function openHelpers(
  parts: RecoveryParts,
  isClosed: () => boolean,
): Promise<Helpers | undefined> {
  const { curveBinary } = await import('../../base/crypto/secp256k1Wasm.ts')
  return isClosed() ? undefined : new Helpers(parts, usePool(curveBinary, parts.recoveryScript))
}

/** See the file's header. */
export class Helpers {
  readonly #parts: RecoveryParts
  readonly #pool: RecoveryPool
  #queue: ArrivalQueue | undefined
  /** How many at the front of the queue are given out. */
  #given = 0

  constructor(parts: RecoveryParts, pool: RecoveryPool) {
    this.#parts = parts
    this.#pool = pool
  }

  /** Whether no worker was started, as on a host with one core. */
  get areNone(): boolean {
    return this.#pool.workers.length === 0
  }

  /** Whether a worker is ready. */
  get areReady(): boolean {
    return this.#pool.workers.some(({ isReady }) => isReady)
  }

  /** Recovers the senders and admits the transactions, until the queue is empty or no worker is ready. */
  async drain(queue: ArrivalQueue, admit: (arrival: Arrival) => void): Promise<void> {
    const pause = createYielder(this.#parts.clock, SLICE_MS)
    this.#queue = queue
    this.#given = 0
    while (queue.length > 0 && this.areReady) {
      this.#give()
      if (queue.at(0).isPrepared) {
        admit(queue.shift())
        this.#given = Math.max(0, this.#given - 1)
      } else this.#recoverOne(queue)
      await pause()
    }
    this.#queue = undefined
  }

  /** Ends the use of the workers. */
  async close(): Promise<void> {
    await this.#pool.release()
  }

  #give(): void {
    for (const worker of this.#pool.workers) {
      while (this.#queue !== undefined && worker.isReady && worker.pending < PER_WORKER) {
        if (!this.#giveTo(worker, this.#queue)) break
      }
    }
  }

  /** @returns false if the rest is left to this thread. */
  #giveTo(worker: RecoveryWorker, queue: ArrivalQueue): boolean {
    // Smaller at the end, so that all finish at the same time.
    const shares = this.#pool.workers.length * PER_WORKER + 1
    const size = Math.min(MAX_REQUEST, Math.floor((queue.length - this.#given) / shares))
    const given: Arrival[] = []
    for (let left = size; left > 0; left--) {
      const arrival = queue.at(this.#given)
      this.#given += 1
      if (!arrival.isPrepared && this.#decode(arrival)) given.push(arrival)
    }
    if (given.length > 0) {
      worker.send(toRequest(given), (answer) => {
        if (answer === undefined) return
        for (const [index, arrival] of given.entries()) this.#accept(arrival, readKey(answer, index))
        this.#give()
      })
    }
    return size > 0
  }

  /** A sender that the worker cannot recover is left to the transaction's turn, which finds the exact error. */
  #accept(arrival: Arrival, key: Uint8Array | undefined): void {
    if (key !== undefined) arrival.sender = this.#parts.crypto.addressOf(key)
    arrival.isPrepared = true
  }

  #recoverOne(queue: ArrivalQueue): void {
    let index = this.#given
    if (index < queue.length) this.#given += 1
    else
      do index -= 1
      while (queue.at(index).isPrepared)
    const arrival = queue.at(index)
    if (arrival.isPrepared || !this.#decode(arrival)) return
    try {
      arrival.sender = recoverSender(arrival.decoded!.signed, this.#parts.crypto)
    } catch {
      // Thrown again in its turn.
    }
    arrival.isPrepared = true
  }

  /** @returns whether a sender can be recovered ahead. */
  #decode(arrival: Arrival): boolean {
    const { rules, crypto } = this.#parts
    try {
      if (arrival.decoded === undefined) {
        const now = rules()
        arrival.decoded = { ...decodeFields(arrival.raw, now, crypto), rules: now }
      }
      const { r, s } = arrival.decoded.signed
      // Of a signature that is refused (EIP-2) a worker might recover a signer.
      if (r < CURVE_ORDER && s <= HALF_CURVE_ORDER) return true
    } catch {
      // Thrown again in its turn.
    }
    arrival.isPrepared = true
    return false
  }
}

function toRequest(arrivals: readonly Arrival[]): Uint8Array<ArrayBuffer> {
  const request = new Uint8Array(arrivals.length * REQUEST_SIZE)
  for (const [index, { decoded }] of arrivals.entries()) {
    const { hash, r, s, yParity } = decoded!.signed
    const at = index * REQUEST_SIZE
    request.set(hash, at)
    request.set(bigintToBytes32(r), at + 32)
    request.set(bigintToBytes32(s), at + 64)
    request[at + 96] = yParity
  }
  return request
}
