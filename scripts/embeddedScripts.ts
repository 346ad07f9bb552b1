/** Builds the scripts that the bundle contains as texts: without imports, for every host. */
import { build } from 'esbuild'

/** Modules that contain a binary, which is sent to the workers instead. */
const BINARIES = /\bwasm\/secp256k1\/index\.js$/

/**
 * The text of a module with all that it imports, except binaries.
 *
 * @throws Error if it has more than `maxLength` characters.
 */
async function buildScript(path: string, maxLength: number): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    target: 'es2022',
    minify: true,
    plugins: [
      {
        name: 'without-binaries',
        setup({ onLoad }) {
          onLoad({ filter: BINARIES }, () => ({ contents: "export const hex = '0x'" }))
        },
      },
    ],
  })
  const { text } = outputFiles[0]!
  if (text.length <= maxLength) return text
  throw new Error(`the script of ${path} has ${text.length} characters, expected at most ${maxLength}`)
}

/** The script of the workers that recover public keys; with a binary it would be longer than its limit. */
export const buildRecoveryScript = (): Promise<string> =>
  buildScript('src/base/crypto/recoveryWorker.ts', 30_000)

/** The module that stands for the script that `preseal/playwright` runs in each document, by the end of its path. */
export const WALLET_SCRIPT_MODULE = /\/src\/kits\/playwright\/walletScript\.ts$/

/** The module with the text of that script, which is short, as every document of a test runs it. */
export async function buildWalletScript(): Promise<string> {
  const text = await buildScript('src/kits/playwright/pageWallet.ts', 8_000)
  return `export const WALLET_SCRIPT = ${JSON.stringify(text)}`
}
