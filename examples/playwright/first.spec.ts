/** A first test: a page without a server, whose wallet sends on the chain of the test. */
import { expect, test } from 'preseal/playwright'

test('a page connects, sends, and sees the balance change', async ({ page, chain }) => {
  const [alice, bob] = chain.accounts
  await page.setContent(`
    <button>Send</button>
    <output></output>
    <script>
      const request = (method, ...params) => ethereum.request({ method, params })
      document.querySelector('button').onclick = async () => {
        const [from] = await request('eth_requestAccounts')
        await request('eth_sendTransaction', { from, to: '${bob?.address}', value: '0x1' })
        document.querySelector('output').textContent = 'Sent by ' + from
      }
    </script>`)
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText(`Sent by ${alice.address}`)).toBeVisible()

  const balance = (block: 'pending' | 'latest') =>
    chain.live.request({ method: 'eth_getBalance', params: [`${bob?.address}`, block] })
  await expect.poll(() => balance('pending')).toBe('0x21e19e0c9bab2400001')
  await expect.poll(() => balance('latest')).toBe('0x21e19e0c9bab2400001')
})
