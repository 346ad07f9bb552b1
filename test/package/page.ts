/** What the trials in pages share: a page, its worker, and policies. */
import type { Browser, Page } from 'playwright'
import { preview } from 'vite'
import { onTestFinished } from 'vitest'
import { createProject, type Project, toolCommand } from './project.ts'
import { CLIENT_TOOLS, esModules } from './stories.ts'

/** Allows scripts of the origin, and WebAssembly. */
export const STRICT = "script-src 'self' 'wasm-unsafe-eval'"

/** Allows no WebAssembly either. */
export const STRICTEST = "script-src 'self'"

/** The page of a project, whose script is `main.js`. */
export const HTML = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>project</title><link rel="icon" href="data:,">
<script type="module" src="./main.js"></script></html>`

/** A page that runs the story. */
export const STORY_PAGE = `
import { story } from './story.js'
globalThis.result = story()`

/** A worker that serves a chain to its page. */
export const CHAIN_WORKER = `
import { createChain } from 'preseal'
import { exposeChain } from 'preseal/worker'
exposeChain(createChain)`

/** Builds a project whose page is `main.js` by Vite. @returns it, and the output of Vite. */
export async function buildProject(
  files: Readonly<Record<string, string>>,
): Promise<{ readonly project: Project; readonly log: string }> {
  const project = await createProject({
    tools: [...CLIENT_TOOLS, 'vite'],
    files: { ...esModules, 'index.html': HTML, ...files },
  })
  const { stdout, stderr } = await project.run(toolCommand('vite'), ['build'])
  return { project, log: stdout + stderr }
}

/**
 * Opens a built page under a policy until the test ends, and waits for its `result`.
 *
 * @returns the page and the messages of its console, which may grow.
 */
export async function servePage(
  browser: Browser,
  { folder }: Project,
  policy: string,
): Promise<{ readonly page: Page; readonly messages: readonly string[] }> {
  const server = await preview({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': policy } },
  })
  onTestFinished(() => server.close())
  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const messages: string[] = []
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', ({ message }) => messages.push(`error: ${message}`))
  await page.goto(server.resolvedUrls!.local[0]!)
  await page.waitForFunction(() => 'result' in globalThis)
  return { page, messages }
}

/** Opens a built page. @returns its result and the messages of its console. */
export async function readPage(
  browser: Browser,
  project: Project,
  policy: string,
): Promise<{ readonly result: unknown; readonly messages: readonly string[] }> {
  const { page, messages } = await servePage(browser, project, policy)
  return { result: await page.evaluate(() => Reflect.get(globalThis, 'result')), messages }
}
