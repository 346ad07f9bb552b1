/** The page of an explanation in Chromium: axe, keyboard, light and dark, wide and narrow. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { explanationToHtml } from '../../../src/inspect/explain/html.ts'
import * as artifacts from '../../contracts/artifacts.ts'
import { HEIR, startNests } from '../../core/trace/nest.ts'
import { LAUNCH_OPTIONS } from '../../tools/chromium.ts'

const AXE = readFileSync(join(import.meta.dirname, '../../../node_modules/axe-core/axe.min.js'), 'utf8')
const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }

/** The page of a tree with all kinds of lines, and a note. */
async function createPage(): Promise<string> {
  const { chain, seal, other } = await startNests()
  const hash = await seal('everything', [other, HEIR], { value: 100n, gas: 9_000_000n })
  const given = { ...artifacts, '<b>broken</b>': 'no artifact' }
  return explanationToHtml(await chain.explain(hash, { artifacts: given, storage: true }))
}

describe.runIf(LAUNCH_OPTIONS !== undefined)('the page of an explanation', () => {
  let browser: Browser
  let html: string

  beforeAll(async () => {
    browser = await chromium.launch(LAUNCH_OPTIONS)
  })

  afterAll(() => browser.close())

  async function open(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
    html ??= await createPage()
    const context = await browser.newContext({ viewport: DESKTOP, ...options })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('console', (message) => problems.push(message.text()))
    page.on('request', (request) => problems.push(`requests ${request.url()}`))
    await page.setContent(html)
    return { page, problems }
  }

  it.each([
    ['light', DESKTOP],
    ['dark', DESKTOP],
    ['light', PHONE],
    ['dark', PHONE],
  ] as const)(
    'passes the checks of axe, fits the window and loads nothing: %s, %o',
    async (colorScheme, viewport) => {
      const { page, problems } = await open({ colorScheme, viewport })
      await page.evaluate(AXE)
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
      expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      expect(problems).toEqual([])
    },
  )

  it('is moved through, closed and opened by arrow keys', async () => {
    const { page } = await open()
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    const isOpen = () => page.evaluate<boolean>('document.activeElement.parentElement.open')
    await page.locator('summary').first().focus()
    expect(await focused()).toContain('Nest::everything')
    await page.keyboard.press('ArrowRight')
    const first = await focused()
    expect(first).not.toContain('everything')
    await page.keyboard.press('ArrowLeft')
    expect(await isOpen()).toBe(false)
    await page.keyboard.press('ArrowRight')
    expect(await isOpen()).toBe(true)
    await page.keyboard.press('Enter')
    expect(await isOpen()).toBe(false)
    await page.keyboard.press('ArrowDown')
    expect(await focused()).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(first)
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toContain('Nest::everything')
  })

  it('opens and closes all frames by buttons', async () => {
    const { page } = await open()
    const opened = () => page.locator('details[open]').count()
    const all = await page.locator('details').count()
    expect(await opened()).toBe(all)
    await page.getByRole('button', { name: 'Collapse all' }).click()
    expect(await opened()).toBe(0)
    await page.getByRole('button', { name: 'Expand all' }).click()
    expect(await opened()).toBe(all)
  })

  it('shows markup of artifacts and titles as text', async () => {
    const { page } = await open()
    expect(await page.locator('b').count()).toBe(0)
    const { chain } = await startNests()
    const titled = explanationToHtml(await chain.explain({}), { title: '<i>"&\'' })
    await page.setContent(titled)
    expect(await page.title()).toBe('<i>"&\'')
    expect(await page.locator('h1').textContent()).toBe('<i>"&\'')
  })
})
