/** Sets a separate cache folder: both apps are served at once, and would write to the project's `node_modules/.vite`. */
import { defineConfig } from 'vite'

export default defineConfig({ cacheDir: 'node_modules/.vite' })
