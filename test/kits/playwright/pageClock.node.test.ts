/** The clocks of pages, which advance with the chain's. */
import { describe, expect, it } from 'vitest'
import { PagesStuckError } from '../../../src/kits/playwright/errors.ts'
import { DAPP, openContext, openDapp, useBrowser } from './support.ts'

/** Run in the page: counts how often timers fire, and how often at the chain's head. */
const count = () => {
  const fired: number[] = [0, 0]
  Reflect.set(globalThis, 'fired', fired)
  setTimeout(() => fired[0]!++, 3_600_000)
  setInterval(() => fired[1]!++, 30_000)
}
const fired = () => Reflect.get(globalThis, 'fired') as number[]

describe('the clock of a page', () => {
  useBrowser()

  it('begins at the time of the chain and advances with it, in every context', async () => {
    const { chain, wallets, page } = await openDapp({ pageClock: true })
    const other = await (await openContext(wallets)).newPage()
    await other.goto(DAPP)
    const start = chain.clock.now()
    const pages = [page, other]
    for (const one of pages) {
      // Time passes in pages until it is stopped.
      expect(await one.evaluate(() => Date.now())).toBeGreaterThanOrEqual(start)
      await one.evaluate(count)
    }
    await chain.advance(60_000)
    for (const one of pages) {
      expect(await one.evaluate(() => Date.now())).toBeGreaterThanOrEqual(start + 60_000)
      expect(await one.evaluate(fired)).toEqual([0, 2])
    }
    // A longer time is a jump: each timer fires once at most.
    await chain.advance(3_600_000)
    expect(await page.evaluate(fired)).toEqual([1, 3])
  })

  it('is left alone once its context is closed', async () => {
    const { chain, wallets, context } = await openDapp({ pageClock: true })
    await (await openContext(wallets)).close()
    await Promise.all([chain.advance(1000), context.close()])
    await chain.advance(1000)
    expect(chain.clock.elapsed).toBe(2000)
  })

  it('is left alone once its page has crashed, whatever the error of another page says', async () => {
    const { chain, context, page } = await openDapp({ pageClock: true })
    const other = await context.newPage()
    await other.goto(DAPP)
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('the channel is closed')
      }, 50_000)
    })
    await expect(chain.advance(60_000)).rejects.toThrow('the channel is closed')
    const session = await context.newCDPSession(page)
    const crashed = page.waitForEvent('crash')
    session.send('Page.crash').catch(() => {})
    await crashed
    await other.evaluate(count)
    await chain.advance(60_000)
    expect(chain.clock.elapsed).toBe(120_000)
    expect(await other.evaluate(fired)).toEqual([0, 2])
    expect(page.isClosed()).toBe(true)
  })

  it('is named if it has not advanced yet', async () => {
    const { chain, wallets, page } = await openDapp({ pageClock: true })
    expect(wallets.findStuckPages()).toBe(undefined)
    const opened = page.waitForEvent('dialog')
    await page.evaluate(() => void setTimeout(() => Reflect.get(globalThis, 'alert')('wait'), 50_000))
    const advancing = chain.advance(60_000)
    const dialog = await opened
    expect(wallets.findStuckPages()).toEqual(new PagesStuckError(60_000, [`${DAPP}/`]))
    await dialog.accept()
    await advancing
    expect(wallets.findStuckPages()).toBe(undefined)
  })

  it("is the browser's own if the chain has the system clock", async () => {
    const { chain, page } = await openDapp()
    const before = Date.now()
    await chain.advance(1000)
    expect(await page.evaluate(() => Date.now())).toBeGreaterThanOrEqual(before)
  })
})
