import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hash } from '../../../src/base/types.ts'
import { Canonical } from '../../../src/core/ledger/canonical.ts'
import { word as hash } from '../../words.ts'

const hashAt = (number: bigint): Hash => hash(Number(number))
const hashesOf = (chain: Canonical) => Array.from({ length: chain.length }, (_, i) => chain.at(BigInt(i)))

describe('Canonical', () => {
  it('has the hash at every number from genesis to its head, and none beyond', () => {
    const chain = new Canonical([hash(0)]).append(hash(1))
    expect([-1n, 0n, 1n, 2n].map((number) => chain.at(number))).toEqual([
      undefined,
      hash(0),
      hash(1),
      undefined,
    ])
    expect(chain.length).toBe(2)
  })

  it('has the hashes before its start from elsewhere', () => {
    const chain = new Canonical([hash(5)], { first: 5, earlier: hashAt }).append(hash(6))
    expect(hashesOf(chain)).toEqual([0, 1, 2, 3, 4, 5, 6].map(hash))
    expect(hashesOf(chain.until(5n))).toEqual([0, 1, 2, 3, 4, 5].map(hash))
    expect([-1n, 7n].map((number) => chain.at(number))).toEqual([undefined, undefined])
  })

  it('is unchanged by appends to it and to its successors', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (parents) => {
        const chains = [{ chain: new Canonical([hash(0)]), hashes: [hash(0)] }]
        for (const [i, at] of parents.entries()) {
          const parent = chains[at % chains.length]!
          chains.push({ chain: parent.chain.append(hash(i + 1)), hashes: [...parent.hashes, hash(i + 1)] })
        }
        for (const { chain, hashes } of chains) expect(hashesOf(chain)).toEqual(hashes)
      }),
    )
  })
})
