import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { buildRecoveryScript } from './scripts/recoveryScript.ts'
import { buildWalletScript, WALLET_SCRIPT_MODULE } from './scripts/walletScript.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Dependencies of dependencies that the bundle replaces with stubs.
 *
 * `debug`: its browser variant reads `localStorage`, which makes Node print a warning. It is never enabled.
 * `buffer`: level-transcoder uses it only for its `buffer` format, which is optional. Without `buffer`, Node
 * and browsers run the same code.
 * `bufferutil`, `utf-8-validate`: optional native addons of ws.
 */
const absent: Record<string, string> = {
  debug: 'const off = () => Object.assign(() => {}, { enabled: false, extend: off })\nexport default off',
  buffer: 'module.exports = undefined',
  bufferutil: "throw new Error('absent')",
  'utf-8-validate': "throw new Error('absent')",
}

const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter: /^(debug|buffer|bufferutil|utf-8-validate)$/ }, ({ path }) => ({
      path,
      namespace: 'absent',
    }))
    build.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: absent[path]!,
      loader: 'js',
    }))
  },
}

/** Bundles lru-cache once: four packages of @ethereumjs have a copy each, all of the same version. */
const shareLruCache: Plugin = {
  name: 'share-lru-cache',
  setup(build) {
    build.onResolve({ filter: /^lru-cache$/ }, ({ path, kind, pluginData }) => {
      if (pluginData === shareLruCache) return undefined
      return build.resolve(path, {
        kind,
        resolveDir: 'node_modules/@ethereumjs/mpt',
        pluginData: shareLruCache,
      })
    })
  },
}

/**
 * Bundles one file of @ethereumjs/blockchain for the block store, and of @ethereumjs/util what that file needs: through the
 * packages' indexes, a chain's first block would load all that they share with the second engine.
 */
const blockKeys: Plugin = {
  name: 'block-keys',
  setup(build) {
    const path = (file: string) => resolve('node_modules/@ethereumjs', file)
    build.onResolve({ filter: /^@ethereumjs\/blockchain$/ }, ({ importer }) =>
      importer.endsWith('/src/core/ledger/ethereumjs/blockchain.ts')
        ? { path: path('blockchain/dist/esm/db/operation.js') }
        : undefined,
    )
    build.onResolve({ filter: /^@ethereumjs\/util$/ }, ({ importer }) =>
      importer.includes('/@ethereumjs/blockchain/dist/esm/db/')
        ? { path: 'util', namespace: 'block-keys' }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'block-keys' }, () => ({
      contents: ['bytes', 'db', 'errors']
        .map((name) => `export * from ${JSON.stringify(path(`util/dist/esm/${name}.js`))}`)
        .join('\n'),
      resolveDir: resolve('.'),
    }))
  },
}

/**
 * For the Node server: Node's modules stay external, and `ws` resolves to its Node variant, not to its
 * browser stub. ws loads Node's modules with `require`, which ES modules do not have, so each `require`
 * resolves to a module that imports the one it names.
 */
const onNode: Plugin = {
  name: 'on-node',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true }))
    build.onResolve({ filter: /^ws$/ }, () => ({ path: resolve('node_modules/ws/wrapper.mjs') }))
    build.onResolve({ filter: /^[a-z]+$/ }, ({ path, importer }) =>
      /\/ws\/lib\/[^/]+$/.test(importer) && isBuiltin(path) ? { path, namespace: 'required' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('imported:${path}').default`,
      loader: 'js',
    }))
    build.onResolve({ filter: /^imported:/ }, ({ path }) => ({
      path: path.slice('imported:'.length),
      namespace: 'imported',
    }))
    build.onLoad({ filter: /.*/, namespace: 'imported' }, ({ path }) => ({
      contents: `export { default } from 'node:${path}'`,
      loader: 'js',
    }))
  },
}

/** The classes of errors that the core and the smaller entries throw, the same in all of them, and how texts are printed. */
const THROWN = [
  'base',
  'base/crypto',
  'ethereum',
  'ethereum/evm',
  'ethereum/state',
  'core/accounts',
  'core/block',
  'core/cheats',
  'core/fork',
  'core/import',
  'core/ledger',
  'core/mempool',
  'core/open',
  'core/sequencer',
  'core/trace',
  'core/view',
  'rpc',
  'rpc/wallet',
]
  .map((folder) => `${folder}/errors.ts`)
  .concat('base/printable.ts')

/** What the entries that serve or forward a chain need of the core without loading it. */
const FORWARDED = [
  'base/bytes.ts',
  'base/closestName.ts',
  'base/textEncoding.ts',
  'base/schema.ts',
  'base/disposal.ts',
  'base/emitter.ts',
  'base/loopback.ts',
  'base/options/option.ts',
  'base/options/optionSchemas.ts',
  'base/options/providerOptions.ts',
  'chain/handle.ts',
  'rpc/services.ts',
  'rpc/subscriptions/givesUp.ts',
]

/** What the entries that have timers of their own need of the core without loading it. */
const TIMED = ['base/clock.ts', 'base/waiting.ts', 'rpc/subscriptions/notifications.ts']

/** The modules that an entry imports besides its own imports, so that entries share few files. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['base/nodeModule.ts'],
  'kits/errors/index.ts': THROWN,
  'kits/server/index.ts': [...THROWN, ...FORWARDED, ...TIMED],
  'kits/server/node.ts': [...THROWN, ...FORWARDED, ...TIMED],
  'kits/worker/index.ts': [...THROWN, ...FORWARDED],
  'kits/ethers/index.ts': TIMED,
  'inspect/explain/index.ts': THROWN,
  'kits/gas/index.ts': ['index.ts'],
  'kits/gas/node.ts': ['index.ts'],
  'kits/gas/recorder.ts': ['index.ts'],
  'kits/hardhat/coverage.ts': ['index.ts'],
  'kits/hardhat/gasStats.ts': ['index.ts'],
  'kits/hardhat/gasSnapshot.ts': ['index.ts'],
  'kits/hardhat/config.ts': ['index.ts'],
  'kits/cli/index.ts': ['index.ts'],
  'kits/coverage/index.ts': ['index.ts'],
  'kits/coverage/setup.ts': ['index.ts'],
  'kits/playwright/index.ts': ['index.ts'],
  'kits/prool/index.ts': ['index.ts'],
  'kits/vitest/index.ts': ['index.ts'],
  // Of both, forks alone load any.
  'core/fork/node.ts': ['index.ts', 'core/open/fork/openFork.ts'],
  'rpc/fork/forwarding.ts': ['index.ts', 'core/open/fork/openFork.ts'],
  'core/open/fork/openFork.ts': ['index.ts', 'rpc/fork/forwarding.ts'],
  // Loaded on demand, but also imported by what the command line loads on demand.
  'core/ledger/format/databaseFormat.ts': ['index.ts'],
  'core/ledger/ethereumjs/blockchain.ts': ['index.ts'],
  'core/ledger/storedBlock.ts': ['index.ts'],
  'ethereum/kzg.ts': ['index.ts'],
}

/** What stands for `TextEncoder` and `TextDecoder` in all files, for hosts that lack them. */
const TEXT_ENCODING = resolve('src/base/textEncoding.ts')

/** The ES module of eventemitter3; the one of its export map imports CJS, which needs a file of helpers. */
const EVENT_EMITTER = resolve('node_modules/eventemitter3/dist/eventemitter3.esm.js')

/** Marks a module as the copy of {@link copyShared}, and what it imports. */
const COPY = '?copy'

/**
 * Gives the entries that work without the core their own copy of {@link FORWARDED} and {@link TIMED}: shared with the
 * core, they would be files that every start of a chain loads. Nothing in them depends on being one for all.
 */
const copyShared: Plugin = {
  name: 'copy-shared',
  setup(build) {
    const copied = new Set([...FORWARDED, ...TIMED].map((path) => resolve('src', path))).add(EVENT_EMITTER)
    const entries = /\/src\/kits\/(server|worker|ethers)\//
    build.onResolve(
      { filter: /^(\.|\/|eventemitter3$)/ },
      async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (pluginData === copyShared || kind !== 'import-statement') return undefined
        if (pluginData !== COPY && !entries.test(importer)) return undefined
        const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: copyShared })
        return copied.has(found.path) ? { path: found.path, suffix: COPY, pluginData: COPY } : undefined
      },
    )
    build.onResolve({ filter: /^eventemitter3$/ }, () => ({ path: EVENT_EMITTER }))
    // A module that is required is wrapped in a function, for all that use it.
    build.onResolve({ filter: /textEncoding\.ts$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, suffix: '?required' } : undefined,
    )
  },
}

/** Marks a module as the copy of {@link copyLevel}, and what it imports. */
const LEVEL_COPY = '?level'

/**
 * Gives browser-level its own copy of what it shares with memory-level: else that would be one more file that the start
 * of every chain loads.
 */
const copyLevel: Plugin = {
  name: 'copy-level',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (pluginData === copyLevel) return undefined
      if (pluginData !== LEVEL_COPY && !importer.includes('/node_modules/browser-level/')) return undefined
      const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: copyLevel })
      const { path: resolved, namespace } = found
      const isLibrary = resolved.includes('/node_modules/')
      return { path: resolved, namespace, suffix: LEVEL_COPY, ...(isLibrary && { pluginData: LEVEL_COPY }) }
    })
  },
}

/**
 * Adds imports: of {@link TEXT_ENCODING} where it is used, and others that load nothing more, or little, but let the
 * bundler make fewer files: it makes one for each set of modules that the same entries and on-demand modules use, and
 * each file adds to the time of the start. A module that is loaded on demand imports the core, which is always loaded
 * before. For the entries, see {@link SHARED}.
 */
const addImports: Plugin = {
  name: 'add-imports',
  setup(build) {
    const core = resolve('src/index.ts')
    const added = new Map<string, readonly string[]>()
    for (const [entry, modules] of Object.entries(SHARED)) {
      added.set(
        resolve('src', entry),
        modules.map((path) => resolve('src', path)),
      )
    }
    build.onResolve(
      { filter: /^(\.\.?|@scure)\// },
      async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === addImports) return undefined
        const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: addImports })
        if (!added.has(found.path)) added.set(found.path, [core])
        return found
      },
    )
    build.onLoad({ filter: /(\/src\/.*\.ts|\/node_modules\/.*\.m?js)$/ }, ({ path, pluginData }) => {
      const text = readFileSync(path, 'utf8')
      const lines = (added.get(path) ?? []).map((module) => `import ${JSON.stringify(module)}`)
      const isCjs = !/^(import|export)\b/m.test(text)
      if (/\bText(En|De)coder\b/.test(text) && path !== TEXT_ENCODING) {
        const names = '{ TextEncoder, TextDecoder }'
        const module = JSON.stringify(TEXT_ENCODING)
        lines.push(isCjs ? `var ${names} = require(${module})` : `import ${names} from ${module}`)
      }
      if (lines.length === 0 && pluginData !== COPY && pluginData !== LEVEL_COPY) return undefined
      const contents = isCjs ? `${lines.join('\n')}\n${text}` : `${text}\n${lines.join('\n')}\n`
      return { contents, loader: path.endsWith('.ts') ? ('ts' as const) : ('js' as const), pluginData }
    })
  },
}

/** Replaces the module that stands for the text of the workers by that text. */
const embedRecoveryScript: Plugin = {
  name: 'embed-recovery-script',
  setup(build) {
    build.onLoad({ filter: /\/src\/base\/crypto\/recoveryScript\.ts$/ }, async () => ({
      contents: `export const RECOVERY_SCRIPT = ${JSON.stringify(await buildRecoveryScript())}`,
      loader: 'js',
    }))
  },
}

/** Replaces the module that stands for the script of pages by its text. */
const embedWalletScript: Plugin = {
  name: 'embed-wallet-script',
  setup(build) {
    build.onLoad({ filter: WALLET_SCRIPT_MODULE }, async () => ({
      contents: await buildWalletScript(),
      loader: 'js',
    }))
  },
}

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    errors: 'src/kits/errors/index.ts',
    server: 'src/kits/server/index.ts',
    // package.json excludes these three files from browser bundles by their names.
    'server.node': 'src/kits/server/node.ts',
    'fork.node': 'src/core/fork/node.ts',
    'gas.node': 'src/kits/gas/node.ts',
    viem: 'src/kits/viem/index.ts',
    ethers: 'src/kits/ethers/index.ts',
    explain: 'src/inspect/explain/index.ts',
    worker: 'src/kits/worker/index.ts',
    gas: 'src/kits/gas/index.ts',
    coverage: 'src/kits/coverage/index.ts',
    coverageSetup: 'src/kits/coverage/setup.ts',
    hardhat: 'src/kits/hardhat/index.ts',
    playwright: 'src/kits/playwright/index.ts',
    prool: 'src/kits/prool/index.ts',
    vitest: 'src/kits/vitest/index.ts',
    cli: 'src/kits/cli/index.ts',
  },
  format: ['esm', 'cjs'],
  // One build for Node and browsers, with the browser variant of every dependency.
  platform: 'neutral',
  target: 'es2022',
  // Everything except the peer dependencies is bundled.
  noExternal: [
    /^(?!(@playwright\/test|classic-level|ethers|hardhat|istanbul-lib-coverage|istanbul-lib-report|istanbul-reports|viem|vitest)(\/|$))/,
  ],
  splitting: true,
  // The command line declares nothing; the Node server has the types of `server`.
  dts: {
    entry: {
      index: 'src/index.ts',
      errors: 'src/kits/errors/index.ts',
      server: 'src/kits/server/index.ts',
      viem: 'src/kits/viem/index.ts',
      ethers: 'src/kits/ethers/index.ts',
      explain: 'src/inspect/explain/index.ts',
      worker: 'src/kits/worker/index.ts',
      gas: 'src/kits/gas/index.ts',
      coverage: 'src/kits/coverage/index.ts',
      coverageSetup: 'src/kits/coverage/setup.ts',
      hardhat: 'src/kits/hardhat/index.ts',
      playwright: 'src/kits/playwright/index.ts',
      prool: 'src/kits/prool/index.ts',
      vitest: 'src/kits/vitest/index.ts',
    },
  },
  sourcemap: true,
  clean: true,
  metafile: true,
  esbuildPlugins: [
    embedRecoveryScript,
    embedWalletScript,
    copyLevel,
    onNode,
    leaveOut,
    shareLruCache,
    blockKeys,
    copyShared,
    addImports,
  ],
  removeNodeProtocol: false,
  esbuildOptions(options, { format }) {
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
