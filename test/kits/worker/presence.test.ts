import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../../src/index.ts'
import { awaitAbsence, showPresence } from '../../../src/kits/worker/protocol.ts'

describe('presence of pages', () => {
  it('works without locks if they are refused, also on the side that waits', async () => {
    const request = vi.fn(() => Promise.reject(new DOMException('access denied', 'SecurityError')))
    vi.stubGlobal('navigator', { locks: { request } })
    try {
      expect(await showPresence('here')).toBeUndefined()
      const onAbsent = vi.fn()
      awaitAbsence('there', onAbsent)
      await systemClock.yield()
      // An unhandled rejection would fail the run.
      expect([request.mock.calls.length, onAbsent.mock.calls]).toEqual([2, []])
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
