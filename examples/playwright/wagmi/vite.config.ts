/** Of its own, since the other app is served at the same time: both would write to the project's `node_modules/.vite`. */
import { defineConfig } from 'vite'

export default defineConfig({ cacheDir: 'node_modules/.vite' })
