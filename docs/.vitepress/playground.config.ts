/**
 * The playground and the worker that runs live code, built together, so that both share the modules of the chain. They are
 * parts of the site with relative addresses.
 */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { emptyNodeModules, SOURCES, shareWorkers } from './sources.ts'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: pathOf('../../examples/playground'),
  base: './',
  logLevel: 'warn',
  resolve: { alias: SOURCES },
  plugins: [emptyNodeModules(), shareWorkers()],
  build: {
    outDir: pathOf('../public/playground-app'),
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 2000,
    // Workers have no document to add links to.
    modulePreload: false,
    rollupOptions: {
      input: {
        index: pathOf('../../examples/playground/index.html'),
        runWorker: pathOf('./live/run.worker.ts'),
      },
      output: {
        // The page that starts this worker is built later, and knows it by its name.
        entryFileNames: ({ name }) => (name === 'runWorker' ? 'runWorker.js' : 'assets/[name]-[hash].js'),
        // Most of the smaller ones are of modules that several on-demand modules share.
        experimentalMinChunkSize: 20_000,
      },
    },
  },
})
