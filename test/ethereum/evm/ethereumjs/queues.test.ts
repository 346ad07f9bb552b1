import { describe, expect, test } from 'vitest'
import { readSlot } from '../../../../src/ethereum/state/account.ts'
import { CONSOLIDATION_REQUESTS, WITHDRAWAL_REQUESTS } from '../../../../src/ethereum/systemContracts.ts'
import { word } from '../../../words.ts'
import { createBench } from '../setup.ts'

describe('request queues', () => {
  test.each([
    ['withdrawals', WITHDRAWAL_REQUESTS],
    ['consolidations', CONSOLIDATION_REQUESTS],
  ])(
    'an unused queue of %s gives the same result at the end of a block as its code would',
    async (_, contract) => {
      const { address, code, nonce } = contract
      // A slot far from the queue only makes the code run.
      const outcomes = [{}, { 9999: 1n }].map(async (storage) => {
        const { executor, env, state } = await createBench('prague', { [address]: { code, nonce, storage } })
        const overlay = state.child()
        const requests = await executor.systemCall(address, new Uint8Array(0), env, overlay)
        const slots = [0, 1, 2, 3, 4, 5, 6].map((slot) => readSlot(overlay, address, word(slot)))
        const account = overlay.account(address)!
        return { requests, slots, account: { ...account, storageId: 0, slotCount: 0 } }
      })
      const [skipped, run] = await Promise.all(outcomes)
      expect(skipped).toEqual(run)
      expect(skipped!.requests).toEqual({ output: new Uint8Array(0), error: undefined })
      expect(skipped!.slots).toEqual([0n, 0n, 0n, 0n, 0n, 0n, 0n])
    },
  )
})
