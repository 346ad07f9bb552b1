/** vitest's fake timers instead of the manual clock: they drive the chain's time and the app's own timers together. */
import { createChain } from 'preseal'
import { chainTransport, preseal } from 'preseal/viem'
import { createWalletClient, parseEther, publicActions } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a transfer is pre-confirmed after 200 ms', async () => {
  // Closed at the end of the test, even if the test fails.
  await using chain = await createChain()
  const [alice, bob] = chain.accounts.map(({ address }) => address)
  const client = createWalletClient({
    account: alice!,
    chain: preseal,
    transport: chainTransport(chain),
  }).extend(publicActions)
  await client.sendTransaction({ to: bob!, value: parseEther('1') })
  expect(await client.getBalance({ address: bob! })).toBe(parseEther('10000'))
  await vi.advanceTimersByTimeAsync(200)
  expect(await client.getBalance({ address: bob! })).toBe(parseEther('10001'))
})
