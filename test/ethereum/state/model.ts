/** The naive model of state: every point in time is a full copy of plain Maps. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { bytesToHex } from '../../../src/base/bytes.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { readCode, readSlot, type StateReader } from '../../../src/ethereum/state/account.ts'
import { StateUnavailableError } from '../../../src/ethereum/state/errors.ts'
import type { Overlay } from '../../../src/ethereum/state/overlay.ts'

/** An account with its whole storage. */
export interface ModelAccount {
  nonce: bigint
  balance: bigint
  code: Uint8Array
  slots: Map<Hex, bigint>
}

/** All accounts. */
export type Model = Map<Address, ModelAccount>

export const ADDRESSES: readonly Address[] = [1, 2, 3, 4].map(
  (n): Address => `0x${n.toString(16).padStart(40, '0')}`,
)
export const KEYS: readonly Hex[] = [0, 1, 2].map((n): Hex => `0x${n.toString(16).padStart(64, '0')}`)

/** Code by its first byte; 0 is none. */
export const codeOf = (n: number): Uint8Array => (n === 0 ? new Uint8Array(0) : Uint8Array.of(n, 0xfe))
export const codeHashOf = (n: number): Hash => bytesToHex(keccak_256(codeOf(n)))

export function copyOf(model: Model): Model {
  return new Map(
    [...model].map(([address, account]) => [address, { ...account, slots: new Map(account.slots) }]),
  )
}

/** One operation on an overlay. */
export type Write =
  | { kind: 'setAccount'; who: number; nonce: bigint; balance: bigint; keepsCode: boolean }
  | { kind: 'addBalance'; who: number; amount: bigint }
  | { kind: 'deleteAccount'; who: number }
  | { kind: 'setCode'; who: number; code: number }
  | { kind: 'setSlot'; who: number; key: number; value: bigint }
  | { kind: 'clearStorage'; who: number }
  | { kind: 'mark' }
  | { kind: 'revert'; to: number }
  | { kind: 'child'; writes: Write[]; merged: boolean }

const who = fc.nat({ max: ADDRESSES.length - 1 })
const code = fc.nat({ max: 2 })
const amount = fc.bigInt({ min: 0n, max: 3n })
const value = fc.constantFrom(0n, 0n, 1n, 2n, 2n ** 256n - 1n)

/** Any sequence of writes, marks, reverts to marks, and children that are merged or dropped. */
export const writes: fc.Arbitrary<Write[]> = fc.letrec<{ write: Write; list: Write[] }>((tie) => ({
  list: fc.array(tie('write'), { maxLength: 8, depthIdentifier: 'child' }),
  write: fc.oneof(
    { depthIdentifier: 'child', maxDepth: 3, withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('setSlot' as const), who, key: fc.nat({ max: 2 }), value }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('clearStorage' as const), who }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('deleteAccount' as const), who }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('setAccount' as const),
        who,
        nonce: amount,
        balance: amount,
        keepsCode: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('addBalance' as const), who, amount }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('setCode' as const), who, code }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'mark' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat({ max: 5 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('child' as const),
        writes: tie('list'),
        merged: fc.boolean(),
      }),
    },
  ),
})).list

/** Applies the writes to an overlay and to a model. @returns the resulting model. */
export function applyWrites(overlay: Overlay, before: Model, list: readonly Write[]): Model {
  let model = copyOf(before)
  let marks: { at: number; model: Model }[] = []
  const touch = (index: number): ModelAccount => {
    const address = ADDRESSES[index]!
    const account = model.get(address) ?? { nonce: 0n, balance: 0n, code: codeOf(0), slots: new Map() }
    model.set(address, account)
    return account
  }
  for (const write of list) {
    switch (write.kind) {
      case 'setAccount': {
        const { nonce, balance } = write
        const before = overlay.account(ADDRESSES[write.who]!)
        const codeHash = write.keepsCode && before ? before.codeHash : codeHashOf(0)
        overlay.setAccount(ADDRESSES[write.who]!, { nonce, balance, codeHash })
        const account = touch(write.who)
        Object.assign(account, { nonce, balance, code: write.keepsCode ? account.code : codeOf(0) })
        break
      }
      case 'addBalance':
        overlay.addBalance(ADDRESSES[write.who]!, write.amount)
        touch(write.who).balance += write.amount
        break
      case 'deleteAccount':
        overlay.deleteAccount(ADDRESSES[write.who]!)
        model.delete(ADDRESSES[write.who]!)
        break
      case 'setCode':
        overlay.setCode(ADDRESSES[write.who]!, codeHashOf(write.code), codeOf(write.code))
        touch(write.who).code = codeOf(write.code)
        break
      case 'setSlot': {
        const address = ADDRESSES[write.who]!
        overlay.setSlot(address, KEYS[write.key]!, write.value)
        if (write.value !== 0n) touch(write.who).slots.set(KEYS[write.key]!, write.value)
        else model.get(address)?.slots.delete(KEYS[write.key]!)
        break
      }
      case 'clearStorage':
        overlay.clearStorage(ADDRESSES[write.who]!)
        model.get(ADDRESSES[write.who]!)?.slots.clear()
        break
      case 'mark':
        marks.push({ at: overlay.mark(), model: copyOf(model) })
        break
      case 'revert': {
        if (marks.length === 0) break
        const index = write.to % marks.length
        const mark = marks[index]!
        overlay.revert(mark.at)
        model = copyOf(mark.model)
        marks = marks.slice(0, index + 1)
        break
      }
      case 'child': {
        const child = overlay.child()
        const after = applyWrites(child, model, write.writes)
        if (!write.merged) break
        child.merge()
        model = after
      }
    }
  }
  return model
}

/** The value read at one place, or that the state is unavailable. */
export type Seen = unknown

/** Everything that can be read from a state, by place. */
export function seenBy(reader: StateReader): Record<string, Seen> {
  const seen: Record<string, Seen> = {}
  const readPlace = (place: string, read: () => Seen) => {
    try {
      seen[place] = read()
    } catch (error) {
      if (!(error instanceof StateUnavailableError)) throw error
      seen[place] = 'unavailable'
    }
  }
  for (const [i, address] of ADDRESSES.entries()) {
    readPlace(`${i}`, () => {
      const account = reader.account(address)
      return account && `${account.nonce} ${account.balance} ${account.slotCount}`
    })
    readPlace(`${i} code`, () => readCode(reader, address).join())
    for (const [k, key] of KEYS.entries()) readPlace(`${i} slot ${k}`, () => readSlot(reader, address, key))
  }
  return seen
}

/** The same, read from a model. */
export function seenIn(model: Model): Record<string, Seen> {
  const seen: Record<string, Seen> = {}
  for (const [i, address] of ADDRESSES.entries()) {
    const account = model.get(address)
    seen[`${i}`] = account && `${account.nonce} ${account.balance} ${account.slots.size}`
    seen[`${i} code`] = account?.code.join() ?? ''
    for (const [k, key] of KEYS.entries()) seen[`${i} slot ${k}`] = account?.slots.get(key) ?? 0n
  }
  return seen
}
