import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** How a process is started. */
export interface RunOptions {
  /** The folder it runs in; by default this process's. */
  readonly cwd?: string
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds after which it is ended, and has failed; 120,000 by default. */
  readonly timeout?: number
}

/** The output of a process. */
export interface Output {
  readonly stdout: string
  readonly stderr: string
}

const execute = promisify(execFile)

/**
 * Runs a process to its end.
 *
 * @throws an error with all its output unless it ends by itself with exit code 0.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Output> {
  const { cwd, env, timeout = 120_000 } = options
  // The process must not get the variables of the test runner.
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
