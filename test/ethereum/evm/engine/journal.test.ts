import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAddress, toWord } from '../../../../src/base/bytes.ts'
import type { Address } from '../../../../src/base/types.ts'
import { addressToWord, Journal } from '../../../../src/ethereum/evm/engine/journal.ts'
import { EMPTY_CODE_HASH, EMPTY_STATE, type StateReader } from '../../../../src/ethereum/state/account.ts'
import type { Overlay } from '../../../../src/ethereum/state/overlay.ts'
import { runs } from '../../../full.ts'
import { dump } from '../setup.ts'
import {
  ABSENT,
  type Account,
  ADDRESSES,
  apply,
  CHANGES,
  CODE,
  CODE_HASH,
  CONTRACT,
  createModel,
  createState,
  EMPTY,
  INITIAL_HASH,
  KEYS,
  RIPEMD160,
  read,
  readStorage,
  steps,
} from './journalModel.ts'

describe('a revert', () => {
  test('undoes every change since the mark, however frames are nested', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const state = createState()
        const journal = new Journal(state, undefined)
        const expected = apply(list, journal, createModel(state))
        expect(read(journal)).toEqual(expected)
      }),
      runs(300, 20_000),
    )
  })

  test.each(Object.keys(CHANGES))('undoes %s', (kind) => {
    const [change] = CHANGES[kind]!
    const journal = new Journal(createState(), undefined)
    const before = read(journal)
    const mark = journal.mark()
    change(journal, journal.accountAt(ABSENT), KEYS[1]!, 9n)
    expect(read(journal)).not.toEqual(before)
    journal.revert(mark)
    expect(read(journal)).toEqual(before)
  })

  test('leaves precompile 0x03 touched, but neither changed nor in existence', () => {
    const journal = new Journal(EMPTY_STATE, undefined)
    const mark = journal.mark()
    journal.setBalance(journal.accountAt(RIPEMD160), 1n)
    journal.revert(mark)
    const { balance, exists, isTouched } = journal.accountAt(RIPEMD160)
    expect({ balance, exists, isTouched }).toEqual({ balance: 0n, exists: false, isTouched: true })
  })
})

/** An account with its slots as text; undefined if there is none. */
function stored(state: Overlay, address: Address): string | undefined {
  const account = state.account(address)
  if (account === undefined) return undefined
  const { nonce, balance, codeHash, storageId } = account
  return `${nonce} ${balance} ${codeHash} ${KEYS.map((key) => readStorage(state, storageId, key))}`
}

/** What {@link stored} gives for an account of the model. @param clearsEmpty - see `Journal.flush`. */
function kept(account: Account, clearsEmpty: boolean): string | undefined {
  const { exists, isTouched, nonce, balance, codeHash, slots } = account
  const isEmpty = nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH
  if (!exists || (clearsEmpty && isTouched && isEmpty)) return undefined
  return `${nonce} ${balance} ${codeHash} ${KEYS.map((key) => slots[String(key)]!.value)}`
}

describe('a flush', () => {
  test('writes the accounts and slots that changed, and no others', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), (list, clearsEmpty) => {
        const state = createState()
        const journal = new Journal(state, undefined)
        const { accounts } = apply(list, journal, createModel(state))
        const overlay = state.child()
        journal.flush(overlay, clearsEmpty)
        const after = ADDRESSES.map((address) => kept(accounts[address]!, clearsEmpty))
        expect(ADDRESSES.map((address) => stored(overlay, address))).toEqual(after)
        const changes = overlay.changes()
        const changed = ADDRESSES.filter((address, i) => stored(state, address) !== after[i])
        expect([...changes.accounts.keys()].sort()).toEqual([...changed].sort())
        const { storageId } = state.account(CONTRACT)!
        const changedKeys = KEYS.filter(
          (key) => accounts[CONTRACT]!.slots[String(key)]!.value !== readStorage(state, storageId, key),
        )
        expect([...(changes.slots.get(storageId)?.keys() ?? [])].sort()).toEqual(changedKeys.map(toWord))
      }),
      runs(300, 20_000),
    )
  })

  test('of accounts and slots that were only read writes nothing', () => {
    const state = createState()
    const journal = new Journal(state, undefined)
    read(journal)
    journal.flush(state, true)
    expect(dump(state)).toEqual(dump(createState()))
  })

  test('deletes touched accounts that are empty, if it is to (EIP-161)', () => {
    const left = [true, false].map((clearsEmpty) => {
      const state = createState()
      const journal = new Journal(state, undefined)
      for (const address of [EMPTY, ABSENT, CONTRACT]) journal.touch(journal.accountAt(address))
      journal.flush(state, clearsEmpty)
      return ADDRESSES.filter((address) => state.account(address) !== undefined)
    })
    expect(left).toEqual([[RIPEMD160, CONTRACT], ADDRESSES])
  })

  test('deletes an empty precompile 0x03 that a reverted frame touched, and no other such account', () => {
    const state = createState()
    const journal = new Journal(state, undefined)
    for (const address of ADDRESSES) journal.touch(journal.accountAt(address))
    journal.revert(0)
    journal.flush(state, true)
    expect(ADDRESSES.filter((address) => state.account(address) !== undefined)).toEqual([CONTRACT, EMPTY])
  })

  test('writes code under its hash, and not the code that was read', () => {
    const state = createState()
    const journal = new Journal(state, undefined)
    journal.code(journal.accountAt(CONTRACT))
    const account = journal.accountAt(ABSENT)
    journal.touch(account)
    journal.setCode(account, CODE, CODE_HASH)
    const overlay = state.child()
    journal.flush(overlay, true)
    expect([...overlay.changes().codes]).toEqual([[CODE_HASH, CODE]])
  })
})

describe('a journal', () => {
  test('reads each entry of the state once', () => {
    const state = createState()
    const reads: string[] = []
    const counting: StateReader = {
      lastStorageId: state.lastStorageId,
      account(address) {
        reads.push(address)
        return state.account(address)
      },
      slot(id, key) {
        reads.push(`${id} ${key}`)
        return state.slot(id, key)
      },
      code(hash) {
        reads.push(hash)
        return state.code(hash)
      },
    }
    const journal = new Journal(counting, undefined)
    for (let i = 0; i < 3; i++) {
      read(journal)
      for (const address of ADDRESSES) journal.code(journal.accountAt(address))
    }
    // The other accounts have neither slots nor code.
    const { storageId } = state.account(CONTRACT)!
    expect(reads.sort()).toEqual(
      [...ADDRESSES, INITIAL_HASH, ...KEYS.map((key) => `${storageId} ${toWord(key)}`)].sort(),
    )
  })

  test('keeps the value of a slot before the message', () => {
    const journal = new Journal(createState(), undefined)
    const slot = journal.slot(journal.accountAt(CONTRACT), KEYS[0]!)
    journal.setSlot(slot, 1)
    journal.setSlot(slot, 2)
    expect(slot).toEqual({ key: toWord(KEYS[0]!), original: 7, value: 2, isWarm: false })
  })

  test('warms the given addresses when they are read', () => {
    const journal = new Journal(createState(), new Set([3, 0x100]))
    const addresses: Address[] = [RIPEMD160, toAddress(0x100), toAddress(4), CONTRACT]
    expect(addresses.map((address) => journal.accountAt(address).isWarm)).toEqual([true, true, false, false])
  })

  test('has one account for an address and its word', () => {
    const journal = new Journal(createState(), undefined)
    const words = ADDRESSES.map(addressToWord)
    expect(words).toEqual([3, BigInt(CONTRACT), BigInt(EMPTY), BigInt(ABSENT)])
    expect(words.map(toAddress)).toEqual(ADDRESSES)
    expect(words.map((word) => journal.account(word))).toEqual(
      ADDRESSES.map((address) => journal.accountAt(address)),
    )
  })

  test('knows which accounts had storage before the message (EIP-7610)', () => {
    const journal = new Journal(createState(), undefined)
    expect(ADDRESSES.map((address) => journal.hasStorage(journal.accountAt(address)))).toEqual([
      false,
      true,
      false,
      false,
    ])
  })
})
