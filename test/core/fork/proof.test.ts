/** Merkle proofs of a forked node's answers: what is proven is returned, and whatever was changed is refused. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes, quantity, toWord } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { SchemaError } from '../../../src/base/errors.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { proofReader } from '../../../src/core/fork/stateReads.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  type StateChanges,
} from '../../../src/ethereum/state/account.ts'
import {
  proveAccount,
  proveSlot,
  type StateTrie,
  stateRoot,
  storageRoot,
  updateStateTrie,
} from '../../../src/ethereum/state/stateTrie.ts'
import { runs } from '../../full.ts'
import { address } from '../../words.ts'

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

/** A state of accounts by number, each with its balance and the values of slots 0, 1, …; zero leaves a slot out. */
type Plan = readonly (readonly [balance: bigint, slots: readonly bigint[]])[]

const PLAN: fc.Arbitrary<Plan> = fc.array(
  fc.tuple(
    fc.bigInt(0n, 2n ** 256n - 1n),
    fc.array(fc.oneof(fc.constant(0n), fc.bigInt(0n, 300n), fc.bigInt(0n, 2n ** 256n - 1n)), {
      maxLength: 12,
    }),
  ),
  { maxLength: 30 },
)

function trieOf(plan: Plan): StateTrie {
  const accounts = new Map<Address, AccountRecord>()
  const slots = new Map<number, Map<Hex, bigint>>()
  for (const [i, [balance, values]] of plan.entries()) {
    const set = values.map((value, slot) => [toWord(slot), value] as const).filter(([, value]) => value > 0n)
    const record = { nonce: BigInt(i), balance, codeHash: EMPTY_CODE_HASH, storageId: i + 1 }
    accounts.set(address(i), { ...record, slotCount: set.length })
    slots.set(i + 1, new Map(set))
  }
  return updateStateTrie(null, { accounts, slots, codes: new Map() } as StateChanges, crypto)
}

interface Answer {
  address: Address
  accountProof: Hex[]
  balance: Hex
  nonce: Hex
  storageProof: { key: Hex; value: Hex; proof: Hex[] }[]
}

/** The answer of eth_getProof. */
function answerOf(trie: StateTrie, address: Address, keys: readonly Hex[]): Answer {
  const { value: leaf, proof } = proveAccount(trie, address, crypto)
  return {
    address,
    accountProof: proof.map(bytesToHex),
    balance: quantity(leaf?.record.balance ?? 0n),
    nonce: quantity(leaf?.record.nonce ?? 0n),
    storageProof: keys.map((key) => {
      const slot = proveSlot(leaf?.storage ?? null, key, crypto)
      return { key, value: quantity(slot.value), proof: slot.proof.map(bytesToHex) }
    }),
  }
}

const KEYS = Array.from({ length: 14 }, (_, slot) => toWord(slot))

const readerOf = (trie: StateTrie, address: Address, keys: readonly Hex[] = KEYS) =>
  proofReader({ crypto, stateRoot: bytesToHex(stateRoot(trie, crypto)) as Hash }, address, keys)

describe('a proof', () => {
  it('gives the values of accounts and slots, and that there is none', () => {
    fc.assert(
      fc.property(PLAN, fc.nat(32), (plan, which) => {
        const trie = trieOf(plan)
        const read = readerOf(trie, address(which))
        const [balance, values] = plan[which] ?? [undefined, []]
        const { account, slots } = read(answerOf(trie, address(which), KEYS))
        expect(slots).toEqual(KEYS.map((_, slot) => values[slot] ?? 0n))
        const leaf = proveAccount(trie, address(which), crypto).value
        const storageHash = bytesToHex(storageRoot(leaf?.storage ?? null, crypto))
        const expected = { nonce: BigInt(which), balance, storageHash, codeHash: EMPTY_CODE_HASH }
        expect(account).toEqual(balance === undefined ? null : expected)
      }),
      runs(60, 2000),
    )
  })

  it('is read in any order of its nodes, and with further ones', () => {
    const trie = trieOf(Array.from({ length: 40 }, (_, i) => [BigInt(i), [1n, 2n]]))
    const answer = answerOf(trie, address(3), KEYS)
    const expected = readerOf(trie, address(3))(answer)
    answer.accountProof.reverse().push('0xc0')
    expect(readerOf(trie, address(3))(answer)).toEqual(expected)
  })

  it('is refused if a byte of it, or a value beside it, was changed', () => {
    const flip = (hex: Hex, at: number): Hex => {
      const bytes = Uint8Array.from(hexToBytes(hex))
      bytes[at % bytes.length]! ^= 1 + (at % 255)
      return bytesToHex(bytes)
    }
    fc.assert(
      fc.property(PLAN, fc.nat(32), fc.nat(13), fc.nat(), fc.nat(4), (plan, which, slot, at, place) => {
        const trie = trieOf(plan)
        const answer = answerOf(trie, address(which), KEYS)
        const proof = place === 0 ? answer.accountProof : answer.storageProof[slot]!.proof
        if (place < 2) {
          fc.pre(proof.length > 0)
          const node = at % proof.length
          proof[node] = flip(proof[node]!, at)
        } else if (place === 2) answer.balance = quantity(BigInt(answer.balance) ^ (1n << BigInt(at % 256)))
        else if (place === 3) answer.nonce = quantity(BigInt(answer.nonce) + 1n)
        else {
          const one = answer.storageProof[slot]!
          one.value = quantity(BigInt(one.value) ^ (1n << BigInt(at % 256)))
        }
        expect(() => readerOf(trie, address(which))(answer)).toThrow(SchemaError)
      }),
      runs(100, 3000),
    )
  })

  it('of another account, slot, root, or with a node missing is refused', () => {
    const plan: Plan = Array.from({ length: 40 }, (_, i) => [BigInt(i), [1n, 2n, 3n]])
    const trie = trieOf(plan)
    const [mine, other] = [address(3), address(4)]
    const read = (change: (answer: Answer) => unknown) => {
      const answer = answerOf(trie, mine, KEYS.slice(0, 2))
      const changed = change(answer) ?? answer
      try {
        return readerOf(trie, mine, KEYS.slice(0, 2))(changed)
      } catch (error) {
        if (!(error instanceof SchemaError)) throw error
        return `${error.path}: ${error.expected.replace(/0x[0-9a-f]{64}/, 'ROOT')}`
      }
    }
    const foreign = answerOf(trie, other, KEYS.slice(0, 2))
    const cases: [string, (answer: Answer) => unknown, string][] = [
      ['another account', () => foreign, `.address: ${mine}`],
      [
        "another account's proof",
        () => ({ ...foreign, address: mine }),
        '.accountProof: a proof under the root ROOT',
      ],
      [
        'a shorter proof',
        (one) => ({ ...one, accountProof: one.accountProof.slice(0, -1) }),
        '.accountProof: a proof under the root ROOT',
      ],
      [
        'no proof',
        (one) => ({ ...one, accountProof: [], balance: '0x0', nonce: '0x0' }),
        '.accountProof: a proof under the root ROOT',
      ],
      [
        'too many nodes',
        (one) => ({ ...one, accountProof: Array(131).fill('0xc0') }),
        '.accountProof: at most 130 nodes',
      ],
      [
        'a long node',
        (one) => ({ ...one, accountProof: [`0x${'00'.repeat(1025)}`] }),
        '.accountProof[0]: a hex string of up to 1024 bytes',
      ],
      ['no list', (one) => ({ ...one, accountProof: null }), '.accountProof: an array'],
      [
        'slots in another order',
        (one) => ({ ...one, storageProof: [...one.storageProof].reverse() }),
        '.storageProof[0].key: 0x0',
      ],
      [
        'a slot less',
        (one) => ({ ...one, storageProof: one.storageProof.slice(1) }),
        '.storageProof: an array of 2 proofs',
      ],
      [
        'a slot that is claimed to be empty',
        (one) => ({
          ...one,
          storageProof: one.storageProof.map((slot) => ({ ...slot, value: '0x0', proof: [] })),
        }),
        '.storageProof[0].proof: a proof under the root ROOT',
      ],
      ['no object', () => [], ': an object'],
    ]
    expect(cases.map(([name, change]) => [name, read(change)])).toEqual(
      cases.map(([name, , problem]) => [name, problem]),
    )
  })

  it('of nodes that no trie has is refused, also if their hashes are right', () => {
    const long = hexToBytes(`0xf8${'42'}${'c0'.repeat(0x42)}`)
    for (const node of [
      '0xc0',
      '0xc28080',
      '0xc2408080',
      '0xc3820f0f',
      '0xc22080',
      bytesToHex(long),
    ] as Hex[]) {
      const root = crypto.keccak256Hex(hexToBytes(node))
      const read = proofReader({ crypto, stateRoot: root }, address(1), [])
      const answer = {
        address: address(1),
        accountProof: [node],
        balance: '0x0',
        nonce: '0x0',
        storageProof: [],
      }
      expect(() => read(answer)).toThrow(SchemaError)
    }
  })
})
