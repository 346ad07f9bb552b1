import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** How a process is started. */
export interface RunOptions {
  /** The folder it runs in; this process's. */
  readonly cwd?: string
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Ms after which it is ended, and has failed; 120,000. */
  readonly timeout?: number
}

/** What a process wrote. */
export interface Output {
  readonly stdout: string
  readonly stderr: string
}

const execute = promisify(execFile)

/**
 * Runs a process to its end.
 *
 * @throws an error with all it wrote unless it ends by itself, and with 0.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Output> {
  const { cwd, env, timeout = 120_000 } = options
  // What a runner tells its own children is not meant for these.
  const { NODE_OPTIONS, VITEST, NODE_ENV, ...own } = process.env
  try {
    return await execute(command, args, {
      cwd,
      env: { ...own, npm_config_loglevel: 'error', NO_COLOR: '1', ...env },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    })
  } catch (error) {
    const { stdout, stderr, signal, code } = error as Output & { signal?: string; code?: number | string }
    const end = signal ? `was ended after ${timeout} ms` : `ended with ${code}`
    throw new Error(`${command} ${args.join(' ')} ${end}\n${stdout}\n${stderr}`, { cause: error })
  }
}
