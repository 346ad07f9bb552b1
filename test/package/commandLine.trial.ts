/** `npx preseal` from the package, on every runtime. */
import { delimiter, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProject, NODES, nodeCommand, toolCommand } from './project.ts'
import { serve } from './served.ts'

const BIN = 'node_modules/preseal/dist/cli.js'

/** Starts the command, requests the chain id from both views, and ends it. */
async function serveAndAsk(command: readonly [string, ...string[]], env?: NodeJS.ProcessEnv) {
  const { folder } = await createProject({ files: {} })
  const { url, preconfUrl, end } = await serve(folder, [...command, '--chain-id', '7'], env)
  const answers = await Promise.all([url, preconfUrl].map(askChainId))
  return { answers, stderr: await end() }
}

async function askChainId(url: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  return response.json()
}

const answer = { jsonrpc: '2.0', id: 1, result: '0x7' }
const SERVED = { answers: [answer, answer], stderr: '' }

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
})
