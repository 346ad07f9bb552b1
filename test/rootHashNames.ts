/** Shows the hashes of `rootHashes.ts` by their names in inline snapshots. Loaded once, by `harness.ts`. */
import { expect } from 'vitest'
import { ROOT_HASHES } from './rootHashes.ts'

/** Whole hashes, and the first eight bytes that a long answer is abbreviated to. */
const HASH = /0x(?:[0-9a-f]{64}|[0-9a-f]{16})(?![0-9a-f])/g

const names = new Map<string, string>()
for (const [name, hash] of Object.entries(ROOT_HASHES)) names.set(hash, name).set(hash.slice(0, 18), name)

/** A text with the names in place of the hashes. */
export function nameHashes(text: string): string {
  return text.replace(HASH, (hash) => {
    const name = names.get(hash)
    return name === undefined ? hash : `<${name}>`
  })
}

expect.addSnapshotSerializer({
  test: (value) => typeof value === 'string' && nameHashes(value) !== value,
  serialize: (value: string, config, indentation, depth, refs, printer) =>
    printer(nameHashes(value), config, indentation, depth, refs),
})
