/** `npx preseal` from the package, on every runtime. */
import { delimiter, dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORK_MAIN, prepare, request, runStory } from './forked.ts'
import { createProject, NODES, nodeCommand, toolCommand } from './project.ts'
import { serve } from './served.ts'
import { fork } from './stories.ts'

const BIN = 'node_modules/preseal/dist/cli.js'

/** Starts the command, requests the chain id from both views, and ends it. */
async function serveAndAsk(command: readonly [string, ...string[]], env?: NodeJS.ProcessEnv) {
  const { folder } = await createProject({ files: {} })
  const { url, preconfUrl, end } = await serve(folder, [...command, '--chain-id', '7'], env)
  const answers = await Promise.all([url, preconfUrl].map((each) => request(each, 'eth_chainId')))
  return { answers, stderr: await end() }
}

/** Sends a transaction to a chain in the project's folder `chain`, in auto mining. @returns the head after it. */
async function sendStored(folder: string, command: readonly [string, ...string[]]): Promise<unknown> {
  const { url, end } = await serve(folder, [...command, '--mining', 'auto', '--database', 'chain'])
  const [from] = (await request(url, 'eth_accounts')) as string[]
  await request(url, 'eth_sendTransaction', { from, to: from })
  const head = await request(url, 'eth_blockNumber')
  await end()
  return head
}

const SERVED = { answers: ['0x7', '0x7'], stderr: '' }

describe('the command of the package', () => {
  it.each(NODES)('serves both views by npx on Node %s', async (major) => {
    const PATH = dirname(nodeCommand(major)) + delimiter + process.env['PATH']
    expect(await serveAndAsk(['npx', '--offline', 'preseal'], { PATH })).toEqual(SERVED)
  })

  it('serves both views on Bun', async () => {
    expect(await serveAndAsk([toolCommand('bun'), BIN])).toEqual(SERVED)
  })

  it('serves both views on Deno', async () => {
    expect(await serveAndAsk([toolCommand('deno'), 'run', '--allow-all', BIN])).toEqual(SERVED)
  })

  it.each(NODES)('resumes the chain of a folder on Node %s', async (major) => {
    const others = { 'classic-level': resolve('.') }
    const { folder } = await createProject({ files: {}, others })
    const command = [nodeCommand(major), BIN] as const
    expect([await sendStored(folder, command), await sendStored(folder, command)]).toEqual(['0x1', '0x2'])
  })

  it('says what --database needs', async () => {
    const { folder } = await createProject({ files: {} })
    await expect(sendStored(folder, [process.execPath, BIN])).rejects.toThrow(
      'preseal: --database needs the package classic-level: run npm install classic-level',
    )
  })

  it('serves a fork of a chain that it serves, which createChain in an empty project forks too', async () => {
    const project = await createProject({ files: { 'fork.js': fork, 'main.js': FORK_MAIN } })
    const { url, end } = await serve(project.folder, [process.execPath, BIN, '--mining', 'auto'])
    const node = await prepare(url)
    const { counter, sent, expected } = node
    const served = await serve(project.folder, ['npx', '--offline', 'preseal', '--fork-url', url])
    expect(await request(served.url, 'eth_getTransactionReceipt', sent)).toEqual(expected.receipt)
    expect(Number(await request(served.preconfUrl, 'eth_getStorageAt', counter, '0x0', 'pending'))).toBe(7)
    await served.end()

    const cache = 'cache.jsonl'
    expect(await runStory(project, node, { url, cache, verify: true })).toEqual(expected)
    await end()
    expect(await runStory(project, node, { cache, offline: true, verify: true })).toEqual(expected)
  })
})
