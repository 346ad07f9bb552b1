/** What the headers of a fork commit to. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash } from '../../../src/base/types.ts'
import { ChangesTrie } from '../../../src/core/fork/origin.ts'
import { type AccountRecord, EMPTY_SOURCE, type StateSource } from '../../../src/ethereum/state/account.ts'
import { changesSince, stackLayer } from '../../../src/ethereum/state/layer.ts'
import { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../../src/ethereum/state/stateTrie.ts'
import { type StateVersion, WorldState } from '../../../src/ethereum/state/worldState.ts'
import {
  ADDRESSES,
  applyWrites,
  codeHashOf,
  codeOf,
  KEYS,
  type Write,
  writes,
} from '../../ethereum/state/model.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { sign } from '../sequencer/support.ts'
import { forkOf } from './remoteChain.ts'

const FORKED_ROOT: Hash = `0x${'f0'.repeat(32)}`

/** A contract with a slot, an account without code, and two accounts that do not exist. */
const FORKED = new Map<Address, AccountRecord>([
  [ADDRESSES[0]!, { nonce: 1n, balance: 2n, codeHash: codeHashOf(1), storageId: -1, slotCount: 0 }],
  [ADDRESSES[1]!, { nonce: 0n, balance: 1n, codeHash: codeHashOf(0), storageId: -2, slotCount: 0 }],
])

const SOURCE: StateSource = {
  ...EMPTY_SOURCE,
  account: (address) => FORKED.get(address) ?? null,
  slot: (id, key) => (id === -1 && key === KEYS[1] ? 7n : 0n),
  code: () => codeOf(1),
}

/** The ticks of a block, or a withdrawal of later blocks. */
type Step =
  | { readonly kind: 'block'; readonly ticks: readonly Write[][] }
  | { readonly kind: 'revert' | 'prune'; readonly to: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('block' as const), ticks: fc.array(writes, { maxLength: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('revert' as const, 'prune' as const), to: fc.nat() }),
  },
)

const AT = `0x${'ab'.repeat(20)}` as const

interface Sealed {
  readonly state: StateVersion
  readonly trie: StateTrie
}

/** Seals a block, whose trie is updated at each tick. */
function seal(world: WorldState, before: Sealed, ticks: readonly Write[][], crypto: Crypto): Sealed {
  let trie = before.trie
  let state: Parameters<typeof stackLayer>[0] = before.state
  for (const list of ticks) {
    const overlay = new Overlay(state)
    applyWrites(overlay, new Map(), list)
    trie = updateStateTrie(trie, overlay.changes(), crypto)
    state = stackLayer(state, overlay.changes(), before.state)
  }
  return { state: world.commit(changesSince(state, before.state)), trie }
}

const submit = async (chain: TestChain, plan: Parameters<typeof sign>[1]) =>
  ask(chain.preconf, 'eth_sendRawTransaction', [await sign(chain, plan)])

const rootOf = (trie: StateTrie, crypto: Crypto) => bytesToHex(stateRoot(trie, crypto))

describe('the root of a state after a fork', () => {
  it('follows from the state alone, however it was reached', async () => {
    const crypto = await loadCrypto()
    const base = new ChangesTrie(FORKED_ROOT, SOURCE)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const world = new WorldState(SOURCE)
        let sealed: readonly Sealed[] = [{ state: world.head, trie: base }]
        for (const one of steps) {
          if (one.kind === 'block') {
            sealed = [...sealed, seal(world, sealed.at(-1)!, one.ticks, crypto)]
          } else {
            const index = one.to % sealed.length
            world[one.kind](sealed[index]!.state)
            sealed = one.kind === 'revert' ? sealed.slice(0, index + 1) : sealed.slice(index)
          }
          for (const { state, trie } of sealed) {
            const rebuilt = updateStateTrie(base, world.everythingAt(state), crypto)
            expect(rootOf(rebuilt, crypto)).toBe(rootOf(trie, crypto))
          }
        }
      }),
      runs(200, 3000),
    )
  })

  it('goes on the same after a revert to a block that is older than `history.proofs`', async () => {
    const remote = await startChain({}, {}, { skipHeaderValidation: true })
    // Sets slot 0 to zero.
    await ask(remote.standard, 'anvil_setCode', [AT, '0x5f5f55'])
    await ask(remote.standard, 'anvil_setStorageAt', [AT, KEYS[0], KEYS[1]])
    await remote.seal()
    const run = async (proofs: number) => {
      const chain = (await forkOf(remote.standard, { history: { proofs } })) as TestChain
      await submit(chain, { nonce: 0, to: AT, gas: 100_000n, value: 0n })
      await chain.seal()
      await ask(chain.standard, 'anvil_mine', ['0x4'])
      await ask(chain.standard, 'anvil_rollback', [4])
      const { block } = await chain.seal()
      return [block.stateRoot, block.hash]
    }
    expect(await run(1)).toEqual(await run(128))
  })
})
