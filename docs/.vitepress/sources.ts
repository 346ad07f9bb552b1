/** The modules of the package, from its sources: live code and the playground need no build of it. */
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const pathOf = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))

/** The longer names first, since an alias also stands for the names that begin with it. */
export const SOURCES = {
  ...Object.fromEntries(
    ['kits/errors', 'kits/ethers', 'inspect/explain', 'kits/viem', 'kits/worker'].map((folder) => [
      `preseal/${folder.split('/')[1]}`,
      pathOf(`${folder}/index.ts`),
    ]),
  ),
  preseal: pathOf('index.ts'),
}

/** Makes Node's modules empty. They are imported by chunks that no page loads, whose named imports Rollup looks for. */
export function emptyNodeModules(): Plugin {
  return {
    name: 'empty-node-modules',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id, _importer, { ssr }) => (id.startsWith('node:') && !ssr ? `\0${id}` : undefined),
    load: (id) =>
      id.startsWith('\0node:') ? { code: 'export default {}', syntheticNamedExports: true } : undefined,
  }
}

/** Makes workers entries of the bundle, which share its modules. By default each worker is a bundle of its own. */
export function shareWorkers(): Plugin {
  return {
    name: 'share-workers',
    apply: 'build',
    enforce: 'pre',
    async transform(code, id) {
      const started = /new URL\('(\.\/[\w.]+\.worker\.ts)', import\.meta\.url\)/.exec(code)
      // A comment may have such an address too.
      const worker = started && (await this.resolve(started[1]!, id))
      if (!worker) return undefined
      const entry = this.emitFile({ type: 'chunk', id: worker.id })
      return { code: code.replace(started[0], `import.meta.ROLLUP_FILE_URL_${entry}`), map: null }
    },
  }
}
