/** External blocks of every hardfork, and the fields in answers that preseal's own blocks do not have. */
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../src/base/bytes.ts'
import { createChain, createManualClock, type Hash, type Hex, type PresealChain } from '../../src/index.ts'
import { externalChain, GENESIS, SENDER, toBytes } from '../core/import/externalChain.ts'
import { expectProven } from '../proofs.ts'
import { ask } from './scene.ts'

type Fields = readonly Uint8Array[]

/** A block with its fields as decoded from RLP. */
interface Imported {
  readonly number: Hex
  readonly hash: Hash
  readonly rlp: Hex
  readonly header: Fields
  readonly uncles: readonly Fields[]
  readonly withdrawals: readonly Fields[] | undefined
}

/** Indices of header fields (Yellow Paper, section 4.3). */
const [PARENT, MINER, STATE_ROOT, RECEIPT_ROOT, DIFFICULTY, NUMBER] = [0, 2, 3, 5, 7, 8] as const

describe('imported blocks', () => {
  let chain: PresealChain
  let blocks: readonly Imported[]
  beforeAll(async () => {
    const external = await externalChain()
    const clock = createManualClock(1_000_000)
    chain = await createChain({ mining: 'manual', clock, genesis: GENESIS, blocks: toBytes(external) })
    blocks = external.map(({ rlp, hash }, i) => {
      const [header, , uncles, withdrawals] = RLP.decode(rlp) as unknown as [
        Fields,
        unknown,
        Fields[],
        Fields[],
      ]
      return { number: `0x${(i + 1).toString(16)}`, hash, rlp: bytesToHex(rlp), header, uncles, withdrawals }
    })
  })
  afterAll(() => chain.close())

  it('are encoded to the imported bytes, with their uncles and withdrawals', async () => {
    for (const { number, hash, rlp } of blocks) {
      expect(await chain.standard.request({ method: 'debug_getRawBlock', params: [number] })).toBe(rlp)
      expect(await chain.preconf.request({ method: 'debug_getRawBlock', params: [hash] })).toBe(rlp)
      const header = await chain.standard.request({ method: 'debug_getRawHeader', params: [number] })
      expect(keccak256(header)).toBe(hash)
    }
    expect(blocks.some(({ uncles }) => uncles.length > 0)).toBe(true)
    expect(blocks.some(({ withdrawals }) => withdrawals?.length)).toBe(true)
  })

  it('have receipts that match their roots', async () => {
    for (const { number, header } of blocks) {
      const raws = await chain.standard.request({ method: 'debug_getRawReceipts', params: [number] })
      const trie = await createMPT()
      for (const [i, raw] of raws.entries()) await trie.put(RLP.encode(i), hexToBytes(raw))
      expect(trie.root()).toEqual(header[RECEIPT_ROOT])
    }
  })

  it('have account proofs that are valid under their state roots', async () => {
    for (const { number, header } of blocks) {
      const proof = await chain.standard.request({ method: 'eth_getProof', params: [SENDER, [], number] })
      await expectProven(bytesToHex(header[STATE_ROOT]!), proof)
    }
  })

  it('have uncles, returned as blocks without transactions', async () => {
    let returned = 0
    for (const { number, hash, uncles } of blocks) {
      const count = `0x${uncles.length}`
      expect(await ask(chain.standard, 'eth_getUncleCountByBlockNumber', [number])).toBe(count)
      expect(await ask(chain.standard, 'eth_getUncleCountByBlockHash', [hash])).toBe(count)
      for (const [i, header] of uncles.entries()) {
        const uncle = await ask(chain.standard, 'eth_getUncleByBlockNumberAndIndex', [number, `0x${i}`])
        expect(await ask(chain.standard, 'eth_getUncleByBlockHashAndIndex', [hash, `0x${i}`])).toEqual(uncle)
        expect(uncle).toMatchObject({
          hash: keccak256(RLP.encode([...header])),
          parentHash: bytesToHex(header[PARENT]!),
          miner: bytesToHex(header[MINER]!),
          number: `0x${BigInt(bytesToHex(header[NUMBER]!)).toString(16)}`,
          difficulty: `0x${BigInt(bytesToHex(header[DIFFICULTY]!)).toString(16)}`,
          size: `0x${RLP.encode([[...header], [], []]).length.toString(16)}`,
          uncles: [],
        })
        expect(Object.keys(uncle as object)).not.toContain('transactions')
        expect(Object.keys(uncle as object)).not.toContain('withdrawals')
        returned += 1
      }
      expect(await ask(chain.standard, 'eth_getUncleByBlockNumberAndIndex', [number, count])).toBeNull()
      expect(await ask(chain.standard, 'eth_getUncleByBlockHashAndIndex', [hash, count])).toBeNull()
    }
    expect(returned).toBeGreaterThan(1)
  })
})
