/** `npx preseal` from the package, wherever it can run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createProject, NODES, nodeCommand, toolCommand } from './project.ts'

const ARGUMENTS = ['--json', '--chain-id', '7', '--port', '0', '--preconf-port', '0']
const BIN = 'node_modules/preseal/dist/cli.js'

/** Starts it, asks both views for the chain's id, and ends it as a terminal does: by a signal to all that was started. */
async function serveAndAsk(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { folder } = await createProject({ files: {} })
  const child = spawn(command, [...args, ...ARGUMENTS], {
    cwd: folder,
    detached: true,
    env: { ...process.env, npm_config_loglevel: 'error', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const signal = (name: NodeJS.Signals) => isRunning() && process.kill(-child.pid!, name)
  onTestFinished(() => void signal('SIGKILL'))
  const stderr = text(child.stderr)
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    closed.then(async () => Promise.reject(new Error(`ended at once: ${await stderr}`))),
  ])
  const { url, preconfUrl } = JSON.parse(line) as { readonly url: string; readonly preconfUrl: string }
  const answers = await Promise.all([url, preconfUrl].map(askChainId))
  signal('SIGINT')
  // Comes when nobody is left who could write: npx ends by the signal, but not before the chain's process has ended.
  await closed
  return { answers, stderr: await stderr }
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

it.each(NODES)('serves both views by npx on Node %s', async (major) => {
  const PATH = dirname(nodeCommand(major)) + delimiter + process.env['PATH']
  expect(await serveAndAsk('npx', ['--offline', 'preseal'], { PATH })).toEqual(SERVED)
})

it('serves both views on Bun', async () => {
  expect(await serveAndAsk(toolCommand('bun'), [BIN])).toEqual(SERVED)
})

it('serves both views on Deno', async () => {
  expect(await serveAndAsk(toolCommand('deno'), ['run', '--allow-all', BIN])).toEqual(SERVED)
})
