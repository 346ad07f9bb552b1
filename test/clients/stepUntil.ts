import { vi } from 'vitest'

/**
 * Repeats a step, such as sealing a block, until what a polling client waits for has come, and returns it. viem and
 * ethers ask for a receipt when the number of the head changes, but miss a change that comes while they start to poll or still
 * handle the one before: one more block may be needed.
 */
export async function stepUntil<T>(waiting: Promise<T>, step: () => Promise<unknown>): Promise<T> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  void waiting.then(settle, settle)
  await vi.waitUntil(
    async () => {
      if (!isSettled) await step()
      return isSettled
    },
    { interval: 20, timeout: 30_000 },
  )
  return waiting
}
