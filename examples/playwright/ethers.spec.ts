/** The dapp of ethers, whose chain makes its blocks in real time. */
import { expect, test } from 'preseal/playwright'

test('connects and sends: the balance is pre-confirmed, then sealed', async ({ page, chain }) => {
  await page.goto('http://localhost:5174')
  await page.getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByText(/^Connected as 0x/)).toBeVisible()
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Pre-confirmed: 10001.0')).toBeVisible()
  await expect(page.getByText('Sealed: 10001.0')).toBeVisible()
  expect(await chain.live.request({ method: 'eth_blockNumber' })).not.toBe('0x0')
})

test('shows that the user has rejected', async ({ page, wallet }) => {
  await wallet.connect()
  wallet.reject()
  await page.goto('http://localhost:5174')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('status')).toHaveText('You rejected it.')
})

test('follows a reorg and a pre-confirmation that is retracted', async ({ page, chain, wallet }) => {
  chain.stop()
  await wallet.connect()
  await page.goto('http://localhost:5174')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('status')).toHaveText('sent')
  await chain.tick()
  await expect(page.getByText('Pre-confirmed: 10001.0')).toBeVisible()
  await chain.retract({ snapshots: 1 })
  await expect(page.getByText('Pre-confirmed: 10000.0')).toBeVisible()
  await chain.seal()
  await expect(page.getByText('Sealed: 10001.0')).toBeVisible()
  await chain.reorg({ depth: 1 })
  await expect(page.getByText('Sealed: 10000.0')).toBeVisible()
})

test('lets two users meet, each in a browser context with a wallet', async ({
  page,
  browser,
  chain,
  wallet,
}) => {
  const context = await browser.newContext()
  const bobs = await wallet.inContext(context)
  await bobs.switchAccount(1)
  const bobsPage = await context.newPage()
  for (const one of [page, bobsPage]) {
    await one.goto('http://localhost:5174')
    await one.getByRole('button', { name: 'Connect' }).click()
  }
  await expect(page.getByText(/^Connected as 0x/)).toHaveText(new RegExp(chain.accounts[0].address, 'i'))
  await expect(bobsPage.getByText(/^Connected as 0x/)).toHaveText(
    new RegExp(`${chain.accounts[1]?.address}`, 'i'),
  )
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(bobsPage.getByText('Sealed: 10001.0')).toBeVisible()
})

test.describe('under a manual clock', () => {
  test.use({ chainClock: 'manual' })

  test('lets no time pass but what the test says, in the page too', async ({ page, chain, wallet }) => {
    await wallet.connect()
    await page.goto('http://localhost:5174')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByRole('status')).toHaveText('sent')
    await chain.advance(200)
    await expect(page.getByText('Pre-confirmed: 10001.0')).toBeVisible()
    await expect(page.getByText('Sealed: 10000.0')).toBeVisible()
    await chain.advance(1800)
    await expect(page.getByText('Sealed: 10001.0')).toBeVisible()
    // ethers polls with a timer of the page.
    await expect(page.getByRole('status')).toHaveText('in block 1')
  })
})
