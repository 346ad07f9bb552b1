/** How the bundle takes packages of others: which are left out, which are bundled once, which in part. */
import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import type { Plugin } from 'esbuild'

/** Files that stand for packages. */
export const PACKAGE_FILES: Readonly<Record<string, string>> = {
  // The one of its export map imports CJS, which needs a file of helpers.
  eventemitter3: resolve('node_modules/eventemitter3/dist/eventemitter3.esm.js'),
  // Four packages of @ethereumjs have a copy each, all of the same version.
  'lru-cache': resolve('node_modules/@ethereumjs/mpt/node_modules/lru-cache/dist/esm/index.js'),
  // The other file is a stub for browsers.
  ws: resolve('node_modules/ws/wrapper.mjs'),
}

/** Dependencies of dependencies, and the texts that stand for them. */
const ABSENT: Readonly<Record<string, string>> = {
  // Its browser variant reads `localStorage`, which makes Node print a warning. It is never enabled.
  debug: 'const off = () => Object.assign(() => {}, { enabled: false, extend: off })\nexport default off',
  // level-transcoder uses it for an optional format only. Without it, Node and browsers run the same code.
  buffer: 'module.exports = undefined',
  // Optional native addons of ws.
  bufferutil: "throw new Error('absent')",
  'utf-8-validate': "throw new Error('absent')",
}

export const leaveOut: Plugin = {
  name: 'leave-out',
  setup(build) {
    const filter = new RegExp(`^(${Object.keys(ABSENT).join('|')})$`)
    build.onResolve({ filter }, ({ path }) => ({ path, namespace: 'absent' }))
    build.onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({ contents: ABSENT[path]! }))
  },
}

/**
 * Bundles one file of @ethereumjs/blockchain for the block store, and of @ethereumjs/util what that file needs: through the
 * packages' indexes, a chain's first block would load all that they share with the second engine.
 */
export const blockKeys: Plugin = {
  name: 'block-keys',
  setup(build) {
    const folder = resolve('node_modules/@ethereumjs')
    build.onResolve({ filter: /^@ethereumjs\/blockchain$/ }, ({ importer }) =>
      importer.endsWith('/src/core/ledger/ethereumjs/blockchain.ts')
        ? { path: `${folder}/blockchain/dist/esm/db/operation.js` }
        : undefined,
    )
    build.onResolve({ filter: /^@ethereumjs\/util$/ }, ({ path, importer }) =>
      importer.includes('/@ethereumjs/blockchain/dist/esm/db/')
        ? { path, namespace: 'block-keys' }
        : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'block-keys' }, () => ({
      contents: "export * from './bytes.js'\nexport * from './db.js'\nexport * from './errors.js'",
      resolveDir: `${folder}/util/dist/esm`,
    }))
  },
}

/**
 * Lets ws load modules of Node. It does so with `require`, which ES modules do not have, so each `require` resolves to a
 * module that imports the one it names.
 */
export const requireByImport: Plugin = {
  name: 'require-by-import',
  setup(build) {
    build.onResolve({ filter: /^[a-z]+$/ }, ({ path, importer }) =>
      /\/ws\/lib\/[^/]+$/.test(importer) && isBuiltin(path) ? { path, namespace: 'required' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('imported:${path}').default`,
    }))
    build.onResolve({ filter: /^imported:/ }, ({ path }) => ({ path, namespace: 'imported' }))
    build.onLoad({ filter: /.*/, namespace: 'imported' }, ({ path }) => ({
      contents: `export { default } from '${path.replace('imported', 'node')}'`,
    }))
  },
}
