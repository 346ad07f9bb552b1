import { describe, expect, it } from 'vitest'
import { PresealError } from '../../src/base/errors.ts'
import { ClockNotManualError } from '../../src/core/open/errors.ts'
import { ExecutionRevertedError } from '../../src/ethereum/evm/errors.ts'
import { DuplicateBatchError } from '../../src/rpc/wallet/errors.ts'

describe('PresealError', () => {
  it.each([
    [new PresealError('of no class'), 'of no class', '/reference/errors.html#PresealError'],
    [new DuplicateBatchError('0x1'), 'duplicate batch ID 0x1', '/reference/errors.html#DuplicateBatchError'],
    [
      new ClockNotManualError(),
      "the chain's clock is not manual, so it cannot be advanced; start the chain with createChain({ clock: createManualClock() })",
      '/reference/errors.html#ClockNotManualError',
    ],
  ])('has its message as shortMessage, and its page: %s', (error, message, docsPath) => {
    expect([error.message, error.shortMessage, error.docsPath]).toEqual([message, message, docsPath])
  })

  it('does not serialise shortMessage and docsPath (base/DECISIONS.md 21a)', () => {
    const error = new ExecutionRevertedError('0x1234')
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ExecutionRevertedError',
      code: -32000,
      data: '0x1234',
      details: 'execution reverted',
    })
    expect(Object.keys(structuredClone({ ...error })).sort()).toEqual(['code', 'data', 'details', 'name'])
  })
})
