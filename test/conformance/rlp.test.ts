import { describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToHex, hexToBytes } from '../../src/base/bytes.ts'
import { InvalidRlpError } from '../../src/base/errors.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/base/rlp.ts'
import type { Hex } from '../../src/base/types.ts'
import { readJson } from './folder.ts'
import { RLP_TESTS } from './served.ts'

/** The tests of a file: an item and its encoding, or only whether the encoding is valid. */
type RlpTests = Readonly<Record<string, { readonly in: Value; readonly out: string }>>

/** Text, an integer (`#` and digits for a large one), or a list. */
type Value = string | number | readonly Value[]

const [VALID, INVALID] = ['VALID', 'INVALID']

function toItem(value: Value): RlpItem {
  if (typeof value === 'number') return bigintToBytes(BigInt(value))
  if (typeof value !== 'string') return value.map(toItem)
  return value.startsWith('#') ? bigintToBytes(BigInt(value.slice(1))) : new TextEncoder().encode(value)
}

/** The item that some bytes encode; `INVALID` if they are not RLP. */
function decode(bytes: Uint8Array): RlpItem | string {
  try {
    return decodeRlp(bytes)
  } catch (error) {
    if (!(error instanceof InvalidRlpError)) throw error
    return INVALID!
  }
}

const folder = RLP_TESTS

describe('RLP tests', () => {
  if (folder === undefined) {
    it.skip('decodes and encodes what ethereum/tests do: PRESEAL_ETHEREUM_TESTS names no folder', () => {})
  } else {
    it('decodes and encodes what ethereum/tests do', async () => {
      const expected: Record<string, unknown> = {}
      const got: Record<string, unknown> = {}
      for (const file of await folder.list()) {
        for (const [name, { in: value, out }] of Object.entries(await readJson<RlpTests>(folder, file))) {
          // Some encodings have no prefix, and some have capital letters.
          const hex = `0x${out.replace(/^0x/, '').toLowerCase()}` as Hex
          const decoded = decode(hexToBytes(hex))
          const encoded = typeof decoded === 'string' ? undefined : bytesToHex(encodeRlp(decoded))
          const item = value === VALID ? decoded : value === INVALID ? INVALID : toItem(value)
          expected[`${file} ${name}`] = [item, value === INVALID ? undefined : hex]
          got[`${file} ${name}`] = [decoded, encoded]
        }
      }
      expect(Object.values(expected).length).toBeGreaterThan(0)
      expect(got).toEqual(expected)
    })
  }
})
