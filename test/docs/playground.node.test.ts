/** The playground, built by Vite and used in Chromium by keyboard, in windows of a desktop and of a phone. */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { build, type InlineConfig, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createChain } from '../../src/index.ts'
import { serve } from '../../src/kits/server/index.ts'
import { FULL } from '../full.ts'
import { LAUNCH_OPTIONS } from '../tools/chromium.ts'

const ROOT = join(import.meta.dirname, '../..')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }

/** Colour schemes and windows: each once, and all pairs in a full run. */
const LOOKS = [
  ['light', DESKTOP],
  ['dark', PHONE],
  ...(FULL
    ? ([
        ['dark', DESKTOP],
        ['light', PHONE],
      ] as const)
    : []),
] as const

/** Run in the page: records in `seen` the stages that each transaction of the timeline passes from now on. */
const RECORD_STAGES = `
  window.seen = {}
  new MutationObserver((records) => {
    for (const { target } of records) (seen[target.id] ??= []).push(target.dataset.stage)
  }).observe(document.querySelector('#timeline'), { subtree: true, attributeFilter: ['data-stage'] })
`

/** Makes all letters about twice as wide, wider than any font. */
const WIDE_LETTERS = '* { letter-spacing: 0.5em !important }'

/** Run in the page: its scroll width. */
const SCROLL_WIDTH = 'document.documentElement.scrollWidth'

/** Run in the page: the score of unexpected layout shifts. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(sum)))
})`

let folder: string
let server: PreviewServer
let browser: Browser

describe('the playground', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'playground-'))
    const config: InlineConfig = {
      root: join(ROOT, 'examples/playground'),
      configFile: false,
      logLevel: 'warn',
      resolve: {
        alias: {
          'preseal/explain': join(ROOT, 'src/inspect/explain/index.ts'),
          'preseal/worker': join(ROOT, 'src/kits/worker/index.ts'),
          preseal: join(ROOT, 'src/index.ts'),
        },
      },
      build: { outDir: folder, emptyOutDir: true },
      preview: { host: '127.0.0.1', port: 0 },
    }
    await build(config)
    server = await preview(config)
    browser = await chromium.launch(LAUNCH_OPTIONS)
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  })

  interface OpenOptions extends BrowserContextOptions {
    /** CSS added to the page. */
    readonly css?: string
  }

  /** Opens the page with its chain running; an error of the browser, such as one of the policy, fails the test. */
  async function open({ css, ...options }: OpenOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: DESKTOP, ...options })
    if (css !== undefined) {
      await page.route('**/*.css', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, body: `${await response.text()}\n${css}` })
      })
    }
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    onTestFinished(async () => {
      await page.close()
      expect(problems).toEqual([])
    })
    await page.goto(server.resolvedUrls!.local[0]!)
    await page.locator('#send-1:enabled').waitFor()
    return page
  }

  /** Opens the page and pauses the chain after the token is deployed and sealed. */
  async function openPaused(options?: OpenOptions): Promise<Page> {
    const page = await open(options)
    await press(page, 's', /^Block \d+ is sealed/)
    await press(page, 'p', /^The chain is paused/)
    // This block seals what was under way when the chain was paused.
    await press(page, 's', /^Block \d+ is sealed/)
    return page
  }

  /** Presses a key, and waits until the status line has this text. */
  async function press(page: Page, key: string, status: RegExp): Promise<void> {
    await page.keyboard.press(key)
    await page.getByRole('status').filter({ hasText: status }).waitFor()
  }

  /** Waits until a block of the timeline, by default the newest, has just `count` transactions, all of one stage. */
  async function stages(page: Page, stage: string, count: number, block = -1): Promise<void> {
    const group = page.locator('.block').nth(block)
    await group
      .locator(`.dot[data-stage=${stage}]`)
      .nth(count - 1)
      .waitFor()
    expect(await group.locator('.dot').count()).toBe(count)
  }

  async function checkByAxe(page: Page): Promise<void> {
    await page.evaluate(AXE)
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
  }

  /** The answers in both panes, once the verdict has this text. */
  async function answers(page: Page, verdict: string): Promise<string[]> {
    await page.locator('#verdict', { hasText: verdict }).waitFor()
    return page.locator('.pane dd').allTextContents()
  }

  describe('the playground', () => {
    it('shows a burst being pre-confirmed, then sealed, while the chain runs', async () => {
      const page = await open()
      // The deployment is sealed, and the next block has just begun.
      await press(page, 's', /^Block \d+ is sealed/)
      await page.evaluate(RECORD_STAGES)
      await page.getByRole('button', { name: 'Send 10 2' }).click()
      await page
        .getByRole('status')
        .filter({ hasText: /^10 transactions sealed within/ })
        .waitFor()
      const seen = await page.evaluate<string[][]>('Object.values(seen)')
      // A transaction sent right before a tick or a seal has reached the next stage before it is drawn.
      const reached = seen.map((stages) => stages.filter((stage) => stage !== 'waiting').join())
      const preconfirmed = reached.filter((stages) => stages === 'preconfirmed,sealed')
      expect(preconfirmed.length).toBeGreaterThan(0)
      expect(reached.filter((stages) => stages !== 'sealed')).toEqual(preconfirmed)
      expect(reached.length).toBe(10)
    })

    it('can be paused, stepped and sealed by keyboard', async () => {
      const page = await openPaused()
      await press(page, '2', /^10 transactions waiting/)
      await stages(page, 'waiting', 10)
      await press(page, 't', /^Preconf block 1 of block \d+: 10 new transactions\.$/)
      await stages(page, 'preconfirmed', 10)
      await press(page, '1', /^1 transaction waiting/)
      await press(page, 't', /^Preconf block 2 of block \d+: 1 new transaction\.$/)
      await stages(page, 'preconfirmed', 11)
      await press(page, 's', /^Block \d+ is sealed, with 11 transactions\.$/)
      await stages(page, 'sealed', 11, -2)
      await press(page, 'p', /^The chain is running again/)
      await page.locator('.block:last-child', { hasText: /preconf [2-9] / }).waitFor()
    })

    it('retracts the transactions of the last preconf block, which wait again and stay marked', async () => {
      const page = await openPaused()
      await press(page, 'r', /^Nothing is pre-confirmed now/)
      await press(page, '2', /^10 transactions waiting/)
      await press(page, 't', /^Preconf block 1 /)
      await press(page, '1', /^1 transaction waiting/)
      await press(page, 't', /^Preconf block 2 /)
      await press(page, 'r', /^1 transaction retracted: waiting again\.$/)
      const growing = page.locator('.block').last()
      await growing.locator('.dot[data-stage=waiting][data-retracted]').waitFor()
      expect(await growing.locator('.dot[data-stage=preconfirmed]:not([data-retracted])').count()).toBe(10)
      const details = page.getByRole('region', { name: 'Details' })
      await details.getByText('its transactions stay; 1 retracted before').waitFor()
      await press(page, 's', /^Block \d+ is sealed, with 11 transactions\.$/)
      await stages(page, 'sealed', 11, -2)
      expect(await page.locator('.block').nth(-2).locator('[data-retracted]').count()).toBe(1)
    })

    it('ignores letters and digits that are not shortcuts', async () => {
      const page = await openPaused()
      await page.locator('summary', { hasText: 'Keyboard' }).click()
      await page.getByLabel('Letters and digits are shortcuts').uncheck()
      await page.keyboard.press('1')
      // The next transaction; one sent by the key would come before it.
      await page.getByRole('button', { name: 'Send one' }).press('Enter')
      await stages(page, 'waiting', 1)
      await page.getByRole('button', { name: 'Step a tick' }).press('Enter')
      await page
        .getByRole('status')
        .filter({ hasText: /^Preconf block 1 of block \d+: 1 new transaction\.$/ })
        .waitFor()
    })

    it('shows the details of the selection, and follows it', async () => {
      const page = await openPaused()
      await press(page, '1', /^1 transaction waiting/)
      await stages(page, 'waiting', 1)
      await press(page, 't', /^Preconf block 1 /)
      await page.locator('#timeline').press('ArrowUp')
      const details = page.getByRole('region', { name: 'Details' })
      await details.getByText('pre-confirmed', { exact: true }).first().waitFor()
      expect(await details.textContent()).toMatch(
        /Transaction 0x\w{4}….*whatAlice pays Bob 0\.1 ether.*positionblock \d+, preconf block 1, index 0/s,
      )
      await press(page, 's', /^Block \d+ is sealed/)
      await details.locator('dd', { hasText: 'sealed' }).waitFor()
      await page.locator('#timeline').press('ArrowDown')
      await details.getByText('kept: the hash is that of its last preconf block').waitFor()
      await page.locator('#timeline').press('Escape')
      await details.getByText('its transactions stay').waitFor()
    })

    it.each(LOOKS)(
      'opens the call tree of a failed transaction, by keyboard: %s, %o',
      async (colorScheme, viewport) => {
        const page = await openPaused({ colorScheme, viewport })
        const tree = page.getByRole('region', { name: /^Why 0x\w{4}…\w{4} failed$/ })
        expect(await tree.count()).toBe(0)
        await press(page, 'f', /^1 transaction waiting/)
        await stages(page, 'waiting', 1)
        expect(await tree.count()).toBe(0)
        await press(page, 't', /^Preconf block 1 /)
        const frame = tree.locator('summary')
        await frame.waitFor()
        const lines = await tree.locator('summary, .line').allTextContents()
        expect(lines.map((line) => line.replaceAll(/0x\w+/g, '0x…').replaceAll(/\d{25}/g, '…'))).toEqual([
          '[24418] Token::transfer(to: 0x…, value: … [2e24])',
          '← [Revert] InsufficientBalance(account: 0x…, have: … [1e24], want: … [2e24])',
        ])
        const end = tree.locator('.line').last()
        await frame.focus()
        await page.keyboard.press('ArrowLeft')
        await end.waitFor({ state: 'hidden' })
        await page.keyboard.press('ArrowRight')
        await end.waitFor()
        await checkByAxe(page)
        expect(await page.evaluate(SCROLL_WIDTH)).toBe(viewport.width)
        await page.locator('#timeline').press('Escape')
        await tree.waitFor({ state: 'detached' })
      },
    )

    it('compares both endpoints, which differ until the block is sealed', async () => {
      const page = await openPaused()
      const before = await answers(page, 'Both give the same answer.')
      await press(page, '1', /^1 transaction waiting/)
      await stages(page, 'waiting', 1)
      await press(page, 't', /^Preconf block 1 /)
      expect(await answers(page, 'The answers differ.')).toEqual([before[0], '10,000.1 ether'])
      await press(page, 's', /^Block \d+ is sealed/)
      expect(await answers(page, 'Both give the same answer.')).toEqual(['10,000.1 ether', '10,000.1 ether'])

      await page.getByLabel('Request').selectOption('Receipt of the last transaction')
      await press(page, '1', /^1 transaction waiting/)
      await stages(page, 'waiting', 1)
      await press(page, 't', /^Preconf block 1 /)
      const [status, block, hash, gas, ...preconf] = await answers(page, 'The answers differ.')
      expect([status, block, hash, gas]).toEqual(['null', 'null', 'null', 'null'])
      await press(page, 's', /^Block \d+ is sealed/)
      expect(await answers(page, 'Both give the same answer.')).toEqual([...preconf, ...preconf])
    })

    it('is as wide as a phone, has no layout shifts, and respects reduced motion', async () => {
      // Shifts outside of the viewport are not scored, so it covers the whole page.
      const page = await open({ viewport: { ...PHONE, height: 3000 }, reducedMotion: 'reduce' })
      await press(page, '3', /^100 transactions sealed within/)
      expect(await page.evaluate(SCROLL_WIDTH)).toBe(PHONE.width)
      expect(await page.evaluate('document.getAnimations().length')).toBe(0)
      expect(await page.evaluate(LAYOUT_SHIFT)).toBe(0)
    })

    it.each([PHONE, DESKTOP])('fits its window in any font: %o', async (viewport) => {
      const page = await openPaused({ viewport, css: WIDE_LETTERS })
      await press(page, '2', /^10 transactions waiting/)
      await press(page, 't', /^Preconf block 1 /)
      await answers(page, 'The answers differ.')
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect(await page.evaluate(SCROLL_WIDTH)).toBe(viewport.width)
    })

    it('follows the colour scheme of the system until it is switched, and remembers the switch', async () => {
      const page = await open({ colorScheme: 'dark' })
      const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
      const dark = await background()
      await page.getByRole('button', { name: 'Light colours' }).click()
      const light = await background()
      expect(light).not.toBe(dark)
      await page.reload()
      await page.getByRole('button', { name: 'Dark colours' }).waitFor()
      expect(await background()).toBe(light)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.getByRole('button', { name: 'Dark colours' }).click()
      expect(await background()).toBe(dark)
    })

    it('keeps its chain across reloads if it is switched on, until it is forgotten', async () => {
      const page = await open()
      const keep = page.getByLabel('Keep the chain across reloads')
      const forget = page.getByRole('button', { name: 'Forget the kept chain' })
      const balance = page.locator('.pane[data-view=standard] dd')
      const start = async () => {
        await page.locator('#keep:enabled').waitFor({ state: 'attached' })
        await page.locator('summary', { hasText: 'Keeping the chain' }).click()
      }
      /** Does what loads the page again. */
      const restart = async (act: () => Promise<unknown>) => {
        await Promise.all([page.waitForEvent('load'), act()])
        await start()
      }
      await start()
      expect([await keep.isChecked(), await forget.isEnabled()]).toEqual([false, false])
      await restart(() => keep.click())
      expect([await keep.isChecked(), await forget.isEnabled()]).toEqual([true, true])
      await press(page, '1', /^1 transaction sealed within/)
      await balance.filter({ hasText: /^10,000\.1 ether$/ }).waitFor()
      await restart(() => page.reload())
      await balance.filter({ hasText: /^10,000\.1 ether$/ }).waitFor()
      await restart(() => forget.click())
      expect(await keep.isChecked()).toBe(true)
      await balance.filter({ hasText: /^10,000 ether$/ }).waitFor()
      await restart(() => keep.click())
      expect([await keep.isChecked(), await forget.isEnabled()]).toEqual([false, true])
      await restart(() => forget.click())
      expect([await keep.isChecked(), await forget.isEnabled()]).toEqual([false, false])
    })

    it('forks the chain of a node until it is stopped, and goes on from what it kept without the node', async () => {
      const remote = await createChain({ mining: 'auto' })
      const node = await serve(remote, { port: 0, preconfPort: 0 })
      onTestFinished(async () => {
        await node.close()
        await remote.close()
      })
      const { block } = await remote.mine(7)
      const page = await open()
      const fork = async (at: string) => {
        await page.locator('#start-fork:enabled').waitFor({ state: 'attached' })
        if ((await page.locator('#forking[open]').count()) === 0)
          await page.getByText('Forking a chain').click()
        await page.getByLabel('URL of a node').fill(node.url)
        await page.getByLabel('Block: number, hash or tag').fill(at)
        const button = page.getByRole('button', { name: 'Fork', exact: true })
        await Promise.all([page.waitForEvent('load'), button.click()])
        await page.locator('#start-fork:enabled').waitFor({ state: 'attached' })
      }
      const line = () => page.locator('#forked').textContent()
      await fork('999')
      const problem = 'the forked node has no block 999; set fork.block to one that it has'
      expect(await line()).toBe(`The chain is no fork: ${problem}`)
      expect(await page.getByRole('status').textContent()).toBe(`No fork: ${problem}`)
      await fork(block.hash)
      expect(await line()).toBe(
        'The chain is a fork of chain 31337 at block 7. Signatures are valid on both.',
      )
      await press(page, 's', /^Block 8 is sealed/)
      await press(page, '1', /^1 transaction sealed within/)
      await node.close()
      await page.reload()
      await page.locator('#start-fork:enabled').waitFor({ state: 'attached' })
      await press(page, 's', /^Block 8 is sealed/)
      await press(page, '1', /^1 transaction sealed within/)
      await page.getByText('Forking a chain').click()
      const stop = page.getByRole('button', { name: 'Stop forking' })
      await Promise.all([page.waitForEvent('load'), stop.click()])
      await page.locator('#start-fork:enabled').waitFor({ state: 'attached' })
      expect([await line(), await page.locator('#stop-fork').isEnabled()]).toEqual([
        'The chain is no fork.',
        false,
      ])
    })

    it('starts a chain of its own if what it remembers of a fork is damaged', async () => {
      const page = await open()
      for (const value of ['{"url":', 'null', '{"url":5,"block":"latest"}']) {
        await page.evaluate(`localStorage.setItem('fork', ${JSON.stringify(value)})`)
        await page.reload()
        await page.locator('#start-fork:enabled').waitFor({ state: 'attached' })
        expect(await page.locator('#forked').textContent()).toBe('The chain is no fork.')
      }
    })

    it.each(LOOKS)('passes the checks of axe: %s, %o', async (colorScheme, viewport) => {
      const page = await openPaused({ colorScheme, viewport })
      await press(page, '2', /^10 transactions waiting/)
      await stages(page, 'waiting', 10)
      await press(page, 't', /^Preconf block 1 /)
      await press(page, '1', /^1 transaction waiting/)
      await press(page, 't', /^Preconf block 2 /)
      await press(page, 'r', /retracted/)
      for (const summary of await page.locator('summary').all()) await summary.click()
      await page.locator('#timeline').press('ArrowUp')
      await answers(page, 'The answers differ.')
      await checkByAxe(page)
    })
  })
})
