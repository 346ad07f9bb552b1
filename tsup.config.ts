import { readdirSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { blockKeys, leaveOut, PACKAGE_FILES, requireByImport } from './scripts/bundledPackages.ts'
import { buildWalletScript, WALLET_SCRIPT_MODULE } from './scripts/walletScript.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** The entries that load the core. */
const WITH_CORE = {
  index: 'src/index.ts',
  // package.json excludes the files `*.node` from browser bundles by their names.
  'fork.node': 'src/core/fork/node.ts',
  'gas.node': 'src/kits/gas/node.ts',
  gas: 'src/kits/gas/index.ts',
  coverage: 'src/kits/coverage/index.ts',
  coverageSetup: 'src/kits/coverage/setup.ts',
  playwright: 'src/kits/playwright/index.ts',
  prool: 'src/kits/prool/index.ts',
  vitest: 'src/kits/vitest/index.ts',
  cli: 'src/kits/cli/index.ts',
}

/** The entries that work without the core: they load it on demand, or are given a chain. */
const WITHOUT_CORE = {
  errors: 'src/kits/errors/index.ts',
  server: 'src/kits/server/index.ts',
  'server.node': 'src/kits/server/node.ts',
  viem: 'src/kits/viem/index.ts',
  ethers: 'src/kits/ethers/index.ts',
  explain: 'src/inspect/explain/index.ts',
  worker: 'src/kits/worker/index.ts',
  hardhat: 'src/kits/hardhat/index.ts',
}

/** The kits whose modules all work without the core. */
const FREE_KITS = /\/src\/kits\/(ethers|server|viem|worker)\//

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => resolve('src', path))

/** The modules of the classes that the core throws, and of how texts are printed. Those of forks are loaded on demand. */
const ERRORS = SOURCES.filter((path) =>
  /\/src\/((base|core(?!\/fork)|ethereum|rpc)\/(.+\/)?errors|base\/printable)\.ts$/.test(path),
)

/**
 * Resolves each of {@link ERRORS} to a module that exports all of them: whoever needs one loads all. The bundler makes a file for
 * each set of modules that the same entries and on-demand modules use, so they become one file.
 */
const joinErrors: Plugin = {
  name: 'join-errors',
  setup(build) {
    const joined = resolve('src/errors.ts')
    build.onResolve({ filter: /\/(errors|printable)\.ts$/ }, ({ path, resolveDir, importer }) =>
      ERRORS.includes(resolve(resolveDir, path)) && importer !== joined && !ERRORS.includes(importer)
        ? { path: joined }
        : undefined,
    )
    build.onLoad({ filter: /\/src\/errors\.ts$/ }, () => ({
      contents: ERRORS.map((path) => `export * from ${JSON.stringify(path)}`).join('\n'),
    }))
  },
}

/** What stands for `TextEncoder` and `TextDecoder` in all files, for hosts that lack them. */
const TEXT_ENCODING = resolve('src/base/textEncoding.ts')

/** What is not copied: the core, kits, and modules that have to be one for all: classes of errors, and the traces that are kept. */
const SHARED = /\/src\/(core|ethereum|inspect|kits)\/|\/(errors|index|solidityTrace)\.ts$/

/**
 * Gives each of {@link FREE_KITS} its own copy of what it imports, packages included: what it shares with the core would be one
 * more file that every start of a chain loads.
 */
const copyIntoKits: Plugin = {
  name: 'copy-into-kits',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, kind, importer, pluginData, ...from }) => {
      if (pluginData === copyIntoKits) return undefined
      const kit: string | undefined = pluginData ?? FREE_KITS.exec(importer)?.[1]
      // A module that is required is wrapped in a function, for all that use it.
      const isRequired = kind === 'require-call' && path === TEXT_ENCODING
      if (!isRequired && (kit === undefined || kind === 'dynamic-import')) return undefined
      const found = await build.resolve(path, { ...from, kind, importer, pluginData: copyIntoKits })
      if (found.external || found.errors.length > 0 || SHARED.test(found.path)) return undefined
      const suffix = `?${kit ?? 'core'}${isRequired ? '-required' : ''}`
      return { path: found.path, namespace: found.namespace, suffix, pluginData: kit }
    })
  },
}

const CORE = resolve('src/index.ts')

/** What every fork loads on demand. */
const FORK = ['src/core/open/fork/openFork.ts', 'src/rpc/fork/forwarding.ts'].map((path) => resolve(path))

/** The modules that are loaded once the core is: entries, and what others load on demand. */
const USERS = new Set([
  ...Object.values(WITH_CORE).map((path) => resolve(path)),
  ...SOURCES.filter((path) => !FREE_KITS.test(path)).flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(/(?<!typeof )\bimport\(\s*'(\.[^']+\.ts|@scure[^']+)'\s*\)/g),
    ].map(([, to]) =>
      to!.startsWith('.') ? resolve(dirname(path), to!) : resolve('node_modules', to!, 'index.js'),
    ),
  ),
])

/** The modules that a module imports besides its own imports. They load nothing more, but let the bundler make fewer files. */
function addedImports(path: string): readonly string[] {
  // It is small, and several of the modules that are loaded on demand need it.
  if (path === CORE) return [resolve('src/base/nodeModule.ts')]
  if (!USERS.has(path)) return []
  return path.includes('/fork/') ? [CORE, ...FORK] : [CORE]
}

/** Adds the imports of {@link addedImports}, and that of {@link TEXT_ENCODING} where it is used. */
const addImports: Plugin = {
  name: 'add-imports',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, kind, importer, pluginData, ...from }) => {
      const isFromCore = SOURCES.includes(importer) && !FREE_KITS.test(importer)
      if (kind !== 'dynamic-import' || pluginData === addImports || !isFromCore) return undefined
      const found = await build.resolve(path, { ...from, kind, importer, pluginData: addImports })
      const isListed = USERS.has(found.path) || found.external || found.path.endsWith('.json')
      return isListed || found.errors.length > 0
        ? undefined
        : { errors: [{ text: `USERS lacks ${found.path}, which ${importer} loads on demand` }] }
    })
    build.onLoad({ filter: /(\/src\/.*\.ts|\/node_modules\/.*\.m?js)$/ }, ({ path, pluginData }) => {
      const text = readFileSync(path, 'utf8')
      const isModule = /^(import|export)\b/m.test(text)
      const lines = addedImports(path).map((module) => `import ${JSON.stringify(module)}`)
      if (/\bText(En|De)coder\b/.test(text) && path !== TEXT_ENCODING) {
        const names = '{ TextEncoder, TextDecoder }'
        const module = JSON.stringify(TEXT_ENCODING)
        lines.push(isModule ? `import ${names} from ${module}` : `var ${names} = require(${module})`)
      }
      if (lines.length === 0 && pluginData === undefined) return undefined
      const contents = isModule ? `${text}\n${lines.join('\n')}\n` : `${lines.join('\n')}\n${text}`
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js', pluginData }
    })
  },
}

/** Replaces the module that stands for the text of a script by this text. */
const embedScript: Plugin = {
  name: 'embed-script',
  setup(build) {
    build.onLoad({ filter: WALLET_SCRIPT_MODULE }, async () => ({ contents: await buildWalletScript() }))
  },
}

const ENTRIES = { ...WITH_CORE, ...WITHOUT_CORE }

/** All that is not bundled, besides the modules of Node. */
const PEERS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).peerDependencies)

export default defineConfig({
  entry: ENTRIES,
  format: ['esm', 'cjs'],
  // One build for Node and browsers, with the browser variant of every dependency.
  platform: 'neutral',
  target: 'es2022',
  external: [/^node:/],
  noExternal: [new RegExp(`^(?!node:|(${PEERS.join('|')})(/|$))`)],
  splitting: true,
  // The command line declares nothing; the Node server has the types of `server`.
  dts: {
    entry: Object.fromEntries(Object.entries(ENTRIES).filter(([name]) => !/^cli$|\.node$/.test(name))),
  },
  sourcemap: true,
  clean: true,
  metafile: true,
  esbuildPlugins: [copyIntoKits, requireByImport, leaveOut, blockKeys, joinErrors, embedScript, addImports],
  removeNodeProtocol: false,
  esbuildOptions(options, { format }) {
    options.alias = PACKAGE_FILES
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['import', 'module', 'browser']
    // Identifiers are not minified: shorter names do not load faster, and stack traces stay readable without
    // source maps. CJS is not minified here, since tsup's conversion of chunks to CJS maps whole lines only;
    // `scripts/shrink.ts` does it afterwards.
    options.minifyWhitespace = format === 'esm'
    // @ethereumjs/util reads this to enable `debug`; Deno asks the user before the environment is read.
    options.define = { ...options.define, 'globalThis.process.env.DEBUG': 'undefined' }
    // Node prints the source line of an uncaught error; a bundle in one line would hide the message.
    options.lineLimit = 200
    options.minifySyntax = format === 'esm'
  },
})
