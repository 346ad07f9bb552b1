/** anvil in its own process, over HTTP on loopback, as tests use it. */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { createPoster } from '../http.ts'
import { BLOCK_GAS_LIMIT, CHAIN_ID, type Engine, stateOf } from './engine.ts'

type AnvilProcess = ChildProcessByStdio<null, Readable, null>

/** Whether npm has installed anvil's binary for this platform, and it runs. */
export function isAnvilInstalled(): boolean {
  try {
    return spawnSync(anvilBinary(), ['--version']).status === 0
  } catch {
    return false
  }
}

export const engine: Engine = {
  name: 'anvil',
  inProcess: false,

  async create({
    accounts,
    others = [],
    automine = false,
    gasLimit = BLOCK_GAS_LIMIT,
    steps = false,
    flags = [],
    fork,
  } = {}) {
    // anvil writes old states to files and does not remove them.
    const states = mkdtempSync(join(tmpdir(), 'preseal-bench-anvil-'))
    const options = {
      '--port': 0,
      '--cache-path': states,
      '--chain-id': CHAIN_ID,
      ...(fork && { '--fork-url': fork.url, '--fork-block-number': fork.block }),
      '--hardfork': 'prague',
      '--gas-limit': gasLimit,
      '--base-fee': 1_000_000_000,
      ...(accounts && {
        '--mnemonic': accounts.mnemonic,
        '--accounts': accounts.addresses.length,
        '--balance': 10_000,
      }),
    }
    const switches = [...(automine ? [] : ['--no-mining']), ...(steps ? ['--steps-tracing'] : []), ...flags]
    const anvil = spawn(anvilBinary(), [...switches, ...Object.entries(options).flat().map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // The cache of forks is in the home folder.
      env: { ...process.env, ...(fork && { HOME: fork.cache }) },
    })
    const stop = () => {
      anvil.kill()
      rmSync(states, { recursive: true, force: true })
    }
    process.once('exit', stop)

    const port = await listening(anvil)
    const { request, close } = createPoster(`http://127.0.0.1:${port}`)
    // Otherwise it prints every request. `--silent` would also hide the port.
    await request('anvil_setLoggingEnabled', [false])
    if (others.length > 0) await request('anvil_loadState', [stateOf(others)])

    return {
      request,
      mine: async (blocks = 1) => {
        await request('hardhat_mine', [`0x${blocks.toString(16)}`])
      },
      async close() {
        close()
        const exited = once(anvil, 'exit')
        anvil.kill()
        await exited
        process.off('exit', stop)
        rmSync(states, { recursive: true, force: true })
      },
    }
  },
}

/** The platform's package, since the script of `@foundry-rs/anvil` would start another Node process. */
export function anvilBinary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const file = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const require = createRequire(import.meta.url)
  return require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/${file}`)
}

/** The port that anvil chose, once it listens there. */
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
