/**
 * How long a chain takes to start, in stages: `npx tsx bench/start.ts [dist folder]`, from the repository root after a
 * build. Every start has a new Node process, or a new page of Chromium with an empty cache.
 */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { chromium } from 'playwright'
import { preview } from 'vite'
import { LAUNCH_OPTIONS } from '../test/tools/chromium.ts'
import { median } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'

const STARTS = 15

const folder = resolve(process.argv[2] ?? 'dist')

/** The milliseconds of each stage for the package at an address; self-contained, since it runs in Node and in pages. */
async function start(address: string): Promise<number[]> {
  const begun = performance.now()
  const { createChain } = (await import(address)) as typeof import('preseal')
  const imported = performance.now()
  const chain = await createChain()
  const created = performance.now()
  await chain.preconf.request({ method: 'eth_blockNumber' })
  const answered = performance.now()
  await chain.close()
  return [imported - begun, created - imported, answered - created, answered - begun]
}

async function inNode(): Promise<number[]> {
  const address = pathToFileURL(resolve(folder, 'index.js')).href
  // The compiler of this file may have wrapped functions in `__name`, which the process does not have.
  const program = `const __name = (fn) => fn; console.log(JSON.stringify(await (${start})('${address}')))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return JSON.parse(stdout)
}

const server = await preview({
  configFile: false,
  logLevel: 'silent',
  build: { outDir: folder },
  preview: { host: '127.0.0.1', port: 0 },
})
const url = server.resolvedUrls!.local[0]!
const browser = await chromium.launch(LAUNCH_OPTIONS)

async function inPage(): Promise<number[]> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}THIRD-PARTY-NOTICES.txt`)
  const program = `(() => { const __name = (fn) => fn; return (${start})('${url}index.js') })()`
  const stages = (await page.evaluate(program)) as number[]
  await context.close()
  return stages
}

const head = ['ms, the median of starts', 'import', 'createChain()', 'first answer', 'together']
const lines = [head]
for (const [label, once] of [
  ['Node', inNode],
  ['a page', inPage],
] as const) {
  const starts: number[][] = []
  for (let turn = 0; turn < STARTS; turn++) starts.push(await once())
  lines.push([
    label,
    ...head.slice(1).map((_, stage) => formatValue(median(starts.map((stages) => stages[stage]!)))),
  ])
}
console.log(alignColumns(lines))
await browser.close()
await server.close()
