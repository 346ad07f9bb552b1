/** Builds the script of the workers that recover public keys: one text without imports, for every host. */
import { build } from 'esbuild'

/** Modules that contain a binary, which is sent to the workers instead. */
const BINARIES = /\bwasm\/secp256k1\/index\.js$/
/** More than the text has without a binary. */
const MAX_LENGTH = 30_000

/**
 * The text of `src/base/crypto/recoveryWorker.ts` with all that it imports, except the binary of secp256k1.
 *
 * @throws Error if a binary is in it.
 */
export async function buildRecoveryScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['src/base/crypto/recoveryWorker.ts'],
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
  if (text.length > MAX_LENGTH) {
    throw new Error(`the script of the workers has ${text.length} characters, expected at most ${MAX_LENGTH}`)
  }
  return text
}
