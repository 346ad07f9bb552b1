/** Why transactions left the mempool without being included; the last 10,000 of them. */
import type { DropReason, Hash } from '../types.ts'

const REMEMBERED = 10_000

/** The dropped hashes with their reasons, the oldest forgotten first. */
export class DropMemory {
  readonly #reasons = new Map<Hash, DropReason>()

  /** Remembers a hash as the newest. */
  add(hash: Hash, reason: DropReason): void {
    this.#reasons.delete(hash)
    this.#reasons.set(hash, reason)
    if (this.#reasons.size <= REMEMBERED) return
    for (const oldest of this.#reasons.keys()) {
      this.#reasons.delete(oldest)
      break
    }
  }

  /** Forgets a hash. */
  delete(hash: Hash): void {
    this.#reasons.delete(hash)
  }

  /** Why this one left; undefined where it is not remembered. */
  get(hash: Hash): DropReason | undefined {
    return this.#reasons.get(hash)
  }
}
