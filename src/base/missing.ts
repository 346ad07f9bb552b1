/** Lets synchronous code read what is not loaded yet: the read throws, the caller loads it and runs the code again. */
import type { MaybePromise } from './types.ts'

/**
 * Something that is read is not loaded yet: an entry of a state source, or a library.
 *
 * Not a failure: a caller that can wait awaits `load` and runs its code again. Code that throws it must not
 * have changed anything that the second run reads.
 */
export class Missing extends Error {
  override name = 'Missing'
  readonly kind = 'missing'
  /** Loads it. Rejects if it cannot be loaded. */
  readonly load: () => Promise<void>
  constructor(load: () => Promise<void>) {
    super('a value was read before it was loaded')
    this.load = load
  }
}

/**
 * Runs `run` until nothing it reads is missing. A run that throws {@link Missing} must leave nothing changed.
 *
 * @returns what `run` returns; a promise only if `run` returns one or something had to be loaded.
 */
export function whenLoaded<Value>(run: () => MaybePromise<Value>): MaybePromise<Value> {
  const runAgain = async (reason: unknown): Promise<Value> => {
    if (!(reason instanceof Missing)) throw reason
    await reason.load()
    return whenLoaded(run)
  }
  try {
    const value = run()
    return value instanceof Promise ? value.catch(runAgain) : value
  } catch (reason) {
    return runAgain(reason)
  }
}

/**
 * A function that returns what `load` resolves to. Until it has, the function throws a {@link Missing} that calls
 * `load`.
 */
export function lazily<Library>(load: () => Promise<Library>): () => Library {
  let library: Library | undefined
  return () => {
    if (library === undefined) {
      throw new Missing(async () => {
        library = await load()
      })
    }
    return library
  }
}
