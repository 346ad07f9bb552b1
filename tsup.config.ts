import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Dependencies of dependencies that the bundle goes without.
 *
 * `debug`: its browser half touches `localStorage`, which Node warns about; nothing of ours writes through it.
 * `buffer`: level-transcoder needs it for its `buffer` format only and takes its absence into account; without it
 * Node and browsers run the same code.
 * `bufferutil`, `utf-8-validate`: native code that ws takes where it finds it.
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

/** Four packages of @ethereumjs bring a copy of the same version each; one is enough. */
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
 * The Node server needs Node: its modules stay imports, and of ws it takes the half that browsers do not get. ws asks for
 * Node's modules by `require`, which an ES module has not, so that each comes by way of one that imports it.
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

/** Parts that know nothing of a chain, and are measured without one. */
const OWN = /\/(kzg|secp256k1Wasm|typedData)\.ts$/

/**
 * What a chain loads later finds all of the core loaded. Told so, the bundler puts the core into one file: otherwise it
 * makes one of each set of modules that some of the later parts share, and at the start each file takes its time.
 */
const shareCore: Plugin = {
  name: 'share-core',
  setup(build) {
    const core = JSON.stringify(resolve('src/index.ts'))
    const later = new Set<string>()
    build.onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
      const file = resolve(resolveDir, path)
      if (kind === 'dynamic-import' && !OWN.test(file) && !file.includes('/src/server/')) later.add(file)
      return undefined
    })
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) =>
      later.has(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport ${core}\n`, loader: 'ts' as const }
        : undefined,
    )
  },
}

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    errors: 'src/errors/index.ts',
    server: 'src/server/index.ts',
    // By this name package.json keeps it from browsers' bundles.
    'server.node': 'src/server/node.ts',
    viem: 'src/viem/index.ts',
    ethers: 'src/ethers/index.ts',
    worker: 'src/worker/index.ts',
    vitest: 'src/vitest/index.ts',
    cli: 'src/cli/index.ts',
  },
  format: ['esm', 'cjs'],
  // One bundle for Node and browsers: the browser's variant of every dependency, and nothing left to resolve.
  platform: 'neutral',
  target: 'es2022',
  // All but what the user brings along.
  noExternal: [/^(?!(ethers|viem|vitest)(\/|$))/],
  splitting: true,
  // The command line has nothing to declare.
  dts: {
    entry: {
      index: 'src/index.ts',
      errors: 'src/errors/index.ts',
      server: 'src/server/index.ts',
      viem: 'src/viem/index.ts',
      ethers: 'src/ethers/index.ts',
      worker: 'src/worker/index.ts',
      vitest: 'src/vitest/index.ts',
    },
  },
  sourcemap: true,
  clean: true,
  metafile: true,
  esbuildPlugins: [onNode, leaveOut, shareLruCache, shareCore],
  removeNodeProtocol: false,
  esbuildOptions(options, { format }) {
    options.mainFields = ['browser', 'module', 'main']
    options.conditions = ['import', 'module', 'browser']
    // Names stay: loading gains nothing from shorter ones, and a stack trace is read without a source map. CJS keeps its
    // lines here, since the step that turns chunks into CJS maps whole lines only; `scripts/shrink.ts` follows.
    options.minifyWhitespace = format === 'esm'
    options.inject = ['src/primitives/textEncoding.ts']
    // Read for the sake of `debug`, which is left out; Deno asks its user before the environment is read.
    options.define = { ...options.define, 'globalThis.process.env.DEBUG': 'undefined' }
    // Node prints the line of an uncaught error; one of the whole bundle would bury the message.
    options.lineLimit = 200
    options.minifySyntax = format === 'esm'
  },
})
