import { describe, expect, test } from 'vitest'
import { CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from '../../../src/protocol/systemContracts.ts'
import { readSlot } from '../../../src/state/account.ts'
import { createBench } from '../setup.ts'

const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as const

describe('request queues', () => {
  test.each([
    ['withdrawals', WITHDRAWAL_REQUESTS],
    ['consolidations', CONSOLIDATION_REQUESTS],
  ])(
    'the end of a block that found the queue of %s untouched gives what its code gives',
    async (_, contract) => {
      const { address, code, nonce } = contract
      // A slot far from the queue changes nothing but that the code has to run.
      const outcomes = [{}, { 9999: 1n }].map(async (storage) => {
        const { executor, env, state } = await createBench('prague', { [address]: { code, nonce, storage } })
        const overlay = state.child()
        const requests = await executor.systemCall(address, new Uint8Array(0), env, overlay)
        const slots = [0, 1, 2, 3, 4, 5, 6].map((slot) => readSlot(overlay, address, word(slot)))
        const account = overlay.account(address)!
        return { requests, slots, account: { ...account, storageId: 0, slotCount: 0 } }
      })
      const [spared, run] = await Promise.all(outcomes)
      expect(spared).toEqual(run)
      expect(spared!.requests).toEqual(new Uint8Array(0))
      expect(spared!.slots).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 0n])
    },
  )
})
