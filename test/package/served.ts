/** `preseal` as a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A chain that a process serves. */
export interface Served {
  readonly url: string
  readonly preconfUrl: string
  /** Ends it as a terminal does, by a signal to the process group. @returns its output on stderr. */
  end(): Promise<string>
}

/**
 * Starts `preseal` on two free ports, and ends it with the test at the latest.
 *
 * @param command - the executable and its arguments, without the ports.
 * @throws if it ends before it listens.
 */
export async function serve(
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): Promise<Served> {
  const child = spawn(command, [...args, '--json', '--port', '0', '--preconf-port', '0'], {
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
  const { url, preconfUrl } = JSON.parse(line) as Pick<Served, 'url' | 'preconfUrl'>
  return {
    url,
    preconfUrl,
    async end() {
      signal('SIGINT')
      // Resolves when all processes have closed the pipe: npx ends after the chain's process.
      await closed
      return stderr
    },
  }
}
