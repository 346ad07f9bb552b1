/** anvil in a process of its own, over HTTP on loopback: what a test that uses it waits for. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine } from './engine.ts'

type AnvilProcess = ChildProcessByStdio<null, Readable, null>

interface JsonRpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Whether npm has installed anvil's binary for this platform, and it runs. */
export function isAnvilInstalled(): boolean {
  try {
    return spawnSync(binary(), ['--version']).status === 0
  } catch {
    return false
  }
}

export const engine: Engine = {
  name: 'anvil',
  inProcess: false,

  async create({ accounts, steps = false } = {}) {
    // Old states go to files, which it leaves behind.
    const states = mkdtempSync(join(tmpdir(), 'preseal-bench-anvil-'))
    const options = {
      '--port': 0,
      '--cache-path': states,
      '--chain-id': CHAIN_ID,
      '--hardfork': 'prague',
      '--gas-limit': BLOCK_GAS_LIMIT,
      '--base-fee': 1_000_000_000,
      ...(accounts && {
        '--mnemonic': accounts.mnemonic,
        '--accounts': accounts.addresses.length,
        '--balance': 10_000,
      }),
    }
    const flags = ['--no-mining', ...(steps ? ['--steps-tracing'] : [])]
    const anvil = spawn(binary(), [...flags, ...Object.entries(options).flat().map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const stop = () => {
      anvil.kill()
      rmSync(states, { recursive: true, force: true })
    }
    process.once('exit', stop)

    const port = await listening(anvil)
    const agent = new Agent({ keepAlive: true })
    let id = 0
    async function request(method: string, params: readonly unknown[]): Promise<unknown> {
      id += 1
      const answer = await post(agent, port, JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      const { result, error } = JSON.parse(answer) as JsonRpcResponse
      if (error) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result
    }
    // Otherwise it prints every request. `--silent` would also keep the port to itself.
    await request('anvil_setLoggingEnabled', [false])

    return {
      request,
      mine: async () => {
        await request('evm_mine', [])
      },
      async close() {
        agent.destroy()
        const exited = once(anvil, 'exit')
        anvil.kill()
        await exited
        process.off('exit', stop)
        rmSync(states, { recursive: true, force: true })
      },
    }
  },
}

/** The platform's package itself: the script of `@foundry-rs/anvil` would start a Node process around it. */
function binary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const require = createRequire(import.meta.url)
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/${file}`)
}

/** The port that it found free, once it listens there. */
function listening(anvil: AnvilProcess): Promise<number> {
  let output = ''
  return new Promise((resolve, reject) => {
    anvil.once('error', reject)
    anvil.once('exit', () => reject(new Error(`anvil ended before it listened: ${output}`)))
    // Stays attached: a full pipe would stop anvil.
    anvil.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
}

function post(agent: Agent, port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = httpRequest({ agent, host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        answer += chunk
      })
      response.once('end', () => resolve(answer))
      response.once('error', reject)
    })
    request.once('error', reject)
    request.end(body)
  })
}
