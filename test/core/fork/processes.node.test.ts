/** Processes that share the cache of a fork, as the workers of a test runner do. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { numberToHex } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { createChain, createManualClock } from '../../../src/index.ts'
import { serve } from '../../../src/kits/server/index.ts'
import { bundleProgram } from '../../tools/program.ts'
import { COUNT, readFork } from './readFork.ts'

const WORKERS = 3
const CONTRACT = `0x${'c0'.repeat(20)}` as const
/** Increments slot 1, and is long. */
const CODE = `0x600154600101600155${'00'.repeat(5000)}`

const program = bundleProgram('test/core/fork/reader.ts')

/** Serves a chain whose accounts have balances, with one block. */
async function startNode() {
  const chain = await createChain({ mining: 'manual' })
  const server = await serve(chain, { port: 0, preconfPort: 0 })
  onTestFinished(async () => {
    await server.close()
    await chain.close()
  })
  const accounts = Array.from({ length: COUNT * WORKERS }, (_, i) => [
    numberToHex(0x1000 + i, { size: 20 }),
    { balance: numberToHex(i + 1) },
  ])
  const state = { accounts: { ...Object.fromEntries(accounts), [CONTRACT]: { code: CODE } } }
  await chain.standard.request({ method: 'anvil_loadState', params: [state] })
  const { block } = await chain.seal()
  return { url: server.url, block: block.hash, close: () => server.close() }
}

/** The files at a path, with their texts. */
async function filesIn(path: string): Promise<readonly (readonly [string, string])[]> {
  if ((await stat(path)).isFile()) return [[path, await readFile(path, 'utf8')]]
  const found = await readdir(path, { recursive: true, withFileTypes: true })
  const names = found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(names.map(async (name) => [name, await readFile(name, 'utf8')] as const))
}

it.each(['folder', 'fork.jsonl'])('lose and tear nothing that one of them has read: %s', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'preseal-fork-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const cache = join(folder, name)
  const { url, block, close } = await startNode()
  const firsts = Array.from({ length: WORKERS }, (_, i) => (i * COUNT) / 2)
  const outputs = await Promise.all(
    firsts.map((first) =>
      promisify(execFile)(process.execPath, [program.file, url, block, cache, CONTRACT, `${first}`]),
    ),
  )
  await close()
  const read = outputs.map(({ stdout }) => JSON.parse(stdout))
  expect(read.map(({ balances }) => balances)).toEqual(
    firsts.map((first) => Array.from({ length: COUNT }, (_, i) => numberToHex(first + i + 1))),
  )

  for (const [file, text] of await filesIn(cache)) {
    if (!file.endsWith('.jsonl')) continue
    const lines = text.split('\n').filter((line) => line !== '')
    for (const line of lines) expect(JSON.parse(line)).toHaveLength(4)
  }
  for (const [i, first] of firsts.entries()) {
    const fork = { cache, offline: true }
    const chain = await createChain({ fork, mining: 'manual', clock: createManualClock() })
    expect(await readFork(chain, CONTRACT, first)).toEqual(read[i])
    await chain.close()
  }
})
