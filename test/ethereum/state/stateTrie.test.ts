import { Common, Mainnet } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { Account, createAddressFromString } from '@ethereumjs/util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToBigint, bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Hex } from '../../../src/base/types.ts'
import { EMPTY_CODE_HASH, type StateReader } from '../../../src/ethereum/state/account.ts'
import { changesSince, stackLayer } from '../../../src/ethereum/state/layer.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import {
  type AccountLeaf,
  hashedKey,
  proveAccount,
  proveSlot,
  type StateTrie,
  stateRoot,
  storageRoot,
  updateStateTrie,
  updateStateTrieInParts,
} from '../../../src/ethereum/state/stateTrie.ts'
import { type TrieRoot, trieGet } from '../../../src/ethereum/state/trie.ts'
import { WorldState } from '../../../src/ethereum/state/worldState.ts'
import { runs } from '../../full.ts'
import { provenValue } from '../../proofs.ts'
import { ADDRESSES, applyWrites, KEYS, type Model, writes } from './model.ts'

const crypto = await loadCrypto()
const common = new Common({ chain: Mainnet })
const rootOf = (trie: StateTrie) => bytesToHex(stateRoot(trie, crypto))

/** The root of a state that stock @ethereumjs builds from scratch. */
async function stockRoot(model: Model): Promise<string> {
  const manager = new MerkleStateManager({ common })
  for (const [hex, { nonce, balance, code, slots }] of model) {
    const address = createAddressFromString(hex)
    await manager.putAccount(address, new Account(nonce, balance))
    if (code.length > 0) await manager.putCode(address, code)
    for (const [key, value] of slots) await manager.putStorage(address, hexToBytes(key), bigintToBytes(value))
  }
  await manager.flush()
  return bytesToHex(await manager.getStateRoot())
}

describe('updateStateTrieInParts', () => {
  it('gives the same root as one update, for accounts and storages of any size', async () => {
    const word = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
    const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`
    const base = new WorldState().head
    const first = new Overlay(base)
    for (let at = 0; at < 450; at++)
      first.setAccount(address(at), { nonce: 1n, balance: BigInt(at), codeHash: EMPTY_CODE_HASH })
    for (let slot = 0; slot < 450; slot++) first.setSlot(address(7), word(slot), BigInt(slot))
    const below = updateStateTrie(null, first.changes(), crypto)
    const second = new Overlay(stackLayer(base, first.changes(), base))
    for (let at = 0; at < 300; at++) second.deleteAccount(address(10 + at))
    // The first storage starts empty again; the other one continues.
    second.clearStorage(address(7))
    for (let slot = 0; slot < 201; slot++) second.setSlot(address(7), word(1000 + slot), 1n)
    for (let slot = 0; slot < 400; slot++) second.setSlot(address(8), word(slot), 2n)
    let pauses = 0
    const pause = () => {
      pauses += 1
      return undefined
    }
    const changes = second.changes()
    const parts = await updateStateTrieInParts(below, changes, crypto, pause)
    expect(rootOf(parts)).toBe(rootOf(updateStateTrie(below, changes, crypto)))
    expect(pauses).toBeGreaterThan(3)
    expect(await updateStateTrieInParts(below, new Overlay(base).changes(), crypto, pause)).toBe(below)
  })
})

describe('updateStateTrie', () => {
  it('gives the roots of stock @ethereumjs, one preconf block at a time and at once; old roots stay valid', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(writes, fc.boolean()), { minLength: 1, maxLength: 8 }),
        async (preconfBlocks) => {
          const base = new WorldState().head
          let top: StateReader = base
          let trie: StateTrie = null
          let model: Model = new Map()
          const roots: { trie: StateTrie; model: Model }[] = []
          for (const [list, hashedAtOnce] of preconfBlocks) {
            const overlay = new Overlay(top)
            model = applyWrites(overlay, model, list)
            top = stackLayer(top, overlay.changes(), base)
            trie = updateStateTrie(trie, overlay.changes(), crypto)
            roots.push({ trie, model })
            // Later tries share hashed nodes; nodes without a hash must not change either.
            if (hashedAtOnce) rootOf(trie)
          }
          const got = roots.map((root) => rootOf(root.trie))
          expect(got).toEqual(await Promise.all(roots.map((root) => stockRoot(root.model))))
          expect(rootOf(updateStateTrie(null, changesSince(top, base), crypto))).toBe(got.at(-1))
        },
      ),
      runs(75, 500),
    )
  })

  it('keeps the leaves of an old root next to those of the new one', () => {
    const world = new WorldState()
    const overlay = new Overlay(world.head)
    overlay.setSlot(ADDRESSES[0]!, KEYS[0]!, 1n)
    const before = updateStateTrie(null, overlay.changes(), crypto)
    const next = new Overlay(world.commit(overlay.changes()))
    next.deleteAccount(ADDRESSES[0]!)
    next.setSlot(ADDRESSES[0]!, KEYS[0]!, 2n)
    const after = updateStateTrie(before, next.changes(), crypto)
    const leaf = (trie: StateTrie) => {
      const { storage } = trieGet(trie as TrieRoot<AccountLeaf>, hashedKey(ADDRESSES[0]!, crypto))!
      return trieGet(storage, crypto.keccak256(hexToBytes(KEYS[0]!)))
    }
    expect([leaf(before), leaf(after)]).toEqual([1n, 2n])
  })

  it('returns the given root if nothing differs', () => {
    const overlay = new Overlay(new WorldState().head)
    overlay.setSlot(ADDRESSES[0]!, KEYS[0]!, 1n)
    const trie = updateStateTrie(null, overlay.changes(), crypto)
    expect(updateStateTrie(trie, overlay.changes(), crypto)).toBe(trie)
  })
})

describe('proveAccount and proveSlot', () => {
  it('prove existing and absent entries, as verified by stock @ethereumjs', async () => {
    const proven = { accounts: 0, absent: 0, slots: 0, empty: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { maxLength: 4 }), async (lists) => {
        const base = new WorldState().head
        const overlay = new Overlay(base)
        let model: Model = new Map()
        for (const list of lists) model = applyWrites(overlay, model, list)
        const trie = updateStateTrie(null, overlay.changes(), crypto)
        for (const address of ADDRESSES) {
          const { value: leaf, proof } = proveAccount(trie, address, crypto)
          const account = await provenValue(rootOf(trie), address, proof.map(bytesToHex))
          expect(account === null).toBe(!model.has(address))
          expect(leaf === undefined).toBe(account === null)
          proven[account === null ? 'absent' : 'accounts'] += 1
          const storage = leaf?.storage ?? null
          if (account !== null)
            expect((RLP.decode(account) as Uint8Array[])[2]).toEqual(storageRoot(storage, crypto))
          for (const key of KEYS) {
            const slot = proveSlot(storage, key, crypto)
            const root = bytesToHex(storageRoot(storage, crypto))
            const held = await provenValue(root, key, slot.proof.map(bytesToHex))
            expect(slot.value).toBe(model.get(address)?.slots.get(key) ?? 0n)
            expect(held === null ? 0n : bytesToBigint(RLP.decode(held) as Uint8Array)).toBe(slot.value)
            proven[held === null ? 'empty' : 'slots'] += 1
          }
        }
      }),
      runs(100, 500),
    )
    // The rarest are 190 of 100 runs on average.
    for (const count of Object.values(proven)) expect(count).toBeGreaterThan(20)
  })
})

describe('storageRoot', () => {
  it('is that of the empty trie for an account without slots', () => {
    expect(bytesToHex(storageRoot(null, crypto))).toBe(
      '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
    )
  })
})

describe('hashedKey', () => {
  it('is the hash of the 20 bytes', () => {
    expect(bytesToHex(hashedKey(`0x${'00'.repeat(20)}`, crypto))).toBe(
      '0x5380c7b7ae81a58eb98d9c78de4a1fd7fd9535fc953ed2be602daaa41767312a',
    )
    expect(EMPTY_CODE_HASH).toBe(crypto.keccak256Hex(new Uint8Array(0)))
  })
})
