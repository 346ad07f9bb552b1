import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { Commitment } from '../../../src/core/block/commitment.ts'
import type { Receipt } from '../../../src/ethereum/block.ts'
import { receiptFields } from '../../../src/ethereum/evm/receiptEncoding.ts'
import type { StateReader } from '../../../src/ethereum/state/account.ts'
import { changesSince, Layer } from '../../../src/ethereum/state/layer.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { stateRoot, updateStateTrie } from '../../../src/ethereum/state/stateTrie.ts'
import { listRoot } from '../../../src/ethereum/state/trie.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import type { Transaction } from '../../../src/ethereum/transaction.ts'
import { ADDRESSES, applyWrites, KEYS, writes } from '../../ethereum/state/model.ts'
import { runs } from '../../full.ts'

const crypto = await loadCrypto()

/** A transaction of `size` bytes, and its receipt with `logCount` logs; a commitment reads nothing else of them. */
function included(size: number, logCount: number): [Transaction, Receipt] {
  const tx = { type: 2, raw: new Uint8Array(size).fill(size) } as unknown as Transaction
  const log = { address: ADDRESSES[0]!, topics: [KEYS[1]!], data: '0x01' } as const
  const receipt: Receipt = {
    succeeded: true,
    gasUsed: 21_000n,
    cumulativeGasUsed: BigInt(size),
    effectiveGasPrice: 1n,
    contractAddress: null,
    logs: Array.from({ length: logCount }, () => log),
    firstLogIndex: 0,
  }
  return [tx, receipt]
}

const step = fc.record({
  writes,
  transactions: fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat({ max: 2 })), { maxLength: 4 }),
  read: fc.constantFrom('never', 'fields', 'trie', 'parts'),
})

describe('Commitment', () => {
  it('has the same fields whenever it is read, in parts or at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const base = new WorldState().head
        let state: StateReader = base
        let commitment = Commitment.of(null, crypto)
        const all: [Transaction, Receipt][] = []
        const earlier: [Commitment, unknown][] = []
        for (const { writes, transactions, read } of steps) {
          const overlay = new Overlay(state)
          applyWrites(overlay, new Map(), writes)
          const changes = overlay.changes()
          const added = transactions.map(([size, logs]) => included(size, logs))
          all.push(...added)
          state = new Layer(state, changes)
          commitment = commitment.with({
            changes,
            transactions: added.map(([tx]) => tx),
            receipts: added.map(([, receipt]) => receipt),
          })
          if (read === 'fields') commitment.fields()
          if (read === 'trie') commitment.stateTrie
          if (read === 'parts') await commitment.prepare(() => undefined)
          if (read !== 'never') expect(commitment.pendingSize).toBe(0)

          const receipts = all.map(([, receipt]) => receipt)
          const raws = all.map(([{ raw }]) => raw)
          const trie = updateStateTrie(null, changesSince(state, base), crypto)
          earlier.push([
            commitment,
            {
              stateRoot: bytesToHex(stateRoot(trie, crypto)),
              transactionsRoot: bytesToHex(listRoot(raws, crypto)),
              ...receiptFields(
                receipts,
                all.map(([tx]) => tx),
                crypto,
              ),
            },
          ])
        }
        // Also those that were not read before others were built on them.
        for (const [one, expected] of earlier.reverse()) expect(one.fields()).toEqual(expected)
      }),
      runs(60, 1000),
    )
  })

  it('counts what is to be added before it can be read', () => {
    const [tx, receipt] = included(100, 1)
    const overlay = new Overlay(new WorldState().head)
    overlay.addBalance(ADDRESSES[0]!, 1n)
    const empty = Commitment.of(null, crypto)
    const one = empty.with({ changes: overlay.changes(), transactions: [tx], receipts: [receipt] })
    const two = one.with({ changes: overlay.changes(), transactions: [tx, tx], receipts: [receipt, receipt] })
    expect([empty, one, two].map(({ pendingSize }) => pendingSize)).toEqual([0, 2, 5])
    one.fields()
    expect([empty, one, two].map(({ pendingSize }) => pendingSize)).toEqual([0, 0, 3])
    const nothing = new Overlay(new WorldState().head).changes()
    expect(one.with({ changes: nothing, transactions: [], receipts: [] })).toBe(one)
  })
})
