/** Frames, navigation, closed pages: each document has connections of its own, and leaves none. */
import { describe, expect, it } from 'vitest'
import { DAPP, eventsOf, openDapp, recordEvents, request, useBrowser } from './support.ts'

describe('the connections of a document', () => {
  useBrowser()

  it('are its own in each frame, by the origin of the frame', async () => {
    const { chain, wallet, page, openConnections } = await openDapp()
    await page.goto(`${DAPP}/nested`)
    const [same, other] = [page.frame('same')!, page.frame('other')!]
    const origins: string[] = []
    wallet.onPrompt(({ origin, frame }) => origins.push(`${origin} ${frame.name()}`))
    expect(await request(same, 'eth_requestAccounts')).toEqual([chain.accounts[0].address])
    expect(await request(page, 'eth_accounts')).toEqual([chain.accounts[0].address])
    expect(await request(other, 'eth_accounts')).toEqual([])
    await request(other, 'eth_requestAccounts')
    expect(origins).toEqual(['http://dapp.test same', 'http://other.test other'])
    // Filters are found by their connection only.
    const id = await request(same, 'eth_newBlockFilter')
    await request(page, 'eth_newBlockFilter')
    expect(await request(other, 'eth_getFilterChanges', [id])).toMatchObject({ code: -32000 })
    expect(openConnections()).toBe(4)
    await page.evaluate("document.querySelector('[name=same]').remove()")
    await request(page, 'eth_chainId')
    expect(openConnections()).toBe(3)
  })

  it('end with a reload and a navigation, and not within the document', async () => {
    const { chain, page, openConnections } = await openDapp({ connected: true })
    await request(page, 'eth_subscribe', ['newHeads'])
    await page.evaluate("history.pushState({}, '', '/other#hash')")
    await recordEvents(page)
    await chain.seal()
    expect(await eventsOf(page, 1)).toMatchObject([['message', { data: { result: { number: '0x1' } } }]])

    await page.reload()
    await recordEvents(page)
    await request(page, 'eth_chainId')
    await chain.seal()
    const id = await request(page, 'eth_subscribe', ['newHeads'])
    await chain.seal()
    // The subscription of the document before has sent nothing to this one.
    expect(await eventsOf(page, 1)).toMatchObject([
      ['message', { data: { subscription: id, result: { number: '0x3' } } }],
    ])
    await page.goto('http://other.test')
    await page.goto('about:blank')
    await request(page, 'eth_chainId')
    expect(openConnections()).toBe(2)
  })

  it('end with a page that is closed amid a request, and with its context', async () => {
    const { chain, context, page, openConnections } = await openDapp({ chain: { mining: 'auto' } })
    const second = await context.newPage()
    await second.goto(DAPP)
    await request(page, 'eth_subscribe', ['newHeads'])
    await request(second, 'eth_subscribe', ['newHeads'])
    const [, ended] = await Promise.allSettled([
      second.close(),
      request(second, 'eth_call', [{ to: chain.accounts[0].address }]),
    ])
    expect([ended.status, second.isClosed()]).toEqual(['rejected', true])
    await request(page, 'eth_chainId')
    expect(openConnections()).toBe(2)
    await context.close()
    expect(openConnections()).toBe(0)
  })

  it('end with the test: the page gets disconnect, later requests 4900, and later documents no wallet', async () => {
    const { wallets, context, page, openConnections } = await openDapp({ prompts: 'hold' })
    await recordEvents(page)
    await request(page, 'eth_subscribe', ['newHeads'])
    const [asking] = await Promise.all([
      request(page, 'eth_requestAccounts'),
      waitForPrompt(wallets, context),
    ])
    const disconnected = { name: 'DisconnectedError', code: 4900, message: 'disconnected' }
    expect(asking).toEqual(disconnected)
    expect(openConnections()).toBe(0)
    expect(await eventsOf(page, 1)).toEqual([['disconnect', ['DisconnectedError', 4900, 'disconnected']]])
    expect(await request(page, 'eth_chainId')).toEqual(disconnected)
    expect(await request(page, 'eth_unsubscribe', ['0x1'])).toBe(true)
    expect(await request(page, 'eth_uninstallFilter', ['0x1'])).toBe(true)
    await page.reload()
    expect(await page.evaluate(() => 'ethereum' in globalThis)).toBe(false)
  })

  it('begin again with the wallets of the next test on the same context', async () => {
    const first = await openDapp()
    await first.wallets.end()
    const second = await openDapp({ connected: true, account: 1 })
    await second.wallets.inContext(first.context)
    await first.page.reload()
    expect(await request(first.page, 'eth_accounts')).toEqual([second.chain.accounts[1]!.address])
  })
})

/** Ends the wallets once a prompt is open. */
async function waitForPrompt(
  wallets: Awaited<ReturnType<typeof openDapp>>['wallets'],
  context: Awaited<ReturnType<typeof openDapp>>['context'],
): Promise<void> {
  const wallet = await wallets.inContext(context)
  await wallet.waitForPrompt()
  await wallets.end()
}
