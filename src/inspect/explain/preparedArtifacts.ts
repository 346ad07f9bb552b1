/**
 * Artifacts with what is derived from them.
 *
 * Owns: the results by object, so that artifacts that are passed again are not read again.
 */
import type { Crypto } from '../../base/crypto/crypto.ts'
import { ConsoleDecoder } from '../../core/trace/consoleDecoder.ts'
import { AbiDecoder } from './abi.ts'
import { type ReadArtifacts, readArtifacts } from './artifacts.ts'
import { Identifier } from './identify.ts'

/** Artifacts, ready to explain executions. */
export interface PreparedArtifacts extends ReadArtifacts {
  readonly crypto: Crypto
  readonly identifier: Identifier
  readonly abi: AbiDecoder
  readonly console: ConsoleDecoder
}

const prepared = new WeakMap<object, PreparedArtifacts>()

/** Prepares artifacts; cached by object. @param artifacts - anything; see {@link readArtifacts}. */
export function prepareArtifacts(artifacts: unknown, crypto: Crypto): PreparedArtifacts {
  const key = typeof artifacts === 'object' && artifacts !== null ? artifacts : undefined
  const known = key && prepared.get(key)
  if (known !== undefined) return known
  const read = readArtifacts(artifacts)
  const made = {
    ...read,
    crypto,
    identifier: new Identifier(read.contracts),
    abi: new AbiDecoder(crypto, read.contracts),
    console: new ConsoleDecoder(crypto),
  }
  if (key !== undefined) prepared.set(key, made)
  return made
}
