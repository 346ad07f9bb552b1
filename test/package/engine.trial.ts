/** The option `engine` of the package: the other engine does the same, and is loaded only if it is chosen. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { filesLoadedWhile } from './loadedFiles.ts'
import { readBundled } from './metafile.ts'
import { createProject, nodeCommand } from './project.ts'
import { serve } from './served.ts'

/** Initcode of a contract that counts its calls, and returns the count. */
const COUNTER = '0x716000546001018060005560005260206000f36000526012600ef3'

/** Creates and calls the contract, and imports the blocks into another chain; the options are its arguments. */
const MAIN = `
import { createChain, createManualClock } from 'preseal'
const [options, importOptions] = process.argv.slice(2).map((text) => JSON.parse(text))
const start = async () => {
  const chain = await createChain({ clock: createManualClock(), ...options })
  return { chain, ask: (method, ...params) => chain.standard.request({ method, params }) }
}
const own = await start()
const [from] = await own.ask('eth_accounts')
const include = async (transaction) => {
  const hash = await own.ask('eth_sendTransaction', { from, ...transaction })
  await own.chain.seal()
  return own.ask('eth_getTransactionReceipt', hash)
}
const { contractAddress: to } = await include({ data: '${COUNTER}' })
const { status, gasUsed, blockHash } = await include({ to })
const other = await start()
const blocks = await Promise.all(['0x1', '0x2'].map((number) => own.ask('debug_getRawBlock', number)))
await other.chain.importBlocks(Buffer.concat(blocks.map((block) => Buffer.from(block.slice(2), 'hex'))), importOptions)
const { hash } = await other.ask('eth_getBlockByNumber', 'latest', false)
const count = await other.ask('eth_call', { to })
await Promise.all([own, other].map(({ chain }) => chain.close()))
console.log(JSON.stringify({ status, gasUsed, count, isImported: hash === blockHash, blockHash }))
`

const ETHEREUMJS = { engine: 'ethereumjs' }

/** The files of the build that have @ethereumjs' EVM, of these. */
async function withOtherEngine(files: readonly string[]): Promise<string[]> {
  const bundled = await readBundled('esm')
  const isPart = (path: string) => path.includes('node_modules/@ethereumjs/evm/')
  return files.filter((file) => bundled.get(file)?.some(isPart))
}

/** Runs the program on Node 20. @returns what it prints, and the files of the other engine that it loads. */
async function runMain(options: object, importOptions: object) {
  const { folder, run } = await createProject({ files: { 'main.js': MAIN } })
  let printed: { readonly blockHash: string } | undefined
  const args = ['main.js', ...[options, importOptions].map((one) => JSON.stringify(one))]
  const loaded = await filesLoadedWhile(join(folder, 'node_modules/preseal/dist'), async (env) => {
    const { stdout, stderr } = await run(nodeCommand('20'), args, { env })
    expect(stderr).toBe('')
    printed = JSON.parse(stdout)
  })
  expect(loaded).toContain('index.js')
  return { printed: printed!, loaded: await withOtherEngine(loaded) }
}

describe('the engine of the package', () => {
  let own: Awaited<ReturnType<typeof runMain>>
  beforeAll(async () => {
    own = await runMain({}, {})
  })

  it("is preseal's own by default, and no file of the other one is loaded", () => {
    const count = `0x${'2'.padStart(64, '0')}`
    expect(own.printed).toMatchObject({ status: '0x1', gasUsed: '0xa87a', count, isImported: true })
    expect(own.loaded).toEqual([])
  })

  it.each([
    ["chains with engine: 'ethereumjs'", ETHEREUMJS, {}],
    ["an import with verify: 'ethereumjs'", {}, { verify: 'ethereumjs' }],
    ["such an import on chains with engine: 'ethereumjs'", ETHEREUMJS, { verify: 'ethereumjs' }],
  ])('gives the same blocks in %s, which load the other one', async (_, options, importOptions) => {
    const { printed, loaded } = await runMain(options, importOptions)
    expect(printed).toEqual(own.printed)
    expect(loaded).toHaveLength(1)
  })

  it.each([
    ['is loaded by npx preseal --engine ethereumjs, which executes calls', ['--engine', 'ethereumjs'], 1],
    ['is not loaded by npx preseal', [], 0],
  ])('%s', async (_, flags, files) => {
    const { folder } = await createProject({ files: {} })
    let answer: unknown
    const loaded = await filesLoadedWhile(join(folder, 'node_modules/preseal/dist'), async (env) => {
      const { url, end } = await serve(folder, ['npx', '--offline', 'preseal', ...flags], env)
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: COUNTER }] }
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(request),
      })
      answer = await response.json()
      expect(await end()).toBe('')
    })
    expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result: `0x${COUNTER.slice(4, 4 + 36)}` })
    expect(await withOtherEngine(loaded)).toHaveLength(files)
  })
})
