/** The dapp of wagmi: its wallet and its node are the chain of the test. */
import { expect, test } from 'preseal/playwright'

test.use({
  rpcUrl: 'https://node.example/**',
  // The test makes the blocks, so that it sees each stage for as long as it needs.
  chainOptions: { mining: 'manual' },
})

test.beforeEach(async ({ page }) => {
  await page.goto('http://localhost:5173')
})

test('connects and sends: the balance is pre-confirmed, then sealed', async ({ page, chain }) => {
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await expect(page.getByText(`Connected as ${chain.accounts[0].address}`, { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  await expect(page.getByRole('status')).toHaveText('success')

  await chain.tick()
  await expect(page.getByText('Pre-confirmed: 10001')).toBeVisible()
  await expect(page.getByText('Sealed: 10000', { exact: true })).toBeVisible()

  await chain.seal()
  await expect(page.getByText('Sealed: 10001')).toBeVisible()
  await expect(page.getByText('Receipt: in block 1')).toBeVisible()
})

test('shows that the user has rejected, and sends when asked again', async ({ page, chain, wallet }) => {
  wallet.rejectNext()
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await expect(page.getByRole('status')).toHaveText('User rejected the request.')
  await page.getByRole('button', { name: 'Connect preseal' }).click()

  const waiting = wallet.waitForPrompt('eth_sendTransaction')
  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  const prompt = await waiting
  await expect(page.getByRole('status')).toHaveText('pending')
  await prompt.reject()
  await expect(page.getByRole('status')).toHaveText('User rejected the request.')

  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  await expect(page.getByRole('status')).toHaveText('success')
  await chain.seal()
  await expect(page.getByText('Sealed: 10001')).toBeVisible()
})

test('follows a pre-confirmation that is retracted', async ({ page, chain }) => {
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  await expect(page.getByRole('status')).toHaveText('success')
  await chain.tick()
  await expect(page.getByText('Pre-confirmed: 10001')).toBeVisible()

  await chain.retract({ snapshots: 1 })
  await expect(page.getByText('Pre-confirmed: 10000', { exact: true })).toBeVisible()
  // The transaction waits again, and the next preconf block includes it.
  await chain.tick()
  await expect(page.getByText('Pre-confirmed: 10001')).toBeVisible()
})

test('follows a reorg that takes a sealed transaction back', async ({ page, chain }) => {
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  await expect(page.getByRole('status')).toHaveText('success')
  await chain.seal()
  await expect(page.getByText('Sealed: 10001')).toBeVisible()

  await chain.reorg({ depth: 1 })
  await expect(page.getByText('Sealed: 10000', { exact: true })).toBeVisible()
})

test('asks a user on another network to switch', async ({ page, chain, wallet }) => {
  wallet.switchChain(1)
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await page.getByRole('button', { name: 'Switch to Local' }).click()
  await expect(page.getByText(`Connected as ${chain.accounts[0].address}`)).toBeVisible()
})

test('follows the wallet to another account', async ({ page, chain, wallet }) => {
  await page.getByRole('button', { name: 'Connect preseal' }).click()
  await expect(page.getByText(`Connected as ${chain.accounts[0].address}`)).toBeVisible()
  await wallet.switchAccount(2)
  await expect(page.getByText(`Connected as ${chain.accounts[2]?.address}`)).toBeVisible()
})
