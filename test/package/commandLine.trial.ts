/** `npx preseal` from the package, on every runtime. */
import { delimiter, dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProject, NODES, nodeCommand, toolCommand } from './project.ts'
import { serve } from './served.ts'

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

async function request(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { readonly result: unknown }).result
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
})
