/** The playground as a part of the site, with relative addresses. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { emptyNodeModules, SOURCES } from './sources.ts'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: pathOf('../../examples/playground'),
  base: './',
  logLevel: 'warn',
  resolve: { alias: SOURCES },
  plugins: [emptyNodeModules()],
  worker: { format: 'es', plugins: () => [emptyNodeModules()] },
  build: {
    outDir: pathOf('../public/playground-app'),
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 2000,
  },
})
