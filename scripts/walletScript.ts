/** Builds the script that the bundle contains as a text: without imports, for every host. */
import { build } from 'esbuild'

/** The module that stands for the script that `preseal/playwright` runs in each document, by the end of its path. */
export const WALLET_SCRIPT_MODULE = /\/src\/kits\/playwright\/walletScript\.ts$/

/** The most characters of the script, as every document of a test runs it. */
const MAX_LENGTH = 8_000

/**
 * The module with the text of the script.
 *
 * @throws Error if it is too long.
 */
export async function buildWalletScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['src/kits/playwright/pageWallet.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    target: 'es2022',
    minify: true,
  })
  const { text } = outputFiles[0]!
  if (text.length > MAX_LENGTH)
    throw new Error(`the script of the page has ${text.length} characters, expected at most ${MAX_LENGTH}`)
  return `export const WALLET_SCRIPT = ${JSON.stringify(text)}`
}
