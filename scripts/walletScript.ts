/** Builds the script that `preseal/playwright` runs in each document: one text without imports. */
import { build } from 'esbuild'

/** The most characters: every document of a test runs the script. */
const MAX_LENGTH = 8_000

/** The module that stands for the text, by the end of its path. */
export const WALLET_SCRIPT_MODULE = /\/src\/kits\/playwright\/walletScript\.ts$/

/**
 * The module with the text of `src/kits/playwright/pageWallet.ts` and all that it imports.
 *
 * @throws Error if the text is too long.
 */
export async function buildWalletScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['src/kits/playwright/pageWallet.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    target: 'es2022',
    minify: true,
  })
  const { text } = outputFiles[0]!
  if (text.length > MAX_LENGTH) {
    throw new Error(
      `the script of the documents has ${text.length} characters, expected at most ${MAX_LENGTH}`,
    )
  }
  return `export const WALLET_SCRIPT = ${JSON.stringify(text)}`
}
