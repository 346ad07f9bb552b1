/** The site, built from its lock file and served as files: links, accessibility, search, sizes, live code and playground. */
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import type axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as errors from '../../src/kits/errors/index.ts'
import requireChromium, { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../tools/chromium.ts'
import { type Firefox, type FirefoxPage, launchFirefox, SKIPS_FIREFOX } from '../tools/firefox.ts'
import { run } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCS = join(ROOT, 'docs')
const BUILT = join(DOCS, '.vitepress/dist')
const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8')
const DESKTOP = { width: 1440, height: 900 }
const PHONE = { width: 375, height: 812 }

/** The pages that are looked at one by one. */
const PAGES = [
  '/',
  '/guide/',
  '/guide/quick-start.html',
  '/clients/viem.html',
  '/anywhere/',
  '/features/limits.html',
  '/reference/',
  '/reference/methods/eth_call.html',
  '/reference/errors.html',
  '/internals/spec.html',
  '/404.html',
] as const

const QUICK_START = 'pre-confirmed in block 1: bob has 10001 ether\nsealed with the pre-confirmed hash: true'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** The files of the site, with `/` between folders. */
const listFiles = (folder = BUILT): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(BUILT, join(parentPath, name)).replaceAll(sep, '/'))

/** The file of an address; undefined if there is none. */
function fileOf(pathname: string): string | undefined {
  const path = join(BUILT, decodeURIComponent(pathname))
  const found = [path, `${path}.html`, join(path, 'index.html')].find(
    (file) => file.startsWith(BUILT) && existsSync(file) && statSync(file).isFile(),
  )
  return found
}

/** A server that knows only files, as a host of static sites. */
async function serveFiles(): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const found = fileOf(pathname)
    const file = found ?? join(BUILT, '404.html')
    response.writeHead(found === undefined ? 404 : 200, { 'Content-Type': TYPES[extname(file)] ?? '' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const trial = it.skipIf(SKIPS_CHROMIUM)

describe('the site', () => {
  let server: Server
  let origin: string
  let browser: Browser | undefined
  let firefox: Firefox | undefined

  beforeAll(async () => {
    requireChromium()
    await run('npm', ['ci', '--prefix', DOCS], { timeout: 120_000 })
    await run('npm', ['run', 'docs:build'], { cwd: ROOT, timeout: 480_000 })
    server = await serveFiles()
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (!SKIPS_CHROMIUM) browser = await chromium.launch(LAUNCH_OPTIONS)
    if (!SKIPS_FIREFOX) firefox = await launchFirefox()
  })

  afterAll(async () => {
    await browser?.close()
    await firefox?.close()
    server?.close()
  })

  /** Opens a page; an error of it, or a request to elsewhere, fails the test. */
  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser!.newContext({ viewport: DESKTOP, ...options })
    const problems: string[] = []
    context.on('request', (request) => {
      const url = new URL(request.url())
      if (/^https?:$/.test(url.protocol) && url.origin !== origin) problems.push(request.url())
    })
    context.on('console', (message) => problems.push(message.text()))
    context.on('weberror', (error) => problems.push(String(error.error())))
    onTestFinished(async () => {
      await context.close()
      expect(problems).toEqual([])
    })
    const page = await context.newPage()
    await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
    // Its title is set when the page's script has taken the page over.
    await page.locator('.VPSwitchAppearance:not([title=""])').first().waitFor({ state: 'attached' })
    return page
  }

  it('passes the compiler', async () => {
    const { stdout } = await run('npx', ['tsc', '-p', DOCS], { cwd: ROOT })
    expect(stdout).toBe('')
  })

  it('has no link to a page or a heading that it does not have', () => {
    const pages = listFiles().filter((file) => file.endsWith('.html') && !file.startsWith('playground-app/'))
    const texts = new Map(pages.map((file) => [join(BUILT, file), readFileSync(join(BUILT, file), 'utf8')]))
    const ids = new Map(
      [...texts].map(([file, text]) => [
        file,
        new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    )
    const broken = [...texts].flatMap(([file, text]) => {
      const page = new URL(relative(BUILT, file).replaceAll(sep, '/'), 'http://site/')
      const links = [...text.matchAll(/<a\s[^>]*?href="([^"]+)"/g)].map(([, href]) =>
        href!.replaceAll('&amp;', '&'),
      )
      return links
        .filter((href) => {
          const { host, pathname, hash } = new URL(href, page)
          if (host !== 'site') return false
          const target = fileOf(pathname)
          if (target === undefined) return true
          return hash.length > 1 && !ids.get(target)?.has(decodeURIComponent(hash.slice(1)))
        })
        .map((href) => `${page.pathname}: ${href}`)
    })
    expect(pages.length).toBeGreaterThanOrEqual(PAGES.length)
    expect(broken).toEqual([])
  })

  it('has the place that each error names', () => {
    const page = readFileSync(join(BUILT, 'reference/errors.html'), 'utf8')
    const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => `/reference/errors.html#${id}`))
    const paths = Object.entries(errors)
      .filter(([name]) => name.endsWith('Error'))
      .map(([name, { prototype }]) => String(Reflect.get(prototype, 'docsPath', { name })))
    expect(paths.filter((path) => !ids.has(path))).toEqual([])
  })

  it('is at most 20 MB on a disk with blocks of 4 KiB', () => {
    const blocks = listFiles().map((file) => Math.ceil(statSync(join(BUILT, file)).size / 4096))
    const folders = new Set(listFiles().map((file) => dirname(file))).size
    expect((blocks.reduce((sum, count) => sum + count, 0) + folders) * 4096).toBeLessThan(20_000_000)
  })

  trial('loads at most 150 kB of compressed JavaScript with its first page', async () => {
    const context = await browser!.newContext({ viewport: DESKTOP })
    onTestFinished(() => context.close())
    const scripts = new Set<string>()
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) scripts.add(pathname)
    })
    const page = await context.newPage()
    await page.goto(origin, { waitUntil: 'networkidle' })
    const bytes = [...scripts].reduce(
      (sum, path) => sum + gzipSync(readFileSync(join(BUILT, path))).length,
      0,
    )
    expect(scripts.size).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(150_000)
  })

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    trial.each(PAGES)('axe finds nothing on %s', async (path) => {
      const page = await open(path, { colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(AXE)
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
      expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))).toEqual([])
    })
  })

  trial.each([...PAGES, '/playground.html'])('%s is as wide as its window', async (path) => {
    const page = await open(path, { viewport: PHONE })
    const widths: number[] = []
    for (const width of [PHONE.width, 768, 1024]) {
      await page.setViewportSize({ width, height: 900 })
      widths.push(await page.evaluate<number>('document.documentElement.scrollWidth'))
    }
    expect(widths).toEqual([PHONE.width, 768, 1024])
  })

  trial.each(['eth_call', 'faults'])('finds %s without a server', async (word) => {
    const page = await open('/')
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill(word)
    await page.locator('.VPLocalSearchBox .results a').first().click()
    await page.getByRole('main').getByText(new RegExp(word, 'i')).first().waitFor()
  })

  /** The output below the live code of a page, by default its first, once it has ended. */
  async function runCode(page: Page, index = 0): Promise<string> {
    const live = page.locator('.live').nth(index)
    await live.getByRole('button', { name: 'Run' }).click()
    await live.getByText('Runs in this page').waitFor()
    return (await live.getByRole('log').locator('pre').allTextContents()).join('\n')
  }

  /** Replaces the code in the editor. */
  async function replaceCode(page: Page, code: string): Promise<void> {
    const live = page.locator('.live').first()
    const edit = live.getByRole('button', { name: 'Edit' })
    if (await edit.isVisible()) await edit.click()
    const editor = live.getByRole('textbox', { name: 'Code' })
    await editor.waitFor()
    await editor.fill(code)
  }

  trial('runs the quick start in the page, as it is and changed', async () => {
    const page = await open('/guide/quick-start.html')
    expect(await runCode(page)).toBe(QUICK_START)
    await replaceCode(
      page,
      "import { formatGwei } from 'viem'\nconst gwei: string = formatGwei(7n)\nconsole.log({ gwei })",
    )
    expect(await runCode(page)).toBe("{ gwei: '0.000000007' }")
    await page.getByRole('button', { name: 'Reset' }).click()
    expect(await runCode(page)).toBe(QUICK_START)
  })

  trial('runs all code that pages offer to run, and each prints what it does', async () => {
    const offering = listFiles().filter(
      (file) => file.endsWith('.html') && readFileSync(join(BUILT, file), 'utf8').includes('class="live"'),
    )
    const outputs: Record<string, string> = {}
    for (const file of offering) {
      const page = await open(`/${file}`)
      const count = await page.locator('.live').count()
      for (let i = 0; i < count; i++) outputs[`${file} ${i}`] = await runCode(page, i)
      await page.context().close()
    }
    expect(Object.keys(outputs).length).toBeGreaterThan(20)
    const isFailure = ([, output]: [string, string]) => output === '' || /Error: |Ended after/.test(output)
    expect(Object.entries(outputs).filter(isFailure)).toEqual([])
  })

  trial('shows the errors of code, and stops code that does not end', async () => {
    const page = await open('/guide/quick-start.html')
    const live = page.locator('.live').first()
    await replaceCode(page, "import { readFile } from 'node:fs/promises'\nconsole.log(readFile)")
    expect(await runCode(page)).toMatch(
      /^Error: 'node:fs\/promises' cannot be imported here; there are preseal, /,
    )
    await replaceCode(page, "throw new RangeError('too far')")
    expect(await runCode(page)).toBe('RangeError: too far')
    await replaceCode(page, 'const = 1')
    expect(await runCode(page)).toMatch(/^SyntaxError: /)
    await replaceCode(page, "console.log('on'); while (true) {}")
    await live.getByRole('button', { name: 'Run' }).click()
    await live.getByRole('log').getByText('on', { exact: true }).waitFor()
    await live.getByRole('button', { name: 'Stop' }).click()
    await live.getByRole('log').getByText('Stopped.').waitFor()
    await live.getByRole('button', { name: 'Run' }).waitFor()
  })

  trial('ends code at the time limit', async () => {
    const page = await open('/guide/quick-start.html')
    const live = page.locator('.live').first()
    await page.clock.install()
    await replaceCode(page, "console.log('on'); while (true) {}")
    await live.getByRole('button', { name: 'Run' }).click()
    await live.getByRole('log').getByText('on', { exact: true }).waitFor()
    await page.clock.fastForward(20_000)
    await live.getByRole('log').getByText('Ended after 20 s, the limit.').waitFor()
    await live.getByRole('button', { name: 'Run' }).waitFor()
  })

  trial('has the playground, in the colours of the site', async () => {
    const page = await open('/playground.html', { colorScheme: 'light' })
    const playground = page.frameLocator('iframe')
    await playground.locator('#send-1:enabled').click()
    await playground
      .getByRole('status')
      .filter({ hasText: /^1 transaction sealed within/ })
      .waitFor()
    await playground.locator('html[data-theme=light]').waitFor()
    await page.getByRole('switch').first().click()
    await playground.locator('html[data-theme=dark]').waitFor()
    expect(await playground.locator('.masthead').isVisible()).toBe(false)
  })

  describe.skipIf(SKIPS_FIREFOX)('in Firefox', () => {
    /** Opens a page; a message in its console fails the test. */
    async function openInFirefox(path: string): Promise<FirefoxPage> {
      const page = await firefox!.open(`${origin}${path}`)
      onTestFinished(async () => {
        await page.close()
        expect(firefox!.takeMessages()).toEqual([])
      })
      return page
    }

    it('runs the quick start in the page', async () => {
      const page = await openInFirefox('/guide/quick-start.html')
      await page.evaluate("globalThis.live = document.querySelector('.live')")
      // A click does nothing until the scripts of the page have loaded.
      await page.until(
        "live.querySelector('.live-output').checkVisibility() || live.querySelector('.live-run').click()",
      )
      await page.until("live.querySelector('.live-run') && live.querySelector('.live-output pre')")
      const lines = await page.evaluate<string[]>(
        "Array.from(live.querySelectorAll('.live-output pre'), ({ textContent }) => textContent)",
      )
      expect(lines.join('\n')).toBe(QUICK_START)
    })

    it('has the playground', async () => {
      const page = await openInFirefox('/playground.html')
      const inFrame = (selector: string) =>
        `document.querySelector('iframe')?.contentDocument.querySelector('${selector}')`
      await page.until(inFrame('#send-1:enabled'))
      await page.evaluate(`${inFrame('#send-1')}.click()`)
      await page.until(`/^1 transaction sealed within/.test(${inFrame('[role=status]')}.textContent.trim())`)
      expect(await page.evaluate(`getComputedStyle(${inFrame('.masthead')}).display`)).toBe('none')
    })
  })
})
