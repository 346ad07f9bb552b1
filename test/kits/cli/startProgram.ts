/** The command line as a process of its own, on a database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { onTestFinished } from 'vitest'
import { DEFAULT_MNEMONIC } from '../../../src/base/options/accountOptions.ts'
import { bundleProgram } from '../../tools/program.ts'

/** Bundles the command line for the tests of a file. @returns a function that starts it, see {@link startProgram}. */
export function bundleCommandLine() {
  const program = bundleProgram('src/kits/cli/index.ts', 'node_modules')
  return (database: string, mining?: readonly string[]) => startProgram(program.file, database, mining)
}

/** Starts a chain on a folder, and resolves once it serves. It is killed when the test ends. */
async function startProgram(
  file: string,
  database: string,
  mining: readonly string[] = ['--mining', 'auto'],
) {
  const args = ['--json', ...mining, '--port', '0', '--preconf-port', '0', '--database', database]
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const errors = text(child.stderr)
  const [line] = await Promise.race([once(child.stdout, 'data'), errors.then((stderr) => [stderr])])
  if (!String(line).startsWith('{')) throw new Error(String(line))
  const { url, preconfUrl } = JSON.parse(String(line)) as {
    readonly url: string
    readonly preconfUrl: string
  }
  const clientOf = (at: string) =>
    createWalletClient({
      account: mnemonicToAccount(DEFAULT_MNEMONIC).address,
      chain: foundry,
      transport: http(at, { retryCount: 0 }),
    }).extend(publicActions)
  return { child, client: clientOf(url), preconf: clientOf(preconfUrl) }
}
